import { randomUUID } from 'node:crypto';
import type { ResultEnvelope } from '@hcp/core';
import { Providers, Refresher, sweepBindings, type CredentialFact } from '@hcp/bindings';
import { credentialEvents } from '@hcp/sense';
import { Database } from '@hcp/database';
import { localKms } from '@hcp/kms';
import { Keyring } from '@hcp/tenancy';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packArchive } from '../../support/packs.js';
import { OauthProvider } from '../../support/oauth-provider.js';
import { connect, PROVIDER, registerClient } from '../../support/oauth.js';
import { install, operatorOf, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** Which providers there may be (SPEC S4, P5), one refresh over many processes (CASES 5), and approvals (SPEC V1, V2). */

const ROOT_KEY = '5'.repeat(64);
let stack: Stack;
let idp: OauthProvider;
let tenant_id: string;
let owner: Person;

beforeAll(async () => {
  // The provider alone may be private, not the whole machine.
  const port_holder = await OauthProvider.start(randomUUID(), { redirect_uris: ['https://x.example/'] });
  const { host } = port_holder;
  await port_holder.stop();
  stack = await startStack({ env: { HCP_EGRESS_ALLOW_PRIVATE: host, HCP_ROOT_KEY: ROOT_KEY } });
  const redirect_uris = [`${stack.urls[0]}/v1/bindings/callback`];
  idp = await OauthProvider.start(randomUUID(), { redirect_uris }, Number(host.split(':')[1]));
}, 120_000);
afterAll(async () => {
  await idp.stop();
  await stack.stop();
});

const pack = () =>
  packArchive({
    pack_id: 'mailer',
    bin: '#!/usr/bin/env node\nconsole.log(JSON.stringify({ ok: process.env.T.length > 5 }));\n',
    binding: { family: 'user', provider: PROVIDER, env: { T: '{{access_token}}' } },
    commands: {
      read: { description: 'Reads.', cli: ['mailer', 'read'] },
      send: { description: 'Sends.', cli: ['mailer', 'send'], policy: { operation: 'write', confirm: true } },
    },
  });

beforeEach(async () => {
  Object.assign(idp, { account: 'ada', token_ttl_s: 3600, fault: () => null });
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  await install(stack, owner.token, await pack());
});

const post = (body: object, token = owner.token) => stack.call('POST', '/v1/providers', { token, body });
const row = () => stack.database.db.tenant(tenant_id, (tx) => tx.binding.findFirstOrThrow({ where: { tenant_id } }));
const expire = () =>
  stack.database.db.tenant(tenant_id, (tx) =>
    tx.binding.updateMany({ data: { token_expires_at: new Date(Date.now() - 1000) } }),
  );

describe('a provider', () => {
  const client = { provider: 'evil.example', client_id: 'c', client_secret: 'a secret of a test' };
  const good = { authorization_endpoint: 'https://8.8.8.8/a', token_endpoint: 'https://8.8.8.8/t' };

  it.each([
    'https://127.0.0.1/t',
    'https://localhost/t',
    'https://169.254.169.254/latest',
    'https://10.0.0.1/t',
    'https://[::1]/t',
    'https://[::ffff:127.0.0.1]/t',
    'https://2130706433/t',
    'https://0x7f.1/t',
    'https://0177.0.0.1/t',
    'http://8.8.8.8/t',
    'https://user:pw@8.8.8.8/t',
    'file:///etc/passwd',
  ])('is not at %s, by whatever field', async (address) => {
    for (const field of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint', 'userinfo_endpoint']) {
      const answer = await post({ ...client, ...good, [field]: address });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: `/${field}` }] } });
    }
    expect(await post({ ...client, issuer: address })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/issuer' }] },
    });
  });

  it('is not what its own document leads to in private, nor what redirects there', async () => {
    const document = (more: object) => ({
      kind: 'answer' as const,
      status: 200,
      body: JSON.stringify({
        issuer: idp.issuer,
        authorization_endpoint: `${idp.issuer}/auth`,
        token_endpoint: `${idp.issuer}/token`,
        ...more,
      }),
    });
    for (const more of [
      { token_endpoint: 'https://169.254.169.254/token' },
      { token_endpoint: 'http://127.0.0.1:1/token' },
      { userinfo_endpoint: 'https://[::1]/me' },
      { revocation_endpoint: 7 },
      { issuer: 'https://other.example' },
      { code_challenge_methods_supported: ['plain'] },
      { token_endpoint: undefined },
    ]) {
      idp.fault = (path) => (path.includes('well-known') ? document(more) : null);
      const answer = await post({ ...client, issuer: idp.issuer });
      expect(answer, JSON.stringify(more)).toMatchObject({ status: 400, body: { errors: [{ path: '/issuer' }] } });
    }
  });

  it('is registered once, by people who manage the tenant, and its secret is not read back', async () => {
    const made = await registerClient(stack, owner.token, idp);
    expect(made.status).toBe(201);
    expect(JSON.stringify(made.body)).not.toContain(idp.client_secret);
    expect((await registerClient(stack, owner.token, idp)).status).toBe(409);
    const by_agent = await stack.call('GET', '/v1/providers', { token: owner.token, headers: { 'hcp-agent': '1' } });
    expect(by_agent).toMatchObject({ status: 403, body: { code: 'human_only' } });
    const put = await stack.call('PUT', `/v1/providers/${made.body.id}`, {
      token: owner.token,
      body: { issuer: 'https://evil.example' },
    });
    expect(put.status).toBe(400);
  });

  it('of the platform serves every tenant for people, and for nobody’s own account', async () => {
    const operator = await operatorOf(stack);
    expect((await registerClient(stack, operator.token, idp)).status).toBe(201);
    expect((await connect(stack, owner.token, { pack_id: 'mailer' })).status).toBe(200);
    const { id } = await row();
    await stack.call('DELETE', `/v1/bindings/${id}?forget=1`, { token: owner.token });
    const own = { pack_id: 'mailer', family: 'user', kind: 'oauth2_client_credentials', shared: true };
    expect(await stack.call('POST', '/v1/bindings', { token: owner.token, body: own })).toMatchObject({ status: 409 });
    const { body } = await stack.call<{ items: object[] }>('GET', '/v1/providers', { token: owner.token });
    expect(body.items).toEqual([]);
  });
});

