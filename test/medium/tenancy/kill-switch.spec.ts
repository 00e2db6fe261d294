import { randomUUID } from 'node:crypto';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant, makeService } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packArchive } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import {
  install,
  keyFor,
  operatorOf,
  signedIn,
  startStack,
  tenantWithOwner,
  type Person,
  type Stack,
} from '../../support/stack.js';

/** SPEC T5: the kill switch stops a tenant, a pack or a principal at once, queued and running runs included. */
let stack: Stack;
let operator: Person;
beforeAll(async () => {
  stack = await startStack({ apis: 2, workers: 0 });
  operator = await operatorOf(stack);
}, 120_000);
afterAll(() => stack.stop());

interface Scene {
  readonly tenant_id: string;
  readonly owner: Person;
  /** Who runs the command: an agent that acts for `human`. */
  readonly human: Person;
  readonly agent: string;
  readonly key: string;
}

const BIN = `#!/bin/sh
exec sleep 300
`;

async function scene(): Promise<Scene> {
  const { tenant_id, owner } = await tenantWithOwner(stack);
  const { db } = stack.database;
  const commands = { wait: { description: 'Waits.', cli: ['sleeper', 'wait'] } };
  await install(stack, owner.token, await packArchive({ pack_id: 'sleeper', bin: BIN, commands }));
  const human = await signedIn(stack, tenant_id, 'member');
  const { id: agent } = await makeAgent(db, tenant_id, { acts_for: human.id });
  await makeGrant(db, tenant_id, agent, 'verb.exec.read');
  const { key } = await keyFor(stack, tenant_id, agent);
  return { tenant_id, owner, human, agent, key };
}

const exec = async (token: string): Promise<ResultEnvelope> =>
  (
    await stack.call<ResultEnvelope>('POST', '/v1/exec', {
      token,
      body: { pack_id: 'sleeper', verb_key: 'wait', args: {}, wait_ms: 0 },
    })
  ).body;
async function started(token: string): Promise<string> {
  const { run_id, ...rest } = await exec(token);
  if (run_id === null) throw new Error(JSON.stringify(rest));
  return run_id;
}
const statusOf = async (tenant_id: string, id: string): Promise<{ status: string; code: string | null }> =>
  stack.database.db.tenant(tenant_id, (tx) =>
    tx.run.findUniqueOrThrow({ where: { id }, select: { status: true, code: true } }),
  );
const post = async (path: string, token: string): Promise<void> => {
  const { status, body } = await stack.call('POST', path, { token });
  if (status >= 300) throw new Error(`${path}: ${JSON.stringify(body)}`);
};
const audited = (tenant_id: string, action: string): Promise<number> =>
  stack.database.db.tenant(tenant_id, (tx) => tx.auditEvent.count({ where: { action } }));

type Switch = readonly [
  what: string,
  action: string,
  stop: (at: Scene) => Promise<void>,
  resume: (at: Scene) => Promise<void>,
  /** What the agent's key answers meanwhile. */
  status: number,
];
const SWITCHES: readonly Switch[] = [
  [
    'a tenant',
    'tenant.stop',
    ({ tenant_id }) => post(`/v1/tenants/${tenant_id}/stop`, operator.token),
    ({ tenant_id }) => post(`/v1/tenants/${tenant_id}/resume`, operator.token),
    401,
  ],
  [
    'a pack',
    'pack.stop',
    ({ owner }) => post('/v1/packs/sleeper/stop', owner.token),
    ({ owner }) => post('/v1/packs/sleeper/resume', owner.token),
    200,
  ],
  [
    'an agent',
    'principal.disable',
    ({ owner, agent }) => post(`/v1/members/${agent}/disable`, owner.token),
    ({ owner, agent }) => post(`/v1/members/${agent}/enable`, owner.token),
    401,
  ],
  [
    'the human that an agent acts for',
    'principal.disable',
    ({ owner, human }) => post(`/v1/members/${human.id}/disable`, owner.token),
    ({ owner, human }) => post(`/v1/members/${human.id}/enable`, owner.token),
    401,
  ],
];

