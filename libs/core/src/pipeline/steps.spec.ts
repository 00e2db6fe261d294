import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anySchema, makeCaller, makePack, NOW, READ, TRANSFER } from '../../spec/fixtures.js';
import {
  buildCard,
  checkPack,
  decide,
  fillSteps,
  DEFAULT_ACCESS,
  RuleSet,
  stepRequest,
  type AccessLayers,
  type Caller,
  type Command,
  type Decision,
  type Grant,
  type Pack,
  type PolicyRow,
  type Rule,
} from '../index.js';
import { filesOf } from '../../spec/fixtures.js';

const WRITE: PolicyRow = { ...READ, operation: 'write' };
const BALANCE: Command = { description: 'Shows it.', cli: ['ledger', 'balance', '{{account}}'] };
const NOTE: Command = { description: 'Keeps a note.', cli: ['ledger', 'note', '{{text}}'] };
const ledger = makePack({
  commands: { transfer: TRANSFER, balance: BALANCE, note: NOTE },
  rows: { transfer: { ...WRITE, confirm: 'always' }, balance: READ, note: WRITE },
});

type Steps = NonNullable<Command['steps']>;
const composite = (steps: Steps, row: PolicyRow = WRITE, pack_id = 'fares'): Pack => {
  const args = { type: 'object' as const, properties: { amount: {}, payee: {} } };
  const made = makePack({
    manifest: { pack_id, name: 'Fares', kind: 'composite' },
    commands: { pay: { description: 'Pays a fare.', args, steps } },
    rows: { pay: row },
  });
  const { wrap: _wrap, ...manifest } = made.manifest;
  return { ...made, manifest };
};
const step = (
  name: string,
  verb_key: string,
  args: Record<string, unknown> = {},
  pack_id = 'ledger',
): Steps[number] => ({
  ...{ name, pack_id, verb_key, args },
});
const PAY = step('pay', 'transfer', { amount: '{{amount}}', payee: '{{payee}}' });
const LOOK = step('look', 'balance', { account: 'main' });

interface Asked {
  readonly packs?: readonly Pack[];
  readonly args?: Record<string, unknown>;
  readonly caller?: Caller;
  readonly rules?: readonly Rule[];
  readonly check?: typeof anySchema;
}
function ask(
  pack: Pack,
  { packs = [ledger], args = {}, caller = makeCaller(), rules = [], check = anySchema }: Asked = {},
): Decision {
  const access: AccessLayers = { ...DEFAULT_ACCESS, base: { ...DEFAULT_ACCESS.base, rules: new RuleSet(rules) } };
  const facts = (each: Pack | undefined) => ({
    known: each !== undefined,
    active: each !== undefined,
    pack: each ?? null,
  });
  return decide({
    envelope: { pack_id: pack.manifest.pack_id, verb_key: 'pay', args },
    caller,
    facts: facts(pack),
    nested: (pack_id) => facts([...packs, pack].find((each) => each.manifest.pack_id === pack_id)),
    project_id: null,
    check,
    access,
    now: NOW,
  });
}
const refusal = (decision: Decision) => (decision.decision === 'deny' ? decision.denial : null);
const agent = makeCaller({ principal: { id: 'a', kind: 'agent' }, is_agent: true });