describe('one refresh', () => {
  it('is made over processes, however much slower than the lock’s life the provider is', async () => {
    await registerClient(stack, owner.token, idp);
    await connect(stack, owner.token, { pack_id: 'mailer' });
    await expire();
    idp.fault = (path) => (path === '/token' ? { kind: 'delay', ms: 1500 } : null);
    const { id, version, token_version } = await row();
    const processes = Array.from({ length: 4 }, () => {
      const db = new Database({ url: stack.database.app_url, max: 3 });
      const keyring = new Keyring(localKms([Buffer.from(ROOT_KEY, 'hex')]), db);
      const errors: Error[] = [];
      const refresher = new Refresher(
        {
          db,
          sealer: (tenant) => keyring.tenantKeys(tenant),
          providers: new Providers({ egress: { allow_private: [idp.host] } }),
          events: credentialEvents,
          onError: (error) => errors.push(error),
        },
        { lease_ms: 300, poll_ms: 20 },
      );
      return { db, refresher, errors };
    });
    const before = idp.count('refresh_token');
    const due = { tenant_id, id, version, token_version };
    const all = await Promise.all(
      processes.flatMap(({ refresher }) => [refresher.refresh(due), refresher.refresh(due)]),
    );
    expect(all.every(({ ok }) => ok)).toBe(true);
    expect(idp.count('refresh_token')).toBe(before + 1);
    expect(await row()).toMatchObject({ version, token_version: token_version + 1, stale_at: null });
    for (const { db, errors } of processes) {
      expect(errors).toEqual([]);
      await db.close();
    }
  });
});

describe('an approval', () => {
  const send = async (): Promise<ResultEnvelope> => {
    const body = { pack_id: 'mailer', verb_key: 'send', args: {} };
    return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body })).body;
  };
  async function approved(): Promise<string> {
    const asked = await send();
    const id = String(asked.approval_id ?? asked.approval?.approval_id);
    const answer = await stack.call('POST', `/v1/approvals/${id}/approve`, { token: owner.token, body: {} });
    expect(answer.status).toBe(200);
    return id;
  }
  const state = async (id: string) =>
    (await stack.call('GET', `/v1/approvals/${id}`, { token: owner.token })).body.state;

  beforeEach(async () => {
    await registerClient(stack, owner.token, idp);
    await connect(stack, owner.token, { pack_id: 'mailer' });
  });

  it('outlives a refresh, and is spent on one run', async () => {
    const id = await approved();
    await expire();
    expect(await send()).toMatchObject({ ok: true });
    expect(await state(id)).toBe('consumed');
  });

  it('is kept where the provider refuses the token, or cannot be reached', async () => {
    const id = await approved();
    await expire();
    idp.fault = (path) => (path === '/token' ? { kind: 'answer', status: 503 } : null);
    expect(await send()).toMatchObject({ code: 'mint_failed' });
    expect(await state(id)).toBe('approved');
    idp.fault = (path) =>
      path === '/token' ? { kind: 'answer', status: 400, body: '{"error":"invalid_grant"}' } : null;
    expect(await send()).toMatchObject({ code: 'mint_failed' });
    expect(await send()).toMatchObject({ code: 'mint_failed' });
    expect(await state(id)).toBe('approved');
  });

  it('is not for another account', async () => {
    await approved();
    idp.account = 'eve';
    await connect(stack, owner.token, { pack_id: 'mailer' });
    expect(await send()).toMatchObject({ code: 'confirm_required' });
  });
});

describe('a credential that ran out', () => {
  it('is told of once, in the transaction that marks it, and is good again once it is connected anew', async () => {
    await registerClient(stack, owner.token, idp, { scopes: ['openid'] });
    await connect(stack, owner.token, { pack_id: 'mailer' });
    // Without a refresh token the connection ends with the token in hand.
    expect(await row()).toMatchObject({ refreshable: false, expires_at: expect.any(Date) as Date });
    await stack.database.db.tenant(tenant_id, (tx) =>
      tx.binding.updateMany({ data: { expires_at: new Date(Date.now() - 1000) } }),
    );
    const told: CredentialFact[] = [];
    const events = {
      ...credentialEvents,
      stale: async (_tx: unknown, fact: CredentialFact) => Promise.resolve(void told.push(fact)),
    };
    // A worker of this stack may have looked first.
    await sweepBindings(stack.database.db, events);
    await sweepBindings(stack.database.db, events);
    expect(told.filter((fact) => fact.tenant_id === tenant_id).length).toBeLessThanOrEqual(1);
    expect(await row()).toMatchObject({ stale_reason: 'expired' });
    await connect(stack, owner.token, { pack_id: 'mailer' });
    expect(await row()).toMatchObject({ stale_at: null, stale_reason: null, version: 2 });
  });
});
