import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAgent, makeGrant, makeProject, makeService } from '@hcp/testing';
import { rowsOf } from '../support/dump.js';
import { packArchive } from '../support/packs.js';
import { ownPage } from '../support/browser.js';
import { fillPath, slots, type Slot } from '../support/routes.js';
import { install, keyFor, startStack, tenantWithOwner, type Stack } from '../support/stack.js';
import { CASES, NAMES_A_THING, type Case, type Things } from './support/foreign-cases.js';

/** CASES 8: what another tenant has looks exactly like what nobody has, on every route and in every place of it. */

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
  const commands = {
    list: { description: 'Lists.', cli: [pack, 'list'] },
    [verb]: { description: 'Its own.', cli: [pack, 'own'] },
    change: {
      description: 'Asks.',
      cli: [pack, 'change'],
      policy: { operation: 'write' as const, confirm: true, binding: 'public' as const },
    },
  };
  const binding = { family: 'user' as const, env: { TOKEN: '{{token}}' } };
  await install(stack, token, await packArchive({ pack_id: pack, version, bin: '#!/bin/sh\n', binding, commands }));
  const fields = { pack_id: pack, family: 'user', kind: 'secret', fields: { token: 'a secret' } };
  const member = (await makeService(db, tenant_id)).id;
  const agent = (await makeAgent(db, tenant_id, { acts_for: owner.id })).id;
  const project = (await makeProject(db, tenant_id, [owner.id, member])).id;
  const signed = await stack.call('POST', '/v1/auth/token', { body: { email: owner.email, password: owner.password } });
  const exec = { pack_id: pack, verb_key: 'list', args: {}, wait_ms: 0 };
  // Nothing is sent here.
  const webhook = await made('/v1/webhooks', { url: 'https://93.184.215.14/', events: ['run.finished'] });
  return {
    ...{ tenant_id, owner, project, member, agent, pack, version },
    role: await made('/v1/roles', { name: verb, grants: [{ capability: 'verb.exec.read' }] }),
    assignment: await made(`/v1/members/${member}/roles`, { role: 'agent' }),
    grant: (await makeGrant(db, tenant_id, agent, 'verb.exec.read')).id,
    key: (await keyFor(stack, tenant_id, owner.id)).id,
    session: await made('/v1/sessions', {}),
    binding: await made('/v1/bindings', fields),
    rule: await made('/v1/access/rules', { match: `${pack}.*`, decision: 'ask', op: 'connect' }),
    invitation: await made('/v1/invitations', { email: `${verb}@example.com`, role: 'member' }),
    issuer: await issuerOf(tenant_id, owner.id),
    webhook,
    event: await eventOf(token),
    delivery: await made(`/v1/webhooks/${webhook}/test`, {}),
    ...(await connecting(tenant_id, owner.id, pack)),
    refresh_token: String(signed.body.refresh_token),
    run: String((await stack.call('POST', '/v1/exec', { token, body: exec })).body.run_id),
    approval: String(
      (await stack.call('POST', '/v1/exec', { token, body: { ...exec, verb_key: 'change' } })).body.approval_id,
    ),
  };
}

async function eventOf(token: string): Promise<string> {
  const { body } = await stack.call<{ items: { id: string }[] }>('GET', '/v1/audit?limit=1', { token });
  return body.items[0]?.id ?? '';
}

/** Written directly: there is no identity provider here. */
async function issuerOf(tenant_id: string, created_by: string): Promise<string> {
  const id = randomUUID();
  const said = { issuer: 'https://id.example.com', audience: id, lookup_key: id, subject_claim: 'sub' };
  const flags = { algorithms: ['ES256'], kind: 'human', jit: false, interactive: false, created_by };
  await stack.database.db.tenant(tenant_id, (tx) =>
    tx.oidcIssuer.create({ data: { tenant_id, id, ...said, ...flags } }),
  );
  return id;
}

/** Written directly: there is no provider here either. */
async function connecting(
  tenant_id: string,
  created_by: string,
  pack_id: string,
): Promise<{ provider_client: string; connection: string }> {
  const [provider_client, connection] = [randomUUID(), randomUUID()];
  const client = { platform: false, provider: 'x.example', issuer: 'https://x.example', discovery: true };
  const uses = { client_id: 'x', token_endpoint_auth_method: 'none', scopes: [], grant_types: ['authorization_code'] };
  const whose = { principal_id: created_by, session_id: randomUUID(), pack_id, family: 'user', shared: false };
  const by = {
    provider_client_tenant_id: tenant_id,
    provider_client_platform: false,
    provider_client_id: provider_client,
    provider: 'x.example',
  };
  const state = { status: 'pending', ticket_hash: '0'.repeat(64), expires_at: new Date(Date.now() + 600_000) };
  await stack.database.db.tenant(tenant_id, async (tx) => {
    await tx.providerClient.create({ data: { tenant_id, id: provider_client, ...client, ...uses, created_by } });
    await tx.connection.create({ data: { tenant_id, id: connection, ...whose, ...by, ...state } });
  });
  return { provider_client, connection };
}