/** Nothing works on the queue here. */
describe('queued runs', () => {
  it('never start once the kill switch stopped their tenant, pack or principal', async () => {
    const at = await Promise.all(SWITCHES.map(() => scene()));
    const ids = await Promise.all(at.map(({ key }) => started(key)));
    const scenes = SWITCHES.flatMap((one, index) => (at[index] ? [{ one, scene: at[index] }] : []));
    for (const { one, scene: here } of scenes) await one[2](here);
    await stack.startWorker();
    for (const [index, { one, scene: here }] of scenes.entries()) {
      const [what, action] = one;
      const { tenant_id } = here;
      await eventually(`the run of ${what} has ended`, async () => {
        const { status } = await statusOf(tenant_id, ids[index] ?? '');
        return status !== 'queued';
      });
      const { status, code } = await statusOf(tenant_id, ids[index] ?? '');
      expect([what, status]).toEqual([what, 'failed']);
      expect(['cancelled', 'pack_not_activated']).toContain(code);
      const ran = await stack.database.db.tenant(tenant_id, (tx) => tx.auditEvent.count({ where: { ran: true } }));
      expect(ran).toBe(0);
      expect(await audited(tenant_id, action)).toBe(1);
    }
  });
});

/** One worker is there from here on. */
describe('running runs', () => {
  it.each(SWITCHES)('are stopped with %s, calls refused on every replica, until it goes on', async (...which) => {
    const [what, , stop, resume, refused] = which;
    const at = await scene();
    const id = await started(at.key);
    await eventually(`the run of ${what} runs`, async () => (await statusOf(at.tenant_id, id)).status === 'running');
    await stop(at);
    const [, second = ''] = stack.urls;
    const call = () =>
      fetch(`${second}/v1/exec`, {
        method: 'POST',
        headers: { authorization: `Bearer ${at.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ pack_id: 'sleeper', verb_key: 'wait', args: {}, wait_ms: 0 }),
      });
    const answer = await call();
    expect(answer.status).toBe(refused);
    if (refused === 200) expect(await answer.json()).toMatchObject({ ok: false, code: 'pack_not_activated' });
    await eventually(`the run of ${what} is stopped`, async () => {
      const { status } = await statusOf(at.tenant_id, id);
      return status !== 'running' && status !== 'starting';
    });
    expect(await statusOf(at.tenant_id, id)).toMatchObject({ status: 'cancelled', code: 'cancelled' });
    await resume(at);
    const again = (await (await call()).json()) as ResultEnvelope;
    expect(again).toMatchObject({ code: 'still_running' });
    await post(`/v1/runs/${again.run_id ?? ''}/cancel`, at.key);
  });
});

describe('the kill switch of a pack', () => {
  it('is for who manages the tenant or installs that pack, and only a person turns it off', async () => {
    const { tenant_id, owner, human, agent, key } = await scene();
    const { db } = stack.database;
    const { id: service } = await makeService(db, tenant_id);
    await makeGrant(db, tenant_id, service, 'pack.install', { pack_id: 'sleeper' });
    await makeGrant(db, tenant_id, agent, 'pack.install');
    const by_service = (await keyFor(stack, tenant_id, service)).key;
    const call = (act: string, token: string, pack = 'sleeper') =>
      stack.call('POST', `/v1/packs/${pack}/${act}`, { token });
    expect(await call('stop', human.token)).toMatchObject({ status: 403, body: { code: 'missing_capability' } });
    expect(await call('stop', key)).toMatchObject({ status: 403, body: { code: 'human_only' } });
    expect(await call('stop', by_service, 'other')).toMatchObject({ status: 403 });
    expect(await call('stop', by_service)).toMatchObject({ status: 200, body: { stopped: true, stopped_by: service } });
    expect((await call('stop', owner.token)).body).toMatchObject({ stopped: true, stopped_by: service });
    expect(await audited(tenant_id, 'pack.stop')).toBe(1);
    const seen = () => stack.call<{ items: { pack_id: string }[] }>('GET', '/v1/commands', { token: owner.token });
    expect((await seen()).body.items.map(({ pack_id }) => pack_id)).not.toContain('sleeper');
    // Activating it anew does not get around the switch.
    await stack.call('PUT', '/v1/packs/sleeper/activation', { token: owner.token, body: {} });
    expect(await exec(owner.token)).toMatchObject({ ok: false, code: 'pack_not_activated' });
    expect(await call('resume', by_service)).toMatchObject({ status: 403, body: { code: 'human_only' } });
    expect((await call('resume', owner.token)).body).toMatchObject({ stopped: false, stopped_at: null });
    expect((await seen()).body.items.map(({ pack_id }) => pack_id)).toContain('sleeper');
    expect((await call('stop', owner.token, 'hcp-cli')).status).toBe(409);
    expect((await call('stop', owner.token, `p${randomUUID().slice(0, 8)}`)).status).toBe(404);
  });
});
