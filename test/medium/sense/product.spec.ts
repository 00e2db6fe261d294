import { randomUUID } from 'node:crypto';
import type { ResultEnvelope } from '@hcp/core';
import { sweepBindings } from '@hcp/bindings';
import { remote } from '@hcp/sdk';
import { credentialEvents } from '@hcp/sense';
import { makeAgent, makeGrant } from '@hcp/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Follower } from '../../support/follower.js';
import { packArchive } from '../../support/packs.js';
import {
  install,
  keyFor,
  signedIn,
  startStack,
  tenantWithOwner,
  type Person,
  type Stack,
} from '../../support/stack.js';
import { list, waitFor } from './world.js';

/** What the product itself tells of: requests that wait, packs that cannot run (SPEC N1; CASES 23). */

let stack: Stack;
let tenant_id: string;
let owner: Person;
const open: Follower[] = [];

beforeAll(async () => {
  // A worker that runs no pack that somebody uploaded.
  stack = await startStack({ worker_env: { HCP_ALLOW_UPLOADED_PACKS: 'none' } });
}, 120_000);
afterAll(() => stack.stop());
afterEach(() => {
  for (const follower of open.splice(0)) follower.leave();
});
beforeEach(async () => {
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  const args = { type: 'object', properties: { value: { type: 'string' } } } as const;
  const write = { operation: 'write', confirm: true } as const;
  await install(
    stack,
    owner.token,
    await packArchive({
      pack_id: 'trial',
      bin: '#!/bin/sh\necho 1\n',
      commands: {
        read: { description: 'Reads.', cli: ['trial', 'read'] },
        write: { description: 'Writes.', args, cli: ['trial', 'write', '{{value}}'], policy: write },
      },
    }),
  );
});

const in_an_hour = (): string => new Date(Date.now() + 3600_000).toISOString();

async function follow(token: string): Promise<Follower> {
  const follower = await Follower.open(`${stack.urls[0]}/v1/events`, token);
  open.push(follower);
  await follower.hears('ready', (heard) => heard.length > 0);
  return follower;
}
const exec = async (token: string, verb_key: string, args: object = {}): Promise<ResultEnvelope> =>
  (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token, body: { pack_id: 'trial', verb_key, args } })).body;

it("a person's own credential that ran out or was revoked is told of to that person alone, until it is mended", async () => {
  const binding = { family: 'user', env: { TOKEN: '{{token}}' } } as const;
  const commands = { read: { description: 'Reads.', cli: ['mail', 'read'] } };
  await install(stack, owner.token, await packArchive({ pack_id: 'mail', bin: '#!/bin/sh\n', binding, commands }));
  const member = await signedIn(stack, tenant_id, 'member');
  const canary = `canary-${randomUUID()}`;
  const fields = { token: canary };
  const made = await stack.call('POST', '/v1/bindings', {
    token: member.token,
    body: { pack_id: 'mail', family: 'user', kind: 'secret', fields, expires_at: in_an_hour() },
  });
  const id = String(made.body.id);
  const follower = await follow(member.token);
  const past = { expires_at: new Date(Date.now() - 1000) };
  await stack.database.db.tenant(tenant_id, (tx) => tx.binding.updateMany({ where: { id }, data: past }));
  // Beside the workers, who look each minute.
  await Promise.all([1, 2].map(() => sweepBindings(stack.database.db, credentialEvents)));
  expect(await list(stack, member.token)).toMatchObject([
    { kind: 'credential_stale', severity: 'error', subject: `binding:${id}`, principal_id: member.id, count: 1 },
  ]);
  expect(await list(stack, owner.token)).toEqual([]);
  await follower.hears('the event', (heard) => heard.some(({ type }) => type === 'sense.changed'));
  const path = `/v1/bindings/${id}`;
  const rotated = await stack.call('POST', `${path}/rotate`, { token: member.token, body: { fields } });
  expect(rotated.status).toBe(200);
  expect(await list(stack, member.token)).toEqual([]);
  await stack.call('DELETE', path, { token: member.token });
  expect((await list(stack, member.token)).map(({ kind }) => kind)).toEqual(['credential_stale']);
  await stack.call('DELETE', `${path}?forget=1`, { token: member.token });
  expect(await list(stack, member.token)).toEqual([]);
  expect(JSON.stringify(await list(stack, member.token, '?open=0')) + follower.text).not.toContain(canary);
});

it('a request that waits is seen by who asked and who may decide, until it is decided; never what was asked', async () => {
  const agent = await makeAgent(stack.database.db, tenant_id, { acts_for: owner.id });
  await makeGrant(stack.database.db, tenant_id, agent.id, 'verb.exec.write');
  const { key } = await keyFor(stack, tenant_id, agent.id);
  const member = await signedIn(stack, tenant_id, 'member');
  const [mine, theirs] = [await follow(owner.token), await follow(member.token)];
  const canary = `canary-${randomUUID()}`;
  const { approval_id } = await exec(key, 'write', { value: canary });
  for (const token of [owner.token, key]) {
    expect(await list(stack, token)).toMatchObject([
      {
        kind: 'approval_waiting',
        severity: 'info',
        subject: `approval:${String(approval_id)}`,
        principal_id: agent.id,
      },
    ]);
  }
  expect(await list(stack, member.token)).toEqual([]);
  await mine.hears('the event', (heard) => heard.some(({ type }) => type === 'sense.changed'));
  const path = `/v1/approvals/${String(approval_id)}/reject`;
  expect((await stack.call('POST', path, { token: owner.token, body: {} })).status).toBe(200);
  await mine.hears('its end', (heard) => heard.some(({ data }) => data.state === 'cleared'));
  expect(await list(stack, owner.token)).toEqual([]);
  expect(mine.text + JSON.stringify(await list(stack, owner.token, '?open=0'))).not.toContain(canary);
  expect(theirs.heard.filter(({ type }) => type === 'sense.changed')).toEqual([]);
});

it('a pack whose commands cannot be started is told of once, until one was or it is activated anew', async () => {
  const api = remote({ url: stack.urls[0], token: owner.token }).api;
  expect(await exec(owner.token, 'read')).toMatchObject({ ok: false, code: 'sandbox_unavailable' });
  await exec(owner.token, 'read');
  const [event] = await waitFor(stack, owner.token, 'the event', (all) => all[0]?.count === 2);
  expect(event).toMatchObject({
    kind: 'pack_unavailable',
    severity: 'error',
    subject: 'pack:trial',
    principal_id: null,
  });
  expect((await api.sense.list({ kind: 'pack_unavailable', severity: 'error' })).items).toHaveLength(1);
  expect((await api.sense.list({ severity: 'info' })).items).toEqual([]);
  expect((await api.sense.list({ pack_id: 'notes' })).items).toEqual([]);
  await stack.startWorker({ HCP_ALLOW_UPLOADED_PACKS: 'bubblewrap' });
  await stack.workers[0]?.stop();
  expect(await exec(owner.token, 'read')).toMatchObject({ ok: true });
  expect(await list(stack, owner.token)).toEqual([]);
});
