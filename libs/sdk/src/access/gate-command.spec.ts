import {
  decide,
  DEFAULT_ACCESS,
  layerOf,
  MODES,
  type Caller,
  type Grant,
  type PolicyRow,
  type PrincipalKind,
  type Rule,
  type Settings,
} from '@hcp/core';
import { schemaCheck } from '@hcp/schemas';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeTransferPack } from '../../spec/packs.js';
import { gateCommand, Hcp, HcpError, type HostPack, type Runtime } from '../browser.js';

const anyRule: fc.Arbitrary<Rule> = fc.record(
  {
    match: fc.constantFrom('*', 'ledger.*', 'ledger.transfer', 'ledger.balance', 'other.*'),
    decision: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
    op: fc.constantFrom('read' as const, 'write' as const),
  },
  { requiredKeys: ['match', 'decision'] },
);
const fares: Rule = { match: 'ledger.transfer', decision: 'allow', when: { max: { amount: 5 } } };

const anyCase = fc.record({
  settings: fc.record(
    {
      mode: fc.constantFrom(...MODES),
      packs: fc.constantFrom<NonNullable<Settings['packs']>>(
        {},
        { ledger: { mode: 'manual' as const } },
        { ledger: { mode: 'run' as const } },
      ),
      approvals: fc.constantFrom('human' as const, 'agent' as const),
      rules: fc.array(fc.oneof(anyRule, fc.constant(fares)), { maxLength: 4 }),
    },
    { requiredKeys: [] },
  ),
  confirm: fc.constantFrom<PolicyRow['confirm']>(true, false, 'always'),
  principal: fc.record({
    id: fc.constant('p'),
    kind: fc.constantFrom<PrincipalKind>('human', 'agent', 'service'),
    interactive: fc.boolean(),
  }),
  grants: fc.subarray<Grant>([
    { capability: 'verb.exec.read' },
    { capability: 'verb.exec.write', pack_id: 'ledger', verb_keys: ['transfer'] },
  ]),
  verb_key: fc.constantFrom('transfer', 'note', 'balance', 'nothing'),
  args: fc.record(
    {
      amount: fc.constantFrom<unknown>('2.80', 7, '1e3', null),
      payee: fc.constantFrom('demo-transit', 'x\u0000'),
      confirm: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
});

function packWith(confirm: PolicyRow['confirm']): HostPack {
  const pack = makeTransferPack();
  const { transfer, ...rows } = pack.policy.commands;
  return transfer ? { ...pack, policy: { commands: { ...rows, transfer: { ...transfer, confirm } } } } : pack;
}

/** As the hosted pipeline builds them, without anything of the SDK. */
function hosted({
  settings,
  confirm,
  principal,
  grants,
  verb_key,
  args,
}: typeof anyCase extends fc.Arbitrary<infer T> ? T : never) {
  const caller: Caller = {
    tenant_id: 't',
    principal: { id: principal.id, kind: principal.kind },
    name: 'P',
    acts_for: null,
    session: {
      id: 's',
      interactive: principal.kind === 'human' && principal.interactive,
      api_key_id: principal.kind === 'human' ? null : 'k',
      project_id: null,
      packs: null,
    },
    is_agent: principal.kind === 'agent',
    authority: { layers: [grants], member_of: [] },
    settings_epoch: 1n,
    platform: false,
  };
  return decide({
    envelope: { pack_id: 'ledger', verb_key, args },
    caller,
    facts: { known: true, active: true, pack: { ...packWith(confirm), skill: null, digest: 'sha256:0' } },
    project_id: null,
    check: schemaCheck,
    access: { ...DEFAULT_ACCESS, base: layerOf(settings) },
    now: new Date(),
  });
}

describe('for all settings, principals and calls', () => {
  it('gateCommand decides as the hosted pipeline does', () => {
    fc.assert(
      fc.property(anyCase, (each) => {
        const { settings: access, confirm, ...rest } = each;
        const want = hosted(each);
        const got = gateCommand({ ...rest, pack: packWith(confirm), access });
        expect(got.decision).toBe(want.decision);
        if (want.decision === 'allow')
          expect(got).toMatchObject({ approved_by: want.plan.approved_by, mode: want.plan.mode });
        else
          expect(got).toMatchObject({
            ...want.denial,
            ...(want.access && { access: want.access, preview: want.preview }),
          });
      }),
      { numRuns: 2000 },
    );
  });

  it('withAccess does, and asks with the same request', async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async (each) => {
        const { settings: access, confirm, verb_key, args, ...who } = each;
        const pack = packWith(confirm);
        const runtime: Runtime = {
          name: 'mine',
          packs: () => [pack],
          exec: async ({ pack_id }) =>
            Promise.resolve({ ok: true, pack_id, verb_key, result: null, run_id: null, duration_ms: 0 }),
        };
        const hcp = await Hcp.create({ runtime, access, ...who });
        const answer = await hcp.exec('ledger', verb_key, args);
        const gate = gateCommand({ pack, verb_key, args, access, ...who });
        expect(answer.ok).toBe(gate.decision === 'allow');
        if (gate.decision === 'allow') return;
        expect(answer).toMatchObject({ code: gate.code, error: gate.error, hint: gate.hint });
        expect(answer.approval).toEqual(gate.decision === 'ask' ? gate.approval : undefined);
      }),
      { numRuns: 300 },
    );
  });
});

describe('gateCommand', () => {
  const pack = makeTransferPack();

  it('takes the host’s statement for exactly this call', () => {
    const args = { amount: '2.80', payee: 'demo-transit' };
    const access = { mode: 'auto', approvals: 'human' } as const;
    expect(gateCommand({ pack, verb_key: 'transfer', args, access }).decision).toBe('ask');
    const approval = { by: 'human', id: 'ui-1' } as const;
    expect(gateCommand({ pack, verb_key: 'transfer', args, access, approval })).toMatchObject({
      decision: 'allow',
      approved_by: 'human',
      args,
    });
  });

  it('refuses settings that are malformed, by field', () => {
    const access = { rules: [{ match: 'ledger.transfer', decision: 'yes' }] } as never;
    expect(() => gateCommand({ pack, verb_key: 'transfer', access })).toThrow(HcpError);
    expect(() => gateCommand({ pack, verb_key: 'transfer', access })).toThrow(/^access\.rules\.0\.decision: /);
  });
});
