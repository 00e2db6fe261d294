import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agent, call, layerOf, layersOf, service } from '../../spec/access.js';
import { everything, makeCaller } from '../../spec/fixtures.js';
import { MODES, type Rule } from '../index.js';

const anyRule: fc.Arbitrary<Rule> = fc.record(
  {
    match: fc.constantFrom('*', 'ledger.*', 'notes.*', 'ledger.transfer', 'ledger.balance'),
    decision: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
    op: fc.constantFrom('read' as const, 'write' as const),
    when: fc.oneof(
      fc.record({ max: fc.record({ amount: fc.integer({ min: 0, max: 10 }) }) }),
      fc.record({ args: fc.record({ payee: fc.constantFrom('demo-transit', 'demo-landlord') }) }),
    ),
  },
  { requiredKeys: ['match', 'decision'] },
);
const anyMode = fc.option(fc.constantFrom(...MODES));
const anyLayer = fc
  .record({
    rules: fc.array(anyRule, { maxLength: 4 }),
    mode: anyMode,
    pack: anyMode,
    approvals: fc.option(fc.constantFrom('human' as const, 'agent' as const)),
  })
  .map(({ rules, mode, pack, approvals }) => ({
    rules,
    layer: layerOf(rules, { mode, pack_modes: pack === null ? {} : { ledger: pack }, approvals }),
  }));
const anyCall = fc.record({
  confirm: fc.constantFrom(true, false, 'always' as const),
  operation: fc.constantFrom('read' as const, 'write' as const),
  caller: fc.constantFrom(makeCaller(), agent, service),
  args: fc.record(
    {
      amount: fc.constantFrom('1', '7', '1e3', ['1']),
      payee: fc.constantFrom('demo-transit', 'x'),
      confirm: fc.constant(true),
    },
    { requiredKeys: [] },
  ),
});
const RANK = { allow: 0, ask: 1, deny: 2 };

describe('for all settings and calls', () => {
  it('one more deny never lets more run', () => {
    fc.assert(
      fc.property(
        anyLayer,
        fc.option(anyLayer),
        anyRule,
        anyCall,
        fc.boolean(),
        (tenant, project, more, about, in_project) => {
          const denial: Rule = { ...more, decision: 'deny' };
          const before = layersOf({ base: tenant.layer, project: project?.layer ?? null });
          const stricter = (one: typeof tenant) =>
            layerOf([...one.rules, denial], { ...one.layer, rules: layerOf([...one.rules, denial]).rules });
          const after =
            in_project && project ? { ...before, project: stricter(project) } : { ...before, base: stricter(tenant) };
          expect(RANK[call({ ...about, layers: after }).decision]).toBeGreaterThanOrEqual(
            RANK[call({ ...about, layers: before }).decision],
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('one more layer below the tenant never lets more run', () => {
    fc.assert(
      fc.property(
        anyLayer,
        anyLayer,
        anyCall,
        fc.constantFrom('project' as const, 'platform' as const),
        (tenant, more, about, where) => {
          const before = layersOf({ base: tenant.layer });
          expect(RANK[call({ ...about, layers: { ...before, [where]: more.layer } }).decision]).toBeGreaterThanOrEqual(
            RANK[call({ ...about, layers: before }).decision],
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('a process without leave of a person never lets more run', () => {
    fc.assert(
      fc.property(anyLayer, anyMode, anyCall, (tenant, process_mode, about) => {
        const before = layersOf({ base: tenant.layer });
        expect(RANK[call({ ...about, layers: { ...before, process_mode } }).decision]).toBeGreaterThanOrEqual(
          RANK[call({ ...about, layers: before }).decision],
        );
      }),
    );
  });

  it('confirm "always" runs without a question only by an allow that names the command', () => {
    fc.assert(
      fc.property(anyLayer, anyLayer, anyCall, anyMode, (tenant, project, about, own_mode) => {
        const layers = layersOf({
          base: tenant.layer,
          project: project.layer,
          own_mode,
          max_mode: 'run',
          process_mode: 'run',
        });
        const decision = call({ ...about, args: { ...about.args, confirm: false }, confirm: 'always', layers });
        if (decision.decision !== 'allow') return;
        expect(decision.plan.approved_by).toBe('rule');
        expect(decision.plan.judged.ruling?.rule).toMatchObject({ match: 'ledger.transfer', decision: 'allow' });
        expect(tenant.rules).toContainEqual(decision.plan.judged.ruling?.rule);
      }),
      { numRuns: 1000 },
    );
  });

  it('nothing that is set gives a right', () => {
    fc.assert(
      fc.property(anyLayer, anyCall, (tenant, about) => {
        const caller = makeCaller({ authority: { layers: [everything, []] } });
        expect(call({ ...about, caller, layers: layersOf({ base: tenant.layer }) })).toMatchObject({
          decision: 'deny',
          denial: { code: 'missing_capability' },
        });
      }),
    );
  });
});