describe('a composite', () => {
  it('asks where one of its steps asks, for that reason', () => {
    const decision = ask(composite([LOOK, PAY]), { args: { amount: '2.80', payee: 'demo' }, caller: agent });
    expect(decision).toMatchObject({
      decision: 'ask',
      access: { reason_code: 'confirm_always' },
      plan: { steps: [{ plan: { args: { account: 'main' } } }, { plan: { args: { amount: '2.80', payee: 'demo' } } }] },
    });
  });

  it('shows on its card what it comes to, however deep', () => {
    const outer = composite(
      [{ name: 'inner', pack_id: 'fares', verb_key: 'pay', args: { amount: '{{amount}}', payee: 'x' } }],
      WRITE,
      'trip',
    );
    const decision = ask(outer, { packs: [ledger, composite([PAY])], args: { amount: 3 } });
    if (decision.decision !== 'ask' || !decision.plan) throw new Error('no ask');
    const card = buildCard(decision.plan, DEFAULT_ACCESS, { sessions: true });
    expect(card.steps?.[0]).toMatchObject({
      pack_id: 'fares',
      steps: [{ pack_id: 'ledger', command: 'transfer', cli: 'ledger transfer 3 --to x --confirm', later: false }],
    });
    expect(card.view.signals.map(({ text }) => text)).toContain('Moves money');
    expect(card.options.map(({ kind }) => kind)).toEqual(['allow_once', 'deny']);
  });

  it.each<[string, Partial<Asked>, string, string]>([
    [
      'is not granted',
      { caller: makeCaller({ authority: { layers: [[{ capability: 'verb.exec.write', pack_id: 'fares' }]] } }) },
      'missing_capability',
      'step pay: denied: missing verb.exec.write for ledger.transfer',
    ],
    [
      'is denied by a rule',
      { rules: [{ match: 'ledger.transfer', decision: 'deny' }] },
      'denied_by_rule',
      'step pay: denied by rule ledger.transfer',
    ],
    ['is of a pack that is not here', { packs: [] }, 'unknown_pack', 'step pay: unknown pack ledger'],
    [
      'gets a value that no command line can carry',
      { args: { amount: '-x', payee: 'p' } },
      'invalid_args',
      'step pay: invalid args: amount',
    ],
  ])('is refused where a step %s', (_what, asked, code, error) => {
    const denial = refusal(ask(composite([PAY]), { args: { amount: 1, payee: 'p' }, ...asked }));
    expect(denial?.code).toBe(code);
    expect(denial?.error).toContain(error);
  });

  it('is refused where its policy says read and a step writes', () => {
    expect(refusal(ask(composite([step('n', 'note', { text: 'x' })], READ)))?.code).toBe('no_policy');
    expect(ask(composite([LOOK], READ)).decision).toBe('allow');
  });

  it('is repeated only where every step may be', () => {
    const one = ask(composite([LOOK], READ));
    expect(one.decision === 'allow' && one.plan.idempotent).toBe(true);
    const two = ask(composite([LOOK, step('again', 'balance', { account: '{{steps.look.id}}' })], READ));
    expect(two.decision === 'allow' && two.plan.idempotent).toBe(false);
  });

  it('takes the words of its caller to its steps, and none of its own', () => {
    expect(ask(composite([PAY]), { args: { amount: 1, payee: 'p', confirm: true } }).decision).toBe('allow');
    expect(ask(composite([step('pay', 'transfer', { amount: 1, payee: 'p', confirm: true })])).decision).toBe('ask');
  });

  it('takes them to no step whose arguments their speaker could not see', () => {
    const words = { amount: 1, payee: 'p', confirm: true, apply: true };
    const later = step('pay', 'transfer', { amount: '{{steps.look.fare}}', payee: 'p' });
    const decision = ask(composite([LOOK, later]), { args: words });
    expect(decision.plan?.steps).toMatchObject([{}, { plan: null }]);
    const base = {
      envelope: { pack_id: 'fares', verb_key: 'pay', args: words, approval: { by: 'human' as const, id: 'x' } },
      caller: makeCaller(),
      facts: { known: true, active: true, pack: ledger },
      project_id: null,
      check: anySchema,
      access: DEFAULT_ACCESS,
      now: NOW,
    };
    const filled = stepRequest(base, 'fares', later, { amount: 3, payee: 'p' }).envelope;
    expect(filled).toEqual({ pack_id: 'ledger', verb_key: 'transfer', args: { amount: 3, payee: 'p' } });
    expect(stepRequest(base, 'fares', PAY, { amount: 1, payee: 'p' }).envelope).toMatchObject({
      args: { confirm: true, apply: true },
      approval: { id: 'x' },
    });
  });

  it('waits with a step for what an earlier one answers, unless something was written by then', () => {
    const later = step('pay', 'transfer', { amount: '{{steps.look.fare}}', payee: 'p' });
    const decision = ask(composite([LOOK, later]));
    expect(decision).toMatchObject({ decision: 'allow', plan: { steps: [{}, { plan: null }] } });
    const written = refusal(ask(composite([step('look', 'note', { text: 'x' }), later])));
    expect(written).toMatchObject({
      code: 'no_policy',
      error: expect.stringContaining('when step look has written') as string,
    });
    // What no argument could change is refused at once.
    const caller = makeCaller({
      authority: { layers: [[{ capability: 'verb.exec.read' }, { capability: 'verb.exec.write', pack_id: 'fares' }]] },
    });
    expect(refusal(ask(composite([LOOK, later]), { caller }))?.code).toBe('missing_capability');
  });

  it('does not go round in circles, nor deep', () => {
    const back = composite([step('back', 'pay', {}, 'trip')]);
    const trip = composite([step('there', 'pay', {}, 'fares')], WRITE, 'trip');
    expect(refusal(ask(trip, { packs: [back] }))?.error).toContain('leads back to trip.pay');
    const chain = ['one', 'two', 'three', 'four'].map((id, at, all) =>
      composite(all[at + 1] ? [step('next', 'pay', {}, all[at + 1])] : [LOOK], WRITE, id),
    );
    const [first] = chain;
    expect(refusal(first ? ask(first, { packs: [ledger, ...chain] }) : ask(trip))?.error).toContain(
      'goes deeper than 3',
    );
  });

  // The property that all of it is for: composing commands never lets run what they themselves would not.
  it('never runs unasked what one of its steps would not run unasked', () => {
    const verbs = ['transfer', 'balance', 'note'] as const;
    const grant = fc.record({
      capability: fc.constantFrom<Grant['capability']>('verb.exec.read', 'verb.exec.write'),
      pack_id: fc.constantFrom('ledger', 'fares', undefined),
    });
    const rule = fc.record({
      match: fc.constantFrom('ledger.transfer', 'ledger.note', 'ledger.*', 'fares.pay', '*'),
      decision: fc.constantFrom<Rule['decision']>('allow', 'ask', 'deny'),
    });
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...verbs), { minLength: 1, maxLength: 4 }),
        fc.array(grant),
        fc.array(rule),
        (names, grants, rules) => {
          const caller = makeCaller({ authority: { layers: [grants] } });
          const args = { transfer: { amount: 1, payee: 'p' }, balance: {}, note: { text: 'x' } };
          const whole = ask(composite(names.map((verb, at) => step(`s${String(at)}`, verb, args[verb]))), {
            caller,
            rules,
          });
          const parts = names.map((verb) => {
            const access = { ...DEFAULT_ACCESS, base: { ...DEFAULT_ACCESS.base, rules: new RuleSet(rules) } };
            const facts = { known: true, active: true, pack: ledger };
            return decide({
              envelope: { pack_id: 'ledger', verb_key: verb, args: args[verb] },
              ...{ caller, facts, project_id: null, check: anySchema, access, now: NOW },
            }).decision;
          });
          if (whole.decision === 'allow') expect(new Set(parts)).toEqual(new Set(['allow']));
          if (parts.includes('deny')) expect(whole.decision).toBe('deny');
        },
      ),
    );
  });
});

