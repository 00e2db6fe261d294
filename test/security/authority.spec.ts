import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Grant, ResultEnvelope } from '@hcp/core';
import { assignRole, makeAgent, makeGrant, makeProject, makeService, makeTenant } from '@hcp/testing';
import type { Answer } from '../support/http.js';
import { call } from '../support/http.js';
import { packArchive } from '../support/packs.js';
import { eventually } from '../support/process.js';
import { install, keyFor, signedIn, startStack, type Person, type Stack } from '../support/stack.js';

/** CASES 11, 12, SPEC G5, T2, T4, T5: a call may do what everything it comes from allows, at that moment. */

const BIN = '#!/bin/sh\necho "{\\"verb\\":\\"$1\\"}"\n';
let stack: Stack;
let tenant_id: string;
let owner: Person;
let member: Person;

beforeAll(async () => {
  stack = await startStack({ apis: 2 });
  tenant_id = (await makeTenant(stack.database.db)).id;
  owner = await signedIn(stack, tenant_id, 'owner');
  member = await signedIn(stack, tenant_id, 'member');
  for (const pack_id of ['first', 'second']) {
    const command = (verb: string, operation: 'read' | 'write') =>
      ({ description: `Does ${verb}.`, cli: [pack_id, verb], policy: { operation, privacy: { land: 'personal' } } }) as const;
    const commands = { look: command('look', 'read'), peek: command('peek', 'read'), change: command('change', 'write') };
    await install(stack, owner.token, await packArchive({ pack_id, bin: BIN, binding: { family: 'local' }, wrap: { workspace: { mode: 'ephemeral' } }, commands }));
  }
}, 120_000);
afterAll(() => stack.stop());

interface Hands {
  readonly token: string;
  readonly headers?: Record<string, string>;
  readonly replica?: number;
}
function ask<T = Record<string, unknown>>({ token, headers = {}, replica = 0 }: Hands, method: string, path: string, body?: unknown): Promise<Answer<T>> {
  return call<T>(stack.urls[replica] ?? '', method, path, { token, headers, ...(body !== undefined && { body }) });
}
async function exec(hands: Hands, pack_id: string, verb_key: string, more: object = {}): Promise<ResultEnvelope> {
  return (await ask<ResultEnvelope>(hands, 'POST', '/v1/exec', { pack_id, verb_key, args: {}, ...more })).body;
}
const missing = (capability: string, name: string) => ({ ok: false, code: 'missing_capability', error: `denied: missing ${capability} for ${name}`, run_id: null });

/** What the lists show, by what a call of it would get. */
async function commands(hands: Hands): Promise<Record<string, string>> {
  const { body } = await ask<{ items: { pack_id: string; verb_key: string; access: string }[] }>(hands, 'GET', '/v1/commands?limit=200');
  return Object.fromEntries(body.items.filter(({ pack_id }) => pack_id !== 'hcp-cli').map(({ pack_id, verb_key, access }) => [`${pack_id}.${verb_key}`, access]));
}
const ids = async (hands: Hands, path: string): Promise<string[]> =>
  ((await ask<{ items: { id: string }[] }>(hands, 'GET', path)).body.items ?? []).map(({ id }) => id);

const look: Grant = { capability: 'verb.exec.read', pack_id: 'first', verb_keys: ['look'] };
const narrowKey = async (principal_id: string, grants: readonly Grant[] = [look]): Promise<Hands & { id: string }> => {
  const { id, key } = await keyFor(stack, tenant_id, principal_id, { grants: [...grants] });
  return { id, token: key };
};

