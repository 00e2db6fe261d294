import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conditionsHold } from './conditions.js';
import type { Rule } from './rule.js';
import { parseMatch, ruleSchema } from './rule.js';
import { RuleSet, type RuleCall } from './rule-set.js';

const call = (args: RuleCall['args'] = {}, more: Partial<RuleCall> = {}): RuleCall => ({
  pack_id: 'ledger',
  verb_key: 'transfer',
  operation: 'write',
  confirm: true,
  args,
  ...more,
});
const judge = (rules: Rule[], about: RuleCall) => new RuleSet(rules).judge(about)?.decision ?? null;

describe('the most specific rule', () => {
  const rule = (match: string, decision: Rule['decision'], more: Partial<Rule> = {}): Rule => ({
    match,
    decision,
    ...more,
  });

  it.each<[string, Rule[], string | null]>([
    ['none', [], null],
    ['another command’s', [rule('ledger.balance', 'allow')], null],
    [
      'exact before pack before all',
      [rule('*', 'ask'), rule('ledger.*', 'ask'), rule('ledger.transfer', 'allow')],
      'allow',
    ],
    ['pack before all', [rule('*', 'allow'), rule('ledger.*', 'ask')], 'ask'],
    [
      'with conditions before without',
      [rule('ledger.transfer', 'ask'), rule('ledger.transfer', 'allow', { op: 'write' })],
      'allow',
    ],
    ['ask wins a tie', [rule('ledger.*', 'allow'), rule('ledger.*', 'ask')], 'ask'],
    ['a deny anywhere wins', [rule('*', 'deny', { op: 'write' }), rule('ledger.transfer', 'allow')], 'deny'],
    ['a deny of another operation does not', [rule('*', 'deny', { op: 'read' })], null],
  ])('%s', (_name, rules, wanted) => {
    expect(judge(rules, call())).toBe(wanted);
    expect(judge([...rules].reverse(), call())).toBe(wanted);
  });

  it('lets a command that always asks run only where an allow names it exactly', () => {
    const always = call({}, { confirm: 'always' });
    expect(judge([rule('*', 'allow'), rule('ledger.*', 'allow')], always)).toBeNull();
    expect(judge([rule('ledger.transfer', 'allow')], always)).toBe('allow');
    expect(judge([rule('ledger.transfer', 'allow'), rule('*', 'deny')], always)).toBe('deny');
  });
});

describe('conditions', () => {
  const fares: Rule = {
    match: 'ledger.transfer',
    decision: 'allow',
    when: { args: { payee: 'demo-transit' }, max: { amount: 5 } },
  };

  it.each<[RuleCall['args'], boolean]>([
    [{ payee: 'demo-transit', amount: '2.80' }, true],
    [{ payee: 'demo-transit', amount: 5 }, true],
    [{ payee: 'demo-transit', amount: '5.000' }, true],
    [{ payee: 'demo-transit', amount: '5.01' }, false],
    [{ payee: 'demo-transit', amount: '-1' }, false],
    [{ payee: 'demo-landlord', amount: '1' }, false],
    [{ amount: '1' }, false],
    [{ payee: 'demo-transit' }, false],
    [{ payee: ['demo-transit'], amount: '1' }, false],
    ...['1e0', '0x1', ' 1', '1 ', '1 EUR', '', '+1', 'NaN', '１'].map((amount): [RuleCall['args'], boolean] => [
      { payee: 'demo-transit', amount },
      false,
    ]),
  ])('an allow rule with %j: %s', (args, holds) => {
    expect(conditionsHold(fares, args)).toBe(holds);
  });

  it.each(['deny', 'ask'] as const)(
    'a limit of a %s rule catches what is no number, and not what is missing',
    (decision) => {
      const rule: Rule = { match: '*', decision, when: { min: { amount: 100 } } };
      expect(conditionsHold(rule, { amount: '1e9' })).toBe(true);
      expect(conditionsHold(rule, { amount: [1] })).toBe(true);
      expect(conditionsHold(rule, { amount: '99.99' })).toBe(false);
      expect(conditionsHold(rule, {})).toBe(false);
    },
  );

  it('compares beyond what a double holds', () => {
    const rule: Rule = { match: '*', decision: 'allow', when: { max: { amount: 9007199254740992 } } };
    expect(conditionsHold(rule, { amount: '9007199254740992' })).toBe(true);
    expect(conditionsHold(rule, { amount: '9007199254740993' })).toBe(false);
    expect(conditionsHold(rule, { amount: '9007199254740992.0000000000000000001' })).toBe(false);
  });

  it('does not take inherited names for arguments', () => {
    const rule: Rule = { match: '*', decision: 'allow', when: { args: { constructor: 'x' } } };
    expect(conditionsHold(rule, {})).toBe(false);
  });
});

