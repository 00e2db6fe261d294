import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAgent, makeGrant, makeProject, makeService } from '@hcp/testing';
import { rowsOf } from '../support/dump.js';
import { packArchive } from '../support/packs.js';
import { fillPath, slots, type Slot } from '../support/routes.js';
import { install, keyFor, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** CASES 8: what another tenant has looks exactly like what nobody has, on every route and in every place of it. */

/** Where an id, or a name that stands for a thing, can be written. Everything else is a value. */
const NAMES_A_THING = /(^|\.)(id|pack_id|surface_id|version|packs|assignment_id|role|[a-z]+_id|refresh_token|cursor|verb_key)$/;

interface Things {
  readonly tenant_id: string;
  readonly owner: Person;
  readonly project: string;
  readonly member: string;
  readonly agent: string;
  readonly role: string;
  readonly assignment: string;
  readonly grant: string;
  readonly key: string;
  readonly session: string;
  readonly refresh_token: string;
  readonly run: string;
  readonly pack: string;
  readonly version: string;
}

interface Case {
  /** A's thing, and what is in its place where there is no such thing. */
  readonly of: (a: Things) => string;
  readonly nobody?: string | ((a: Things) => string);
  /** The rest of the request, with B's own things. */
  readonly rest?: (b: Things) => { path?: Record<string, string>; body?: Record<string, unknown> };
  /** 404 unless said otherwise. */
  readonly status?: number;
}

const filter = (of: Case['of'], nobody?: Case['nobody']): Case => ({ of, nobody, status: 200 });
const role_body = () => ({ body: { role: 'member' } });
const exec_body = (b: Things) => ({ body: { pack_id: b.pack, verb_key: 'list', args: {}, wait_ms: 0 } });
const grant_body = (b: Things) => ({ body: { principal_id: b.agent, capability: 'verb.exec.read' } });
const base64 = (text: string): string => Buffer.from(text).toString('base64url');
/** A page that begins after an id: the same page, whether the id is someone's or its neighbour is nobody's. */
const neighbour = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');
const after = (of: Case['of']): Case => ({ of: (a) => base64(of(a)), nobody: (a) => base64(neighbour(of(a))), status: 200 });
const cursor = after((a) => a.project);
const name_cursor: Case = { of: (a) => base64(a.pack), nobody: base64('only-as-well'), status: 200 };

const CASES: Record<string, Case> = {
  'auth_token body.tenant_id': { of: (a) => a.tenant_id, rest: (b) => ({ body: { email: b.owner.email, password: b.owner.password } }), status: 401 },
  'auth_refresh body.refresh_token': { of: (a) => a.refresh_token.slice(0, -4) + 'AAAA', nobody: `hcr_${randomUUID()}_${'A'.repeat(43)}`, status: 401 },
  'sessions_create body.project_id': { of: (a) => a.project },
  'sessions_create body.packs': { of: (a) => a.pack, nobody: 'nothing', status: 400 },
  'sessions_list query.cursor': cursor,
  'sessions_delete path.id': { of: (a) => a.session },
  'projects_list query.cursor': cursor,
  'projects_get path.id': { of: (a) => a.project },
  'projects_add_member path.id': { of: (a) => a.project, rest: (b) => ({ path: { principal_id: b.member } }) },
  'projects_add_member path.principal_id': { of: (a) => a.member, rest: (b) => ({ path: { id: b.project } }) },
  'projects_remove_member path.id': { of: (a) => a.project, rest: (b) => ({ path: { principal_id: b.member } }) },
  'projects_remove_member path.principal_id': { of: (a) => a.member, rest: (b) => ({ path: { id: b.project } }) },
  'members_list query.cursor': cursor,
  'agents_list query.cursor': cursor,
  'agents_delete path.id': { of: (a) => a.agent },
  'agents_end_acts_for path.id': { of: (a) => a.agent },
  'roles_list query.cursor': after((a) => a.role),
  'roles_create body.grants[].pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: () => ({ body: { name: fresh() } }), status: 201 },
  'roles_create body.grants[].project_id': { of: (a) => a.project, rest: () => ({ body: { name: fresh() } }), status: 201 },
  'roles_delete path.id': { of: (a) => a.role },
  'members_assign_role path.id': { of: (a) => a.member, rest: role_body },
  'members_assign_role body.project_id': { of: (a) => a.project, rest: (b) => ({ path: { id: b.member }, ...role_body() }) },
  'members_assign_role body.role': { of: () => 'only-of-a', nobody: 'of-nobody', rest: (b) => ({ path: { id: b.member } }), status: 400 },
  'members_unassign_role path.id': { of: (a) => a.member, rest: (b) => ({ path: { assignment_id: b.assignment } }) },
  'members_unassign_role path.assignment_id': { of: (a) => a.assignment, rest: (b) => ({ path: { id: b.member } }) },
  'grants_list query.principal_id': filter((a) => a.agent),
  'grants_list query.cursor': cursor,
  'grants_create body.principal_id': { of: (a) => a.agent, rest: grant_body },
  'grants_create body.project_id': { of: (a) => a.project, rest: grant_body },
  'grants_create body.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: grant_body, status: 201 },
  'grants_delete path.id': { of: (a) => a.grant },
  'api_keys_create body.principal_id': { of: (a) => a.agent, rest: () => ({ body: { name: 'k' } }) },
  'api_keys_create body.project_id': { of: (a) => a.project, rest: () => ({ body: { name: 'k' } }) },
  'api_keys_create body.grants[].pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: () => ({ body: { name: 'k' } }), status: 201 },
  'api_keys_create body.grants[].project_id': { of: (a) => a.project, rest: () => ({ body: { name: 'k' } }), status: 201 },
  'api_keys_list query.cursor': cursor,
  'api_keys_delete path.id': { of: (a) => a.key },
  'packs_list query.cursor': name_cursor,
  'packs_get path.pack_id': { of: (a) => a.pack, nobody: 'nothing' },
  'packs_skill path.pack_id': { of: (a) => a.pack, nobody: 'nothing' },
  'packs_delete_version path.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: (b) => ({ path: { version: b.version } }) },
  'packs_delete_version path.version': { of: (a) => a.version, nobody: '9.9.9', rest: (b) => ({ path: { pack_id: b.pack } }) },
  'packs_activate path.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: () => ({ body: {} }) },
  'packs_activate body.version': { of: (a) => a.version, nobody: '9.9.9', rest: (b) => ({ path: { pack_id: b.pack } }) },
  'packs_activate body.project_id': { of: (a) => a.project, rest: (b) => ({ path: { pack_id: b.pack } }) },
  'packs_deactivate path.pack_id': { of: (a) => a.pack, nobody: 'nothing' },
  'packs_deactivate query.project_id': { of: (a) => a.project, rest: (b) => ({ path: { pack_id: b.pack } }) },
  'commands_list query.pack_id': filter((a) => a.pack, 'nothing'),
  'commands_list query.project_id': { of: (a) => a.project },
  'commands_list query.cursor': name_cursor,
  'exec body.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: exec_body, status: 200 },
  'exec body.surface_id': { of: (a) => a.pack, nobody: 'nothing', rest: () => ({ body: { verb_key: 'list' } }), status: 200 },
  'exec body.verb_key': { of: () => 'only-of-a', nobody: 'of-nobody', rest: exec_body, status: 200 },
  'exec body.approval_id': { of: (a) => a.run, rest: exec_body, status: 200 },
  'exec body.approval.id': { of: (a) => a.run, rest: (b) => ({ body: { ...exec_body(b).body, approval: { by: 'human' } } }), status: 200 },
  'runs_list query.pack_id': filter((a) => a.pack, 'nothing'),
  'runs_list query.cursor': { of: (a) => a.run, nobody: (a) => neighbour(a.run), status: 200 },
  'runs_get path.id': { of: (a) => a.run },
  'runs_cancel path.id': { of: (a) => a.run },
  'runs_events path.id': { of: (a) => a.run },
  'audit_list query.pack_id': filter((a) => a.pack, 'nothing'),
  'audit_list query.principal_id': filter((a) => a.owner.id),
  'audit_list query.run_id': filter((a) => a.run),
  'audit_list query.cursor': { of: () => '0', nobody: '0', status: 400 },
};

const fresh = (): string => `r${randomUUID().slice(0, 8)}`;

let stack: Stack;
let a: Things;
let b: Things;

beforeAll(async () => {
  stack = await startStack({ workers: 0 });
  a = await tenant('only-as', '1.0.7', 'only-of-a');
  b = await tenant('only-bs', '1.0.0', 'other');
}, 120_000);
afterAll(() => stack.stop());

/** A tenant with one of everything; nothing works on its queue, so its run waits and could be cancelled. */
async function tenant(pack: string, version: string, verb: string): Promise<Things> {
  const { tenant_id, owner } = await tenantWithOwner(stack);
  const { db } = stack.database;
  const { token } = owner;
  const made = async (path: string, body: object) => String((await stack.call('POST', path, { token, body })).body.id);
  const commands = { list: { description: 'Lists.', cli: [pack, 'list'] }, [verb]: { description: 'Its own.', cli: [pack, 'own'] } };
  await install(stack, token, await packArchive({ pack_id: pack, version, bin: '#!/bin/sh\n', commands }));
  const member = (await makeService(db, tenant_id)).id;
  const agent = (await makeAgent(db, tenant_id, { acts_for: owner.id })).id;
  const project = (await makeProject(db, tenant_id, [owner.id, member])).id;
  const signed = await stack.call('POST', '/v1/auth/token', { body: { email: owner.email, password: owner.password } });
  const exec = { pack_id: pack, verb_key: 'list', args: {}, wait_ms: 0 };
  return {
    ...{ tenant_id, owner, project, member, agent, pack, version },
    role: await made('/v1/roles', { name: verb, grants: [{ capability: 'verb.exec.read' }] }),
    assignment: await made(`/v1/members/${member}/roles`, { role: 'agent' }),
    grant: (await makeGrant(db, tenant_id, agent, 'verb.exec.read')).id,
    key: (await keyFor(stack, tenant_id, owner.id)).id,
    session: await made('/v1/sessions', {}),
    refresh_token: String(signed.body.refresh_token),
    run: String((await stack.call('POST', '/v1/exec', { token, body: exec })).body.run_id),
  };
}

/** B's owner's request, with `value` in this place. */
function send({ route, where, name }: Slot, found: Case, value: string) {
  const { path = {}, body = {} } = found.rest?.(b) ?? {};
  const content: Record<string, unknown> = { ...body };
  const [outer = '', inner = ''] = name.split(/\[\]\.|\./);
  if (where === 'body') {
    if (name === 'packs') content.packs = [value];
    else if (name.includes('[].')) content[outer] = [{ capability: 'verb.exec.read', [inner]: value }];
    else if (inner !== '') content[outer] = { ...(content[outer] as object), [inner]: value };
    else content[outer] = value;
  }
  if (name === 'surface_id') delete content.pack_id;
  const filled = fillPath(route.path, { ...path, ...(where === 'path' && { [name]: value }) });
  const query = where === 'query' ? `?${name}=${encodeURIComponent(value)}` : '';
  const has_body = typeof route.body === 'object';
  return stack.call(route.method, filled + query, { token: b.owner.token, ...(has_body && { body: content }) });
}

/** An answer without what differs from call to call, and without the name that was sent. */
function normal({ status, body }: { status: number; body: unknown }, value: string) {
  const text = JSON.stringify(body)
    .replaceAll(value, '<value>')
    .replaceAll(/hcp_[\w-]+/g, '<key>')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/"seq":"\d+"/g, '"seq":"0"')
    .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0')
    .replaceAll(/"name":"r[0-9a-f]{8}"/g, '"name":"<name>"');
  return { status, body: text };
}

