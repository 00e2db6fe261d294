import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assignRole, makeAgent, makeGrant, makeProject, makeService, makeTenant } from '@hcp/testing';
import { eventually } from '../support/process.js';
import { keyFor, signedIn, type Person } from '../support/stack.js';
import { Callers, LOOK, missing, type Hands } from './support/callers.js';

/** CASES 12, SPEC T2, T4, T5: a call may do what everything it comes from allows, at that moment. */

let at: Callers;
beforeAll(async () => {
  at = await Callers.start();
}, 120_000);
afterAll(() => at.stack.stop());

describe('a person with a role in two tenants', () => {
  it('has, with a token for one, nothing of the other', async () => {
    const { db } = at.stack.database;
    const other = (await makeTenant(db)).id;
    const { user_id } = await db.tenant(at.tenant_id, (tx) =>
      tx.principal.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id: at.tenant_id, id: at.member.id } } }),
    );
    const there = randomUUID();
    await db.tenant(other, (tx) =>
      tx.principal.create({ data: { tenant_id: other, id: there, kind: 'human', name: 'same person', user_id } }),
    );
    await assignRole(db, other, there, 'owner');
    const theirs = await makeProject(db, other, [there]);
    const here = await at.ask({ token: '' }, 'POST', '/v1/auth/token', {
      email: at.member.email,
      password: at.member.password,
      tenant_id: at.tenant_id,
    });
    const hands = { token: String(here.body.access_token) };
    // An owner there, a member here: nothing that an owner may do.
    for (const [method, path, body] of [
      ['GET', '/v1/members'],
      ['GET', '/v1/audit'],
      ['GET', '/v1/grants'],
      ['POST', '/v1/projects', { name: 'mine' }],
      ['POST', '/v1/grants', { principal_id: at.member.id, capability: 'tenant.manage' }],
      ['POST', '/v1/api-keys', { name: 'wide', grants: [{ capability: 'tenant.manage' }] }],
    ] as const) {
      expect(await at.ask(hands, method, path, body), path).toMatchObject({
        status: 403,
        body: { code: 'missing_capability' },
      });
    }
    expect((await at.ask(hands, 'GET', `/v1/projects/${theirs.id}`)).status).toBe(404);
    expect((await at.ask(hands, 'POST', '/v1/api-keys', { name: 'k', principal_id: there })).status).toBe(403);
    expect(
      (await at.ask({ ...hands, headers: { 'hcp-tenant': other, 'x-tenant-id': other } }, 'GET', '/v1/me')).body,
    ).toMatchObject({ tenant: { id: at.tenant_id } });
    expect(
      (await at.ask(hands, 'POST', `/v1/exec?tenant_id=${other}`, { pack_id: 'first', verb_key: 'look' })).body,
    ).toMatchObject({ ok: true });
  });
});

describe('an agent that acts for a person', () => {
  let human: Person;
  let agent: Hands;
  let agent_id: string;
  beforeEach(async () => {
    const { db } = at.stack.database;
    human = await signedIn(at.stack, at.tenant_id, 'auditor');
    await makeGrant(db, at.tenant_id, human.id, 'verb.exec.read', { pack_id: 'first' });
    agent_id = (await makeAgent(db, at.tenant_id, { acts_for: human.id })).id;
    await makeGrant(db, at.tenant_id, agent_id, 'verb.exec.read');
    await makeGrant(db, at.tenant_id, agent_id, 'verb.exec.write');
    agent = { token: (await keyFor(at.stack, at.tenant_id, agent_id)).key };
  });

  it('may what both may', async () => {
    expect(await at.exec(agent, 'first', 'look')).toMatchObject({ ok: true });
    expect(await at.exec(agent, 'second', 'look')).toMatchObject(missing('verb.exec.read', 'second.look'));
    expect(await at.exec(agent, 'first', 'change')).toMatchObject(missing('verb.exec.write', 'first.change'));
    expect((await at.ask(agent, 'GET', '/v1/audit')).status).toBe(403);
    const shown = await at.commands(agent);
    expect(
      Object.keys(shown)
        .filter((name) => shown[name] === 'allow')
        .sort(),
    ).toEqual(['first.look', 'first.peek']);
  });

  it('stops when that person is disabled', async () => {
    const { db } = at.stack.database;
    expect((await at.ask(agent, 'GET', '/v1/me')).status).toBe(200);
    await db.tenant(at.tenant_id, (tx) =>
      tx.principal.update({
        where: { tenant_id_id: { tenant_id: at.tenant_id, id: human.id } },
        data: { disabled_at: new Date() },
      }),
    );
    for (const replica of [0, 1]) expect((await at.ask({ ...agent, replica }, 'GET', '/v1/me')).status).toBe(401);
    expect((await at.ask(agent, 'POST', '/v1/exec', { pack_id: 'first', verb_key: 'look' })).status).toBe(401);
  });
});