describe('a rule as written', () => {
  it.each([
    { match: 'ledger', decision: 'allow' },
    { match: 'Ledger.x', decision: 'allow' },
    { match: '*.*', decision: 'allow' },
    { match: 'ledger.tr*', decision: 'allow' },
    { match: '*', decision: 'maybe' },
    { match: '*', decision: 'allow', when: {} },
    { match: '*', decision: 'allow', when: { max: { amount: 1e21 } } },
    { match: '*', decision: 'allow', when: { max: { amount: '5' } } },
    { match: '*', decision: 'allow', op: 'delete' },
    { match: '*', decision: 'allow', extra: 1 },
  ])('%j is refused', (rule) => {
    expect(ruleSchema.safeParse(rule).success).toBe(false);
  });

  it('parts pack and command at the first dot', () => {
    expect(parseMatch('mail.mail.send')).toEqual({ kind: 'command', pack_id: 'mail', verb_key: 'mail.send' });
  });
});

const anyRule: fc.Arbitrary<Rule> = fc.record(
  {
    match: fc.constantFrom('*', 'ledger.*', 'notes.*', 'ledger.transfer', 'ledger.balance'),
    decision: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
    op: fc.constantFrom('read' as const, 'write' as const),
    when: fc.record({ max: fc.record({ amount: fc.integer({ min: 0, max: 10 }) }) }),
  },
  { requiredKeys: ['match', 'decision'] },
);
const anyCall = fc.record({ amount: fc.oneof(fc.integer({ min: -5, max: 15 }).map(String), fc.constant('x')) });

describe('any set of rules', () => {
  const strictness = { allow: 0, ask: 2, deny: 3, none: 1 };

  it('lets no more run with one more deny', () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyRule, anyCall, (rules, one, args) => {
        const before = judge(rules, call(args)) ?? 'none';
        const after = judge([...rules, { ...one, decision: 'deny' }], call(args)) ?? 'none';
        expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before]);
      }),
    );
  });

  it('answers the same in any order', () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyCall, fc.nat(), (rules, args, seed) => {
        const shuffled = [...rules].sort(
          (a, b) => ((JSON.stringify(a).length * seed) % 7) - ((JSON.stringify(b).length * seed) % 7),
        );
        expect(judge(shuffled, call(args))).toBe(judge(rules, call(args)));
      }),
    );
  });

  it('answers what a plain scan answers', () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyCall, fc.constantFrom(true, 'always' as const), (rules, args, confirm) => {
        const about = call(args, { confirm });
        const fits = (rule: Rule) =>
          ['*', 'ledger.*', 'ledger.transfer'].includes(rule.match) &&
          (rule.op === undefined || rule.op === 'write') &&
          conditionsHold(rule, args) &&
          !(confirm === 'always' && rule.decision === 'allow' && rule.match !== 'ledger.transfer');
        const weight = (rule: Rule) =>
          (rule.match === '*' ? 0 : rule.match === 'ledger.*' ? 10 : 20) +
          (rule.when || rule.op ? 4 : 0) +
          (rule.decision === 'ask' ? 1 : 0);
        const fitting = rules.filter(fits);
        const [best] = fitting.filter(({ decision }) => decision !== 'deny').sort((a, b) => weight(b) - weight(a));
        const wanted = fitting.some(({ decision }) => decision === 'deny') ? 'deny' : (best?.decision ?? null);
        expect(judge(rules, about)).toBe(wanted);
      }),
    );
  });
});