const places = slots().filter(({ name }) => NAMES_A_THING.test(name));

describe('what another tenant has', () => {
  it('is tried in every place of every route that names a thing', () => {
    expect(Object.keys(CASES).sort()).toEqual(places.map(({ key }) => key).sort());
  });

  it.each(places.map((slot) => [slot.key, slot] as const))('looks like nothing, stays as it is: %s', async (key, slot) => {
    const found = CASES[key];
    if (!found) throw new Error('no case');
    const before = await rowsOf(stack.database.superuser_url, a.tenant_id);
    const theirs = found.of(a);
    const nobodys = typeof found.nobody === 'function' ? found.nobody(a) : (found.nobody ?? randomUUID());
    const answer = await send(slot, found, theirs);
    const wanted = await send(slot, found, nobodys);
    expect(normal(answer, theirs)).toEqual(normal(wanted, nobodys));
    expect(answer.status).toBe(found.status ?? 404);
    const text = JSON.stringify(answer.body);
    for (const thing of Object.values(a)) {
      if (typeof thing === 'string' && thing !== theirs && thing.length > 6) expect(text).not.toContain(thing);
    }
    expect(await rowsOf(stack.database.superuser_url, a.tenant_id)).toEqual(before);
  });

  it('is no session to work in', async () => {
    for (const session of [a.session, randomUUID()]) {
      const answer = await stack.call('GET', '/v1/me', { token: b.owner.token, headers: { 'hcp-session': session } });
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    }
  });

  it('is in none of B’s lists', async () => {
    for (const list of ['projects', 'members', 'agents', 'roles', 'grants', 'api-keys', 'sessions', 'packs', 'commands', 'runs', 'audit']) {
      const { status, body } = await stack.call('GET', `/v1/${list}?limit=200`, { token: b.owner.token });
      expect(status).toBe(200);
      for (const row of (body.items as Record<string, unknown>[]) ?? []) {
        for (const thing of [a.project, a.owner.id, a.member, a.agent, a.role, a.grant, a.key, a.session, a.run]) {
          expect({ list, ...row }).not.toMatchObject({ id: thing });
        }
      }
    }
  });
});
