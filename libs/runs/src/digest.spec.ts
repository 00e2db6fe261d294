import { createHash } from 'node:crypto';
import { canonicalJson, DEFAULT_ACCESS, decide, type Caller, type Pack, type Plan } from '@hcp/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callDigest, type Bound } from './digest.js';

const KEY = createHash('sha256').update('a key').digest();
const caller: Caller = {
  tenant_id: 't1',
  principal: { id: 'p1', kind: 'human' },
  name: 'Ann',
  acts_for: null,
  is_agent: false,
  settings_epoch: 1n,
  platform: false,
  session: { id: 's', interactive: true, api_key_id: null, project_id: null, packs: null },
  authority: { layers: [[{ capability: 'verb.exec.write' }]], member_of: [] },
};
const pack: Pack = {
  manifest: {
    pack_id: 'ledger',
    name: 'Ledger',
    version: '1.0.0',
    description: 'd',
    kind: 'wrap',
    binding: { family: 'public' },
    wrap: { bin: 'bin/ledger' },
  },
  surface: { commands: { transfer: { description: 'd', cli: ['ledger', 'transfer'] } } },
  policy: { commands: { transfer: { operation: 'write', confirm: true, privacy: { land: 'public' } } } },
  skill: null,
  digest: 'sha256:00',
};
const bound: Bound = { binding: 'user:b1@1', account: null, workspace: null, files: {}, steps: [] };

function planOf(args: Record<string, unknown> = {}): Plan {
  const decision = decide({
    envelope: { pack_id: 'ledger', verb_key: 'transfer', args },
    caller,
    facts: { known: true, active: true, pack },
    project_id: null,
    check: () => null,
    access: DEFAULT_ACCESS,
    now: new Date(0),
  });
  if (!decision.plan) throw new Error('no plan');
  return decision.plan;
}
const base = planOf();
const digest = (plan: Plan = base, who: Caller = caller, what: Bound = bound, key = KEY) =>
  callDigest(key, who, plan, what);