it('refuses a call that comes to more steps than are decided, however they are nested', () => {
  const many = (pack_id: string, of: string): Pack =>
    composite(
      Array.from({ length: 20 }, (_, at) => step(`s${at}`, of === 'ledger' ? 'balance' : 'pay', {}, of)),
      READ,
      pack_id,
    );
  let decided = 0;
  const check = (): null => ((decided += 1), null);
  const refused = refusal(ask(many('a', 'b'), { packs: [ledger, many('b', 'c'), many('c', 'ledger')], check }));
  expect(refused?.code).toBe('no_policy');
  expect(refused?.error).toContain('comes after 100 steps');
  expect(decided).toBeLessThan(200);
});

describe('what is put in for placeholders', () => {
  const filling = (args: Record<string, unknown>) =>
    fillSteps(step('b', 'note', args), {}, { a: { text: 'x'.repeat(300_000) } });

  it('is as large as arguments may be, and no larger however often it is named', () => {
    expect(filling({ text: '{{steps.a.text}}{{steps.a.text}}' }).ok).toBe(true);
    const many = Array.from({ length: 100_000 }, () => '{{steps.a.text}}');
    for (const args of [{ text: many.join('') }, { list: many }, { list: many.map(() => '{{steps.a}}') }]) {
      expect(filling(args)).toEqual({
        ok: false,
        placeholder: expect.stringMatching(/^steps/) as string,
        why: 'too_large',
      });
    }
  });

  it('is never looked at again, whatever it looks like', () => {
    const results = { a: JSON.parse('{"__proto__":{"x":1},"text":"{{steps.a.id}} {{amount}}"}') as object };
    const fill = (args: Record<string, unknown>) => fillSteps(step('b', 'note', args), { amount: 5 }, results);
    expect(fill({ text: '{{steps.a.text}}!' })).toEqual({ ok: true, args: { text: '{{steps.a.id}} {{amount}}!' } });
    expect(fill({ text: '{{steps.a.constructor}}' })).toMatchObject({ why: 'missing' });
    expect(fill({ text: '{{steps.a.__proto__.x}}' })).toEqual({ ok: true, args: { text: 1 } });
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe('the check of a composite', () => {
  const told = (pack: Pack) =>
    checkPack(filesOf(pack)).findings.flatMap(({ code, path }) => (code === 'M033' ? [path] : []));
  const at = '/commands/pay/steps';

  it.each<[string, Steps, string]>([
    ['two of one name', [LOOK, LOOK], `${at}/1/name`],
    ['a later result', [step('a', 'balance', { account: '{{steps.look.id}}' }), LOOK], `${at}/0/args`],
    ['an unknown argument', [step('a', 'balance', { account: '{{nope}}' })], `${at}/0/args`],
    ['a word of the caller’s', [step('a', 'transfer', { confirm: true })], `${at}/0/args`],
    ['stray braces', [step('a', 'balance', { account: '{{amount' })], `${at}/0/args`],
    ['itself', [step('a', 'pay', {}, 'fares')], at],
  ])('refuses %s', (_what, steps, path) => {
    expect(told(composite(steps))).toContain(`surface.json#${path}`);
  });

  it('finds what leads back, and is not stalled by ways without number', () => {
    const laddered = (last: Steps): Pack => {
      const pack = composite([]);
      const next = (at: number): Steps => Array.from({ length: 20 }, (_, n) => step(`s${n}`, `c${at}`, {}, 'fares'));
      const names = Array.from({ length: 30 }, (_, at) => `c${at}`);
      const commands = Object.fromEntries(
        names.map((name, at) => [name, { description: 'Goes on.', steps: at === 29 ? last : next(at + 1) }]),
      );
      return { ...pack, surface: { commands }, policy: { commands: Object.fromEntries(names.map((n) => [n, READ])) } };
    };
    expect(told(laddered([LOOK]))).toEqual([]);
    expect(told(laddered([step('back', 'c28', {}, 'fares')]))).toHaveLength(30);
  });

  it('takes good ones, and refuses steps where they do not belong', () => {
    expect(told(composite([LOOK, PAY]))).toEqual([]);
    expect(told(makePack({ commands: { transfer: { ...TRANSFER, steps: [LOOK] } } }))).toEqual([
      'surface.json#/commands/transfer/steps',
    ]);
    const owned = composite([LOOK]);
    expect(told({ ...owned, manifest: { ...owned.manifest, binding: { family: 'user' } } })).toEqual([
      'manifest.json#/binding/family',
    ]);
  });
});
