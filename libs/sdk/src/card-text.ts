import { escapeInvisible, type Card } from '@hcp/core';

/**
 * A card as lines of text, in the protocol's own layout; every value whole and nothing invisible in it (SPEC C1, C3).
 * @example `Pay demo-transit`, `· Moves money`, `  amount  2.80`, …, `  $ ledger transfer 2.80 --to demo-transit --confirm`
 */
export function cardText({ pack_name, summary, view, args, cli }: Card): string {
  const rows = [...view.fields, ...view.rest];
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const whole = view.complete ? [] : ['', 'In full:', ...args.map(({ name, value }) => `  ${name}  ${textOf(value)}`)];
  return [
    `${pack_name} · ${summary}`,
    '',
    view.title,
    ...view.signals.map(({ text }) => `· ${text}`),
    ...rows.map(({ name, value }) => `  ${name.padEnd(width)}  ${value}`),
    ...whole,
    '',
    `  $ ${cli}`,
  ]
    .map(escapeInvisible)
    .join('\n');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