describe('HCP-Agent', () => {
  it('makes a person’s call an agent’s, and nothing turns it back', async () => {
    for (const value of ['1', 'true', '', 'no', '2']) {
      const hands = { token: at.owner.token, headers: { 'hcp-agent': value } };
      expect((await at.ask(hands, 'GET', '/v1/me')).body, value).toMatchObject({ is_agent: true });
      expect(await at.ask(hands, 'POST', '/v1/api-keys', { name: 'k' })).toMatchObject({
        status: 403,
        body: { code: 'human_only' },
      });
      expect(await at.ask(hands, 'PUT', '/v1/packs/first/activation', {})).toMatchObject({
        status: 403,
        body: { code: 'human_only' },
      });
    }
    const { body } = await at.ask({ token: at.owner.token, headers: { 'hcp-agent': '1' } }, 'POST', '/v1/sessions', {});
    expect(body).toMatchObject({ interactive: false });
    const agent = await makeAgent(at.stack.database.db, at.tenant_id);
    const { key } = await keyFor(at.stack, at.tenant_id, agent.id);
    expect((await at.ask({ token: key, headers: { 'hcp-agent': '0' } }, 'GET', '/v1/me')).body).toMatchObject({
      is_agent: true,
    });
  });
});

describe('what ends', () => {
  it('ends at once: grants', async () => {
    const { db } = at.stack.database;
    const service = await makeService(db, at.tenant_id);
    await makeGrant(db, at.tenant_id, service.id, 'verb.exec.read', {
      pack_id: 'first',
      expires_at: new Date(Date.now() - 1),
    });
    const hands = { token: (await keyFor(at.stack, at.tenant_id, service.id)).key };
    expect(await at.exec(hands, 'first', 'look')).toMatchObject(missing('verb.exec.read', 'first.look'));
    const grant = await makeGrant(db, at.tenant_id, service.id, 'verb.exec.read', {
      pack_id: 'first',
      expires_at: new Date(Date.now() + 3_600_000),
    });
    expect(await at.exec(hands, 'first', 'look')).toMatchObject({ ok: true });
    await db.tenant(at.tenant_id, (tx) =>
      tx.grant.update({
        where: { tenant_id_id: { tenant_id: at.tenant_id, id: grant.id } },
        data: { expires_at: new Date() },
      }),
    );
    expect(await at.exec({ ...hands, replica: 1 }, 'first', 'look')).toMatchObject(
      missing('verb.exec.read', 'first.look'),
    );
    const expired = await at.key(at.owner.id, [{ ...LOOK, expires_at: new Date(Date.now() - 1).toISOString() }]);
    expect(await at.exec(expired, 'first', 'look')).toMatchObject(missing('verb.exec.read', 'first.look'));
  });

  it('ends on the other replica with the next call: keys and sessions', async () => {
    const key = await at.key(at.owner.id);
    const session = await at.ask({ token: at.owner.token }, 'POST', '/v1/sessions', {});
    const in_session = { token: at.owner.token, headers: { 'hcp-session': String(session.body.id) } };
    for (const [hands, path] of [
      [key, `/v1/api-keys/${key.id}`],
      [in_session, `/v1/sessions/${String(session.body.id)}`],
    ] as const) {
      for (const replica of [0, 1]) expect((await at.ask({ ...hands, replica }, 'GET', '/v1/me')).status).toBe(200);
      expect((await at.ask({ token: at.owner.token }, 'DELETE', path)).status).toBe(204);
      for (const replica of [1, 0]) expect((await at.ask({ ...hands, replica }, 'GET', '/v1/me')).status).toBe(401);
    }
  });

  it('ends for what waits in line too', async () => {
    for (const worker of at.stack.workers) await worker.stop();
    const { db } = at.stack.database;
    const person = await signedIn(at.stack, at.tenant_id, 'member');
    const left = await at.exec({ token: person.token }, 'first', 'look', { wait_ms: 0 });
    const session = await at.ask({ token: at.owner.token }, 'POST', '/v1/sessions', {});
    const in_session = { token: at.owner.token, headers: { 'hcp-session': String(session.body.id) } };
    const closed = await at.exec(in_session, 'first', 'look', { wait_ms: 0 });
    const key = await at.key(at.owner.id);
    const other = await at.key(at.owner.id);
    const dead = await at.exec(key, 'first', 'look', { wait_ms: 0 });
    const good = await at.exec(other, 'first', 'look', { wait_ms: 0 });
    expect((await at.ask({ token: at.owner.token, replica: 1 }, 'DELETE', `/v1/api-keys/${key.id}`)).status).toBe(204);
    expect((await at.ask({ token: at.owner.token }, 'DELETE', `/v1/sessions/${String(session.body.id)}`)).status).toBe(
      204,
    );
    await db.tenant(at.tenant_id, (tx) =>
      tx.principal.update({
        where: { tenant_id_id: { tenant_id: at.tenant_id, id: person.id } },
        data: { disabled_at: new Date() },
      }),
    );
    await at.stack.startWorker();
    const ended = (run_id: string | null) =>
      eventually('the run ends', async () => {
        const { body } = await at.ask({ token: at.owner.token }, 'GET', `/v1/runs/${String(run_id)}`);
        return body.finished_at ? body : null;
      });
    for (const { run_id } of [dead, closed, left]) {
      expect(await ended(run_id)).toMatchObject({ ok: false, code: 'cancelled', attempts: 0 });
    }
    expect(await ended(good.run_id)).toMatchObject({ ok: true });
  });
});
