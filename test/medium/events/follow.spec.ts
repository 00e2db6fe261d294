import { randomUUID } from 'node:crypto';
import type { ResultEnvelope } from '@hcp/core';
import { remote } from '@hcp/sdk';
import { makeAgent, makeGrant, makeProject } from '@hcp/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Follower } from '../../support/follower.js';
import { call } from '../../support/http.js';
import { packArchive } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import {
  install,
  keyFor,
  signedIn,
  startStack,
  tenantWithOwner,
  type Person,
  type Stack,
} from '../../support/stack.js';

/** What happens in a tenant is told to those who may see it, by either of two replicas (SPEC V5, 17; CASES 23). */

let stack: Stack;
let superuser: pg.Client;
let tenant_id: string;
let owner: Person;
let agent: { readonly id: string; readonly key: string };
const open: Follower[] = [];

beforeAll(async () => {
  stack = await startStack({ apis: 2 });
  superuser = new pg.Client({ connectionString: stack.database.superuser_url });
  await superuser.connect();
}, 120_000);
afterAll(async () => {
  await superuser.end();
  await stack.stop();
});

beforeEach(async () => {
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  const value = { type: 'string' } as const;
  const args = { type: 'object', properties: { value }, required: ['value'] } as const;
  await install(
    stack,
    owner.token,
    await packArchive({
      pack_id: 'trial',
      bin: '#!/bin/sh\necho "{\\"said\\":\\"$2\\"}"\n',
      commands: {
        read: { description: 'Reads.', args, cli: ['trial', 'read', '{{value}}'] },
        write: {
          description: 'Writes.',
          args,
          cli: ['trial', 'write', '{{value}}'],
          policy: { operation: 'write', confirm: true },
        },
      },
    }),
  );
  const { id } = await makeAgent(stack.database.db, tenant_id, { acts_for: owner.id });
  for (const capability of ['verb.exec.read', 'verb.exec.write'] as const) {
    await makeGrant(stack.database.db, tenant_id, id, capability);
  }
  agent = { id, key: (await keyFor(stack, tenant_id, id)).key };
});
afterEach(() => {
  for (const follower of open.splice(0)) follower.leave();
});

async function follow(token: string, { replica = 0, after }: { replica?: 0 | 1; after?: string } = {}) {
  const follower = await Follower.open(`${String(stack.urls[replica])}/v1/events`, token, after);
  open.push(follower);
  if (follower.status === 200 && after === undefined) await follower.hears('ready', (heard) => heard.length > 0);
  return follower;
}

/** A call by the agent at the second replica. */
async function exec(verb_key: string, value: string, more: object = {}): Promise<ResultEnvelope> {
  const body = { pack_id: 'trial', verb_key, args: { value }, ...more };
  return (await call<ResultEnvelope>(String(stack.urls[1]), 'POST', '/v1/exec', { token: agent.key, body })).body;
}

const decide = (id: string, word: 'approve' | 'reject', body: object = {}) =>
  stack.call('POST', `/v1/approvals/${id}/${word}`, { token: owner.token, body });

it('tells of a request, the yes, the run and its end, and nothing that they hold', async () => {
  const follower = await follow(owner.token);
  const canary = `canary-${randomUUID()}`;
  const asked = await exec('write', canary, { run_on_approve: true });
  const id = String(asked.approval_id);
  await follower.hearsOf(id, 'approval.requested pending');
  await decide(id, 'approve');
  await follower.hearsOf(id, 'approval.decided consumed');
  expect(follower.said(id)).toEqual([
    'approval.requested pending',
    'approval.decided approved',
    'approval.decided consumed',
  ]);
  const run_id = String(follower.heard.find(({ type }) => type === 'run.updated')?.data.run_id);
  await follower.hearsOf(run_id, 'run.updated succeeded');
  const steps = follower.said(run_id).filter((word) => word.startsWith('run.'));
  expect(steps.filter((word) => word !== 'run.updated running')).toEqual([
    'run.updated queued',
    'run.updated starting',
    'run.updated succeeded',
  ]);
  const run = await stack.call('GET', `/v1/runs/${run_id}`, { token: owner.token });
  expect(JSON.stringify(run.body)).toContain(canary);
  expect(follower.text).not.toContain(canary);
  expect(follower.heard.find(({ type }) => type === 'approval.requested')?.data).toMatchObject({
    approval_id: id,
    pack_id: 'trial',
    verb_key: 'write',
    principal_id: agent.id,
    acts_for: owner.id,
  });
});