describe('a person with a role in two tenants', () => {
  it('has, with a token for one, nothing of the other', async () => {
    const { db } = stack.database;
    const other = (await makeTenant(db)).id;
    const { user_id } = await db.tenant(tenant_id, (tx) => tx.principal.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id: member.id } } }));
    const there = randomUUID();
    await db.tenant(other, (tx) => tx.principal.create({ data: { tenant_id: other, id: there, kind: 'human', name: 'same person', user_id } }));
    await assignRole(db, other, there, 'owner');
    const theirs = await makeProject(db, other, [there]);
    const here = await ask({ token: '' }, 'POST', '/v1/auth/token', { email: member.email, password: member.password, tenant_id });
    const hands = { token: String(here.body.access_token) };
    // An owner there, a member here: nothing that an owner may do.
    for (const [method, path, body] of [
      ['GET', '/v1/members'],
      ['GET', '/v1/audit'],
      ['GET', '/v1/grants'],
      ['POST', '/v1/projects', { name: 'mine' }],
      ['POST', '/v1/grants', { principal_id: member.id, capability: 'tenant.manage' }],
      ['POST', '/v1/api-keys', { name: 'wide', grants: [{ capability: 'tenant.manage' }] }],
    ] as const) {
      expect(await ask(hands, method, path, body), path).toMatchObject({ status: 403, body: { code: 'missing_capability' } });
    }
    expect((await ask(hands, 'GET', `/v1/projects/${theirs.id}`)).status).toBe(404);
    expect((await ask(hands, 'POST', '/v1/api-keys', { name: 'k', principal_id: there })).status).toBe(403);
    expect((await ask({ ...hands, headers: { 'hcp-tenant': other, 'x-tenant-id': other } }, 'GET', '/v1/me')).body).toMatchObject({ tenant: { id: tenant_id } });
    expect((await ask(hands, 'POST', `/v1/exec?tenant_id=${other}`, { pack_id: 'first', verb_key: 'look' })).body).toMatchObject({ ok: true });
  });
});

describe('a narrow key of a person who may everything', () => {
  let narrow: Hands;
  beforeAll(async () => {
    narrow = await narrowKey(owner.id);
  });

  it('runs and lists the one command', async () => {
    expect(await exec(narrow, 'first', 'look')).toMatchObject({ ok: true, result: { verb: 'look' } });
    expect(await exec(narrow, 'first', 'peek')).toMatchObject(missing('verb.exec.read', 'first.peek'));
    expect(await exec(narrow, 'first', 'change')).toMatchObject(missing('verb.exec.write', 'first.change'));
    expect(await exec(narrow, 'second', 'look')).toMatchObject(missing('verb.exec.read', 'second.look'));
    const shown = await commands(narrow);
    expect(Object.keys(shown).filter((name) => shown[name] !== 'deny')).toEqual(['first.look']);
    expect(Object.keys(shown).some((name) => name.startsWith('second.'))).toBe(false);
    expect((await ask(narrow, 'GET', '/v1/packs/second')).status).toBe(404);
    expect((await ask(narrow, 'GET', '/v1/packs/second/skill')).status).toBe(404);
  });

  it('does not read, follow, list or cancel what its owner ran beyond that', async () => {
    const { run_id } = await exec({ token: owner.token }, 'second', 'look');
    const own = await exec(narrow, 'first', 'look');
    for (const [method, path] of [['GET', ''], ['GET', '/events'], ['POST', '/cancel']] as const) {
      expect((await ask(narrow, method, `/v1/runs/${String(run_id)}${path}`)).status).toBe(404);
    }
    expect((await ask(narrow, 'GET', `/v1/runs/${String(own.run_id)}`)).body).toMatchObject({ result: { verb: 'look' } });
    const listed = await ids(narrow, '/v1/runs?limit=200');
    expect(listed).toContain(own.run_id);
    expect(listed).not.toContain(run_id);
  });

  it('has no right to anything else, on any route', async () => {
    for (const path of ['/v1/members', '/v1/agents', '/v1/grants', '/v1/audit']) {
      expect((await ask(narrow, 'GET', path)).status, path).toBe(403);
    }
    const id = randomUUID();
    for (const [method, path, body] of [
      ['POST', '/v1/projects', { name: 'x' }],
      ['POST', '/v1/agents', { name: 'x', kind: 'agent' }],
      ['POST', '/v1/roles', { name: 'x', grants: [look] }],
      ['POST', '/v1/grants', { principal_id: owner.id, ...look }],
      ['POST', `/v1/members/${owner.id}/roles`, { role: 'owner' }],
      ['DELETE', `/v1/agents/${id}`],
      ['DELETE', `/v1/roles/${id}`],
      ['PUT', '/v1/packs/first/activation', {}],
      ['DELETE', '/v1/packs/first/activation'],
      ['DELETE', '/v1/packs/first/versions/1.0.0'],
    ] as const) {
      expect((await ask(narrow, method, path, body)).status, `${method} ${path}`).toBe(403);
    }
  });

  it('mints nothing wider, and a session of it is no wider', async () => {
    for (const body of [{ name: 'k' }, { name: 'k', grants: [{ capability: 'verb.exec.read' }] }, { name: 'k', grants: [{ ...look, verb_keys: ['look', 'peek'] }] }]) {
      expect(await ask(narrow, 'POST', '/v1/api-keys', body)).toMatchObject({ status: 403, body: { code: 'missing_capability' } });
    }
    expect((await ask(narrow, 'POST', '/v1/api-keys', { name: 'k', grants: [look] })).status).toBe(201);
    const session = await ask(narrow, 'POST', '/v1/sessions', { packs: ['first', 'second'] });
    if (session.status === 201) {
      const hands = { ...narrow, headers: { 'hcp-session': String(session.body.id) } };
      expect(await exec(hands, 'second', 'look')).toMatchObject(missing('verb.exec.read', 'second.look'));
      expect(await exec(hands, 'first', 'peek')).toMatchObject(missing('verb.exec.read', 'first.peek'));
    }
  });
});

