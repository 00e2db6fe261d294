import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call, layersOf } from '../../spec/access.js';
import { makePack, READ } from '../../spec/fixtures.js';
import type { PolicyRow } from '../packs/policy.js';
import type { Command } from '../packs/surface.js';
import { escapeInvisible } from '../text/unicode.js';
import { MAX_SHOWN } from '../views/build.js';
import { buildCard } from './card.js';
import type { Card } from './request.js';

const NAMES = ['amount', 'to', 'payee', 'subject', 'body', 'path', 'cc', 'x'];
const anyName = fc.constantFrom(...NAMES);
const anyValue = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ minLength: MAX_SHOWN - 2, maxLength: MAX_SHOWN + 20 }),
  // A value that looks like a template, another argument, or an escape of its own.
  fc.constantFrom('{{amount}}', '{payee}', '…', '\\u202e', '', 'demo-transit\u202e', '$&'),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.string(), { maxLength: 3 }),
);
const anyTemplate = fc
  .array(
    fc.oneof(
      anyName.map((name) => `{{${name}}}`),
      fc.constantFrom('EUR', ' to ', 'Demo account'),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((parts) => parts.join(''));
const anyPreview = fc.record({
  kind: fc.constantFrom('payment' as const, 'message' as const, 'command' as const),
  title: anyTemplate,
  fields: fc.dictionary(fc.constantFrom('amount', 'to', 'note', 'from'), anyTemplate),
});
const verbs = fc.constantFrom('transfer', 'send', 'delete', 'publish', 'run', 'go.now');

const { plan: asked } = call({ confirm: true });

function cardFor(verb_key: string, args: Record<string, unknown>, preview: Command['preview']): Card {
  if (!asked) throw new Error('refused');
  const row: PolicyRow = { ...READ, operation: 'write', confirm: true };
  const pack = makePack({
    commands: { [verb_key]: { description: 'Does it.', ...(preview && { preview }) } },
    rows: { [verb_key]: row },
  });
  return buildCard({ pack, verb_key, row, args, judged: asked.judged }, layersOf(), { sessions: true });
}

/** The texts of the view in which this argument's value stands, whole. */
function shownIn({ view }: Card, name: string, value: unknown): string[] {
  const text = escapeInvisible(typeof value === 'string' ? value : JSON.stringify(value));
  const lines = [
    ...view.fields.filter((field) => view.sources[field.name]?.includes(name)),
    ...view.rest.filter((line) => line.name === name),
  ];
  return lines.filter((line) => line.value.includes(text)).map((line) => line.value);
}

describe('any card, by a declared preview or by names', () => {
  it('shows the value of every argument whole, or says that it does not', () => {
    fc.assert(
      fc.property(verbs, fc.dictionary(anyName, anyValue), fc.option(anyPreview), (verb_key, args, preview) => {
        const card = cardFor(verb_key, args, preview ?? undefined);
        expect(card.args.map(({ name, value }) => [name, value])).toEqual(Object.entries(args));
        const hidden = Object.entries(args).filter(([name, value]) => shownIn(card, name, value).length === 0);
        if (card.view.complete) expect(hidden).toEqual([]);
        const { fields, rest } = card.view;
        expect([...fields, ...rest].some(({ cut }) => cut === true)).toBe(!card.view.complete);
        const length = (value: unknown): number => (typeof value === 'string' ? value : JSON.stringify(value)).length;
        const total = Object.values(args).reduce<number>((sum, value) => sum + length(value), 0);
        // Escapes take at most eight characters for one, a template three values and its own words.
        if (total * 8 * 3 + 60 < MAX_SHOWN) expect(card.view.complete).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