it('tells that a request was rejected, and that one ran out, once it is noticed', async () => {
  const follower = await follow(owner.token);
  const [no, late] = [await exec('write', 'a'), await exec('write', 'b')].map(({ approval_id }) => String(approval_id));
  await decide(String(no), 'reject');
  await superuser.query(`update approvals set pending_expires_at = clock_timestamp() where id = $1`, [late]);
  await follower.hearsOf(String(no), 'approval.decided rejected');
  await follower.hearsOf(String(late), 'approval.decided expired');
});

it('tells each what that one may see', async () => {
  const { db } = stack.database;
  const project = await makeProject(db, tenant_id);
  const member = await signedIn(stack, tenant_id, 'member');
  const elsewhere = await tenantWithOwner(stack);
  const narrow = await keyFor(stack, tenant_id, owner.id, { project_id: project.id });
  const others = await Promise.all([member.token, narrow.key, elsewhere.owner.token].map((token) => follow(token)));
  const mine = await follow(owner.token);
  const own = await follow(agent.key, { replica: 1 });
  const { run_id } = await exec('read', 'x');
  const { approval_id } = await exec('write', 'x');
  for (const follower of [mine, own]) {
    await follower.hearsOf(String(run_id), 'run.updated succeeded');
    await follower.hearsOf(String(approval_id), 'approval.requested pending');
  }
  // What comes after it is heard by each in its turn, so what was not heard by then was not told.
  const by = await exec('read', 'y');
  await mine.hearsOf(String(by.run_id), 'run.updated succeeded');
  const said = await stack.call<ResultEnvelope>('POST', '/v1/exec', {
    token: member.token,
    body: { pack_id: 'trial', verb_key: 'read', args: { value: 'z' } },
  });
  await others[0]?.hearsOf(String(said.body.run_id), 'run.updated succeeded');
  await mine.hearsOf(String(said.body.run_id), 'run.updated succeeded');
  for (const word of others[0]?.heard ?? []) expect([said.body.run_id, undefined]).toContain(word.data.run_id);
  expect(others[1]?.said()).toEqual(['ready']);
  expect(others[2]?.said()).toEqual(['ready']);
  expect(own.heard.some(({ data }) => data.run_id === said.body.run_id)).toBe(false);
});

it('goes on at another replica where it stopped, and starts anew where it cannot', async () => {
  const first = await follow(owner.token);
  const before = await exec('read', 'before');
  await first.hearsOf(String(before.run_id), 'run.updated succeeded');
  first.leave();
  const [a, b] = [await exec('read', 'a'), await exec('read', 'b')];
  const second = await follow(owner.token, { replica: 1, after: first.last_id });
  await second.hearsOf(String(b.run_id), 'run.updated succeeded');
  expect(second.heard[0]?.type).toBe('run.updated');
  expect(second.said(String(a.run_id))).toContain('run.updated succeeded');
  expect(second.said(String(before.run_id))).toEqual([]);
  // The same place means nothing in another tenant.
  const elsewhere = await tenantWithOwner(stack);
  for (const after of [first.last_id, 'x'.repeat(300), '0']) {
    const foreign = await follow(elsewhere.owner.token, { after });
    await foreign.hears('reset', (heard) => heard[0]?.type === 'reset');
    const marker = await follow(owner.token, { after: first.last_id });
    await marker.hearsOf(String(b.run_id), 'run.updated succeeded');
    expect(foreign.said()).toEqual(['reset']);
  }
});

it('is lost with the key, and counts with the streams of runs', async () => {
  const { id, key } = await keyFor(stack, tenant_id, owner.id);
  const follower = await follow(key);
  const all = await Promise.all(Array.from({ length: 19 }, () => follow(owner.token)));
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  expect((await follow(owner.token)).status).toBe(429);
  const { run_id } = await exec('read', 'x');
  const run = await Follower.open(`${stack.urls[0]}/v1/runs/${String(run_id)}/events`, owner.token);
  expect(run.status).toBe(429);
  await stack.call('DELETE', `/v1/api-keys/${id}`, { token: owner.token });
  await eventually('the stream ends', () => Promise.resolve(follower.ended));
  expect((await follow(key)).status).toBe(401);
});

it('is followed by the SDK until it is told to stop', async () => {
  const { api } = remote({ url: stack.urls[0], token: owner.token });
  const stop = new AbortController();
  const heard: string[] = [];
  const following = (async () => {
    for await (const event of api.events.follow({ signal: stop.signal })) {
      heard.push(event.type);
      if (event.type === 'ready') void exec('read', 'x');
      if (event.type === 'run.updated' && event.status === 'succeeded') stop.abort();
    }
  })();
  await expect(following).rejects.toMatchObject({ name: 'AbortError' });
  expect(heard[0]).toBe('ready');
  expect(heard).toContain('run.updated');
});