describe('a narrow session of a person who may everything', () => {
  it('stays narrow, whatever is asked with it, and works with no other token', async () => {
    const { body } = await ask({ token: owner.token }, 'POST', '/v1/sessions', { packs: ['first'] });
    const hands = { token: owner.token, headers: { 'hcp-session': String(body.id) } };
    expect(await exec(hands, 'first', 'look')).toMatchObject({ ok: true });
    expect(await exec(hands, 'second', 'look')).toMatchObject({ ok: false, code: 'pack_not_activated', run_id: null });
    expect(Object.keys(await commands(hands)).every((name) => name.startsWith('first.'))).toBe(true);
    expect((await ask(hands, 'POST', '/v1/sessions', { packs: ['second'] })).status).toBe(400);
    expect((await ask(hands, 'POST', '/v1/api-keys', { name: 'k' })).status).toBe(403);
    expect((await ask(hands, 'PUT', '/v1/packs/second/activation', {})).status).toBe(403);
    expect((await ask(hands, 'GET', '/v1/packs/second')).status).toBe(404);
    const wide = await exec({ token: owner.token }, 'second', 'look');
    expect((await ask(hands, 'GET', `/v1/runs/${String(wide.run_id)}`)).status).toBe(404);
    expect(await ids(hands, '/v1/runs?limit=200')).not.toContain(wide.run_id);
    expect((await ask({ ...hands, token: member.token }, 'GET', '/v1/me')).status).toBe(401);
  });
});

describe('an agent that acts for a person', () => {
  let human: Person;
  let agent: Hands;
  let agent_id: string;
  beforeEach(async () => {
    const { db } = stack.database;
    human = await signedIn(stack, tenant_id, 'auditor');
    await makeGrant(db, tenant_id, human.id, 'verb.exec.read', { pack_id: 'first' });
    agent_id = (await makeAgent(db, tenant_id, { acts_for: human.id })).id;
    await makeGrant(db, tenant_id, agent_id, 'verb.exec.read');
    await makeGrant(db, tenant_id, agent_id, 'verb.exec.write');
    agent = { token: (await keyFor(stack, tenant_id, agent_id)).key };
  });

  it('may what both may', async () => {
    expect(await exec(agent, 'first', 'look')).toMatchObject({ ok: true });
    expect(await exec(agent, 'second', 'look')).toMatchObject(missing('verb.exec.read', 'second.look'));
    expect(await exec(agent, 'first', 'change')).toMatchObject(missing('verb.exec.write', 'first.change'));
    expect((await ask(agent, 'GET', '/v1/audit')).status).toBe(403);
    const shown = await commands(agent);
    expect(Object.keys(shown).filter((name) => shown[name] === 'allow').sort()).toEqual(['first.look', 'first.peek']);
  });

  it('stops when that person is disabled, and when the link ends gets no more than its own', async () => {
    const { db } = stack.database;
    expect((await ask(agent, 'GET', '/v1/me')).status).toBe(200);
    await db.tenant(tenant_id, (tx) => tx.principal.update({ where: { tenant_id_id: { tenant_id, id: human.id } }, data: { disabled_at: new Date() } }));
    for (const replica of [0, 1]) expect((await ask({ ...agent, replica }, 'GET', '/v1/me')).status).toBe(401);
    expect((await ask(agent, 'POST', '/v1/exec', { pack_id: 'first', verb_key: 'look' })).status).toBe(401);
  });
});

