import { fileURLToPath } from 'node:url';
import type { AccessTest } from '@hcp/contracts';
import { permissiveGrants, type Grant, type Rule, type Settings } from '@hcp/core';
import { gateCommand, local, type HostPrincipal } from '@hcp/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Api } from '../api/auth-harness.js';
import { World, type Who } from './world.js';

/** The SDK and the real API say the same of the same call under the same settings (SPEC I4). */

const PACKS = fileURLToPath(new URL('../../../examples/packs', import.meta.url));
const FARE = { amount: '2.80', payee: 'demo-transit' };

const fares: Rule = {
  match: 'ledger.transfer',
  decision: 'allow',
  when: { args: { payee: 'demo-transit' }, max: { amount: 5 } },
};
const SETTINGS: Settings[] = [
  {},
  { mode: 'manual', rules: [fares] },
  { mode: 'run', approvals: 'agent', rules: [{ match: 'transit.*', decision: 'ask' }] },
  { approvals: 'agent', rules: [{ match: '*', decision: 'deny', op: 'write' }] },
  { approvals: 'agent', packs: { transit: { mode: 'run' } } },
];
const CALLS: [string, string, Record<string, unknown>][] = [
  ['ledger', 'transfer', FARE],
  ['ledger', 'transfer', { ...FARE, confirm: true }],
  ['ledger', 'transfer', { ...FARE, amount: '5.01' }],
  ['ledger', 'transfer', { amount: 'much' }],
  ['ledger', 'balance', {}],
  ['transit', 'plan', { from: 'A', to: 'B' }],
  ['transit', 'book', { option: 'opt-1', from: 'A', to: 'B' }],
  ['transit', 'book', { option: 'opt-1', from: 'A', to: 'B', confirm: true }],
  ['transit', 'nothing', {}],
];
const EXEC: readonly Grant[] = [{ capability: 'verb.exec.read' }, { capability: 'verb.exec.write' }];

let api: Api;
beforeAll(async () => {
  api = await Api.start(1);
}, 120_000);
afterAll(() => api.stop());

async function set(world: World, { mode, packs, approvals, rules }: Settings): Promise<void> {
  if (mode) await world.mode(mode);
  for (const [pack_id, own] of Object.entries(packs ?? {})) await world.mode(own.mode ?? null, { pack_id });
  if (approvals) await world.settings({ approvals });
  for (const rule of rules ?? []) await world.rule(rule);
}

it.each(SETTINGS.map((settings) => [JSON.stringify(settings), settings] as const))('under %s', async (_, settings) => {
  const world = await World.make(api);
  await set(world, settings);
  const packs = await local({ packs_dir: PACKS, env: {} }).packs();
  const callers: [Who, HostPrincipal, readonly Grant[]][] = [
    [world.owner, { id: world.owner.id, kind: 'human', interactive: true }, permissiveGrants()],
    [world.agent, { id: world.agent.id, kind: 'agent' }, EXEC],
    [world.service, { id: world.service.id, kind: 'service' }, EXEC],
  ];
  for (const [who, principal, grants] of callers) {
    for (const [pack_id, verb_key, args] of CALLS) {
      const about = `${principal.kind} ${pack_id}.${verb_key} ${JSON.stringify(args)}`;
      const { status, body } = await world.call<AccessTest & Record<string, unknown>>(who, 'POST', '/access/test', {
        ...{ pack_id, verb_key, args },
      });
      expect(status, about).toBe(200);
      const pack = packs.find(({ manifest }) => manifest.pack_id === pack_id);
      if (!pack) throw new Error(`no pack ${pack_id}`);
      const gate = gateCommand({ pack, verb_key, args, access: settings, principal, grants });
      expect(gate.decision, about).toBe(body.decision);
      if (gate.decision === 'allow') {
        expect([gate.approved_by, gate.mode], about).toEqual([body.approved_by, body.mode]);
        continue;
      }
      expect([gate.code, gate.error, gate.hint], about).toEqual([body.code, body.error, body.hint]);
      if (gate.decision === 'ask') expect([gate.access, gate.preview], about).toEqual([body.access, body.preview]);
    }
  }
});