/** B's owner's request, with `value` in this place. */
function send({ route, where, name }: Slot, found: Case, value: string) {
  const { path = {}, body = {} } = found.rest?.(b) ?? {};
  const content: Record<string, unknown> = { ...body };
  const [outer = '', inner = ''] = name.split(/\[\]\.|\./);
  if (where === 'body') {
    if (found.put) Object.assign(content, found.put(value));
    else if (name === 'packs') content.packs = [value];
    else if (name.includes('[].')) content[outer] = [{ capability: 'verb.exec.read', [inner]: value }];
    else if (inner !== '') content[outer] = { ...(content[outer] as object), [inner]: value };
    else content[outer] = value;
  }
  if (name === 'surface_id') delete content.pack_id;
  const filled = fillPath(route.path, { ...path, ...(where === 'path' && { [name]: value }) });
  const query = where === 'query' ? `?${name}=${encodeURIComponent(value)}` : '';
  const { token } = b.owner;
  if (route.body === 'file') {
    const headers = { 'content-type': 'application/octet-stream' };
    return stack.call(route.method, filled + query, { token, raw: new Uint8Array([1]), headers });
  }
  const has_body = typeof route.body === 'object';
  // Of this site's own page: these routes take nothing else.
  const headers = route.path.startsWith('/v1/auth/browser/') ? ownPage(stack.urls[0]) : {};
  return stack.call(route.method, filled + query, { token, headers, ...(has_body && { body: content }) });
}

/** An answer without what differs from call to call, and without the name that was sent. */
function normal({ status, body }: { status: number; body: unknown }, value: string) {
  const text = JSON.stringify(body)
    .replaceAll(value, '<value>')
    .replaceAll(/hcp_[\w-]+/g, '<key>')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/— \S+ [\w+/=]+/g, '<signature>')
    .replaceAll(/"seq":"\d+"/g, '"seq":"0"')
    .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0')
    .replaceAll(/"name":"r[0-9a-f]{8}"/g, '"name":"<name>"')
    // In an export: where in the log the reader's own attempts are, and the hashes of what is between them.
    .replaceAll(/\{\\"withheld\\":\{[^}]*\}\}\\n/g, '')
    .replaceAll(/\\"index\\":\d+,\\"leaf\\":\\"[\w+/=]+\\"/g, '')
    .replaceAll(/\\"seq\\":\\"\d+\\"/g, '');
  return { status, body: text };
}

const places = slots().filter(({ name }) => NAMES_A_THING.test(name));

describe('what another tenant has', () => {
  it('is tried in every place of every route that names a thing', () => {
    expect(Object.keys(CASES).sort()).toEqual(places.map(({ key }) => key).sort());
  });

  it.each(places.map((slot) => [slot.key, slot] as const))(
    'looks like nothing, stays as it is: %s',
    async (key, slot) => {
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
    },
  );

  it('is no session to work in', async () => {
    for (const session of [a.session, randomUUID()]) {
      const answer = await stack.call('GET', '/v1/me', { token: b.owner.token, headers: { 'hcp-session': session } });
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    }
  });

  it('is in none of B’s lists', async () => {
    for (const list of [
      'projects',
      'members',
      'agents',
      'roles',
      'grants',
      'api-keys',
      'sessions',
      'packs',
      'commands',
      'runs',
      'audit',
      'bindings',
      'providers',
      'access/rules',
      'sense',
      'sense/sources',
      'webhooks',
    ]) {
      const { status, body } = await stack.call('GET', `/v1/${list}?limit=200`, { token: b.owner.token });
      expect(status).toBe(200);
      for (const row of (body.items as Record<string, unknown>[]) ?? []) {
        for (const thing of [
          a.project,
          a.owner.id,
          a.member,
          a.agent,
          a.role,
          a.grant,
          a.key,
          a.session,
          a.run,
          a.binding,
          a.provider_client,
          a.rule,
          a.webhook,
        ]) {
          expect({ list, ...row }).not.toMatchObject({ id: thing });
        }
      }
    }
  });
});