describe('HCP-Agent', () => {
  it('makes a person’s call an agent’s, and nothing turns it back', async () => {
    for (const value of ['1', 'true', '', 'no', '2']) {
      const hands = { token: owner.token, headers: { 'hcp-agent': value } };
      expect((await ask(hands, 'GET', '/v1/me')).body, value).toMatchObject({ is_agent: true });
      expect(await ask(hands, 'POST', '/v1/api-keys', { name: 'k' })).toMatchObject({ status: 403, body: { code: 'human_only' } });
      expect(await ask(hands, 'PUT', '/v1/packs/first/activation', {})).toMatchObject({ status: 403, body: { code: 'human_only' } });
    }
    const { body } = await ask({ token: owner.token, headers: { 'hcp-agent': '1' } }, 'POST', '/v1/sessions', {});
    expect(body).toMatchObject({ interactive: false });
    const agent = await makeAgent(stack.database.db, tenant_id);
    const { key } = await keyFor(stack, tenant_id, agent.id);
    expect((await ask({ token: key, headers: { 'hcp-agent': '0' } }, 'GET', '/v1/me')).body).toMatchObject({ is_agent: true });
  });
});

describe('what ends', () => {
  it('ends at once: grants', async () => {
    const { db } = stack.database;
    const service = await makeService(db, tenant_id);
    await makeGrant(db, tenant_id, service.id, 'verb.exec.read', { pack_id: 'first', expires_at: new Date(Date.now() - 1) });
    const hands = { token: (await keyFor(stack, tenant_id, service.id)).key };
    expect(await exec(hands, 'first', 'look')).toMatchObject(missing('verb.exec.read', 'first.look'));
    const grant = await makeGrant(db, tenant_id, service.id, 'verb.exec.read', { pack_id: 'first', expires_at: new Date(Date.now() + 3_600_000) });
    expect(await exec(hands, 'first', 'look')).toMatchObject({ ok: true });
    await db.tenant(tenant_id, (tx) => tx.grant.update({ where: { tenant_id_id: { tenant_id, id: grant.id } }, data: { expires_at: new Date() } }));
    expect(await exec({ ...hands, replica: 1 }, 'first', 'look')).toMatchObject(missing('verb.exec.read', 'first.look'));
    const expired = await narrowKey(owner.id, [{ ...look, expires_at: new Date(Date.now() - 1).toISOString() }]);
    expect(await exec(expired, 'first', 'look')).toMatchObject(missing('verb.exec.read', 'first.look'));
  });

  it('ends on the other replica with the next call: keys and sessions', async () => {
    const key = await narrowKey(owner.id);
    const session = await ask({ token: owner.token }, 'POST', '/v1/sessions', {});
    const in_session = { token: owner.token, headers: { 'hcp-session': String(session.body.id) } };
    for (const [hands, path] of [[key, `/v1/api-keys/${key.id}`], [in_session, `/v1/sessions/${String(session.body.id)}`]] as const) {
      for (const replica of [0, 1]) expect((await ask({ ...hands, replica }, 'GET', '/v1/me')).status).toBe(200);
      expect((await ask({ token: owner.token }, 'DELETE', path)).status).toBe(204);
      for (const replica of [1, 0]) expect((await ask({ ...hands, replica }, 'GET', '/v1/me')).status).toBe(401);
    }
  });

  it('ends for what waits in line too', async () => {
    for (const worker of stack.workers) await worker.stop();
    const key = await narrowKey(owner.id);
    const other = await narrowKey(owner.id);
    const dead = await exec(key, 'first', 'look', { wait_ms: 0 });
    const good = await exec(other, 'first', 'look', { wait_ms: 0 });
    expect((await ask({ token: owner.token, replica: 1 }, 'DELETE', `/v1/api-keys/${key.id}`)).status).toBe(204);
    await stack.startWorker();
    const ended = (run_id: string | null) =>
      eventually('the run ends', async () => {
        const { body } = await ask({ token: owner.token }, 'GET', `/v1/runs/${String(run_id)}`);
        return body.finished_at ? body : null;
      });
    expect(await ended(dead.run_id)).toMatchObject({ ok: false, code: 'cancelled', attempts: 0 });
    expect(await ended(good.run_id)).toMatchObject({ ok: true });
  });
});
