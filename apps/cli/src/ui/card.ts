import type { ApprovalRequest, CardStep } from '@hcp/core';
import type { Ui } from './ui.js';

type To = 'out' | 'err';

/** What a person is asked with, in the protocol's own layout; every value whole (SPEC C1, C3). */
export function showCard(ui: Ui, card: ApprovalRequest, to: To = 'out'): void {
  for (const line of cardLines(ui, card, to)) {
    if (to === 'out') ui.line(line);
    else ui.note(line);
  }
}

function cardLines(ui: Ui, card: ApprovalRequest, to: To): string[] {
  const { view } = card;
  const rows = [...view.fields, ...view.rest];
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return [
    `${ui.safe(card.pack_name)} · ${ui.safe(card.summary)}`,
    '',
    ui.style('bold', ui.safe(view.title), to),
    ...view.signals.map(({ text }) => `· ${ui.style('yellow', ui.safe(text), to)}`),
    ...rows.map(({ name, value }) => `  ${ui.safe(name.padEnd(width))}  ${ui.safe(value)}`),
    ...(view.complete ? [] : wholeLines(ui, card)),
    '',
    `  $ ${ui.safe(card.cli)}`,
    ...stepLines(ui, card.steps ?? [], '  '),
  ];
}

/** What a composite comes to, each step as its own card would say it. */
function stepLines(ui: Ui, steps: readonly CardStep[], indent: string): string[] {
  return steps.flatMap((step, at) => {
    const when = step.later ? '  (with what an earlier step answers)' : '';
    return [
      `${indent}${String(at + 1)}. ${ui.safe(step.pack_name)} · ${ui.safe(step.view.title)}${when}`,
      `${indent}   $ ${ui.safe(step.cli)}`,
      ...stepLines(ui, step.steps ?? [], `${indent}   `),
    ];
  });
}

/** A card that cuts a value has to be opened in full before anyone approves it. */
function wholeLines(ui: Ui, { args }: ApprovalRequest): string[] {
  const each = args.map(({ name, value }) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return `  ${ui.safe(name)}  ${ui.safe(text)}`;
  });
  return ['', 'In full:', ...each];
}