describe('the digest of a call (SPEC V1)', () => {
  const { manifest } = pack;
  it.each<[string, () => string]>([
    ['tenant', () => digest(base, { ...caller, tenant_id: 't2' })],
    ['step', () => digest(base, caller, { ...bound, steps: ['hmac-sha256:00'] })],
    ['project', () => digest({ ...base, project_id: 'x' })],
    ['principal', () => digest(base, { ...caller, principal: { id: 'p2', kind: 'human' } })],
    ['kind of principal', () => digest(base, { ...caller, principal: { id: 'p1', kind: 'service' } })],
    ['agent with the token', () => digest(base, { ...caller, is_agent: true })],
    ['acts_for', () => digest(base, { ...caller, acts_for: 'p2' })],
    ['pack', () => digest({ ...base, pack: { ...pack, manifest: { ...manifest, pack_id: 'notes' } } })],
    ['version', () => digest({ ...base, pack: { ...pack, manifest: { ...manifest, version: '1.0.1' } } })],
    ['pack digest', () => digest({ ...base, pack: { ...pack, digest: 'sha256:01' } })],
    ['image', () => digest({ ...base, pack: { ...pack, manifest: { ...manifest, wrap: { bin: 'b', image: 'i' } } } })],
    ['command', () => digest({ ...base, verb_key: 'refund' })],
    ['an argument', () => digest({ ...base, args: { amount: '2.80' } })],
    ['one byte of it', () => digest({ ...base, args: { amount: '2.81' } })],
    ['its type', () => digest({ ...base, args: { amount: 2.8 } })],
    ['mode', () => digest({ ...base, control: { confirm: false, mode: 'mock' } })],
    ['access mode', () => digest({ ...base, mode: 'manual' })],
    ['binding', () => digest(base, caller, { ...bound, binding: 'user:b2@1' })],
    ['binding version', () => digest(base, caller, { ...bound, binding: 'user:b1@2' })],
    ['account', () => digest(base, caller, { ...bound, account: 'someone' })],
    ['workspace', () => digest(base, caller, { ...bound, workspace: 'project/x' })],
    ['workspace mode', () => digest({ ...base, workspace_mode: 'ephemeral' })],
    ['a file', () => digest(base, caller, { ...bound, files: { 'a.txt': 'sha256:1' } })],
    ['a file’s content', () => digest(base, caller, { ...bound, files: { 'a.txt': 'sha256:2' } })],
    ['key', () => digest(base, caller, bound, Buffer.alloc(32))],
  ])('is another one for another %s', (_, other) => {
    expect(other()).toMatch(/^hmac-sha256:[0-9a-f]{64}$/);
    expect(other()).not.toBe(digest());
  });

  it('is one for one set of arguments, in any order, and no other', () => {
    const values = fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(fc.string(), fc.integer(), fc.boolean()));
    fc.assert(
      fc.property(values, values, (one, other) => {
        const reversed = Object.fromEntries(Object.entries(one).reverse());
        expect(digest({ ...base, args: reversed })).toBe(digest({ ...base, args: one }));
        const same = JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
        expect(digest({ ...base, args: one }) === digest({ ...base, args: other })).toBe(same);
      }),
    );
  });

  it('is one for one call, and another wherever any one of the things that it is bound to differs', () => {
    const id = fc.constantFrom('a', 'b', 'ab', '');
    const maybe = fc.option(id);
    const calls = fc.record({
      tenant_id: id,
      project_id: maybe,
      principal_id: id,
      acts_for: maybe,
      pack_id: id,
      version: id,
      pack_digest: id,
      image: maybe,
      verb_key: id,
      args: fc.dictionary(id, fc.oneof(id, fc.integer({ min: 0, max: 2 }), fc.constant(null)), { maxKeys: 2 }),
      mode: maybe,
      access_mode: id,
      binding: id,
      account: maybe,
      workspace_mode: fc.constantFrom('pack' as const, 'workspace' as const),
      workspace: maybe,
      files: fc.dictionary(id, id, { maxKeys: 2 }),
      steps: fc.array(id, { maxLength: 2 }),
    });
    const of = (call: typeof calls extends fc.Arbitrary<infer T> ? T : never): string => {
      const { image, pack_id, version } = call;
      const plan: Plan = {
        ...base,
        project_id: call.project_id,
        verb_key: call.verb_key,
        args: call.args,
        mode: call.access_mode,
        workspace_mode: call.workspace_mode,
        control: { confirm: false, ...(call.mode !== null && { mode: call.mode }) },
        pack: {
          ...pack,
          digest: call.pack_digest,
          manifest: { ...manifest, pack_id, version, wrap: { bin: 'b', ...(image !== null && { image }) } },
        },
      };
      const who: Caller = { ...caller, tenant_id: call.tenant_id, acts_for: call.acts_for };
      const { binding, account, workspace, files, steps } = call;
      return digest(
        plan,
        { ...who, principal: { id: call.principal_id, kind: 'human' } },
        { binding, account, workspace, files, steps },
      );
    };
    const field = fc.constantFrom(...(Object.keys(fc.sample(calls, 1)[0] ?? {}) as never[]));
    fc.assert(
      fc.property(calls, calls, field, (one, other, name) => {
        const changed = { ...one, [name]: other[name] };
        expect(of(one) === of({ ...one, args: { ...one.args }, files: { ...one.files } })).toBe(true);
        expect(of(one) === of(changed)).toBe(canonicalJson(one[name]) === canonicalJson(other[name]));
        expect(of(one) === of(other)).toBe(canonicalJson(one) === canonicalJson(other));
      }),
      { numRuns: 500 },
    );
  });

  it('leaves the other control words out', () => {
    expect(digest(planOf({ confirm: true }))).toBe(digest(planOf({ apply: false })));
  });
});
