import { randomUUID } from 'node:crypto';
import { createServer } from 'node:https';
import type { Caller, ResultEnvelope } from '@hcp/core';
import { createProviderClient, Providers, Refresher, revokeAtProvider } from '@hcp/bindings';
import { localKms } from '@hcp/kms';
import { credentialEvents } from '@hcp/sense';
import { Keyring } from '@hcp/tenancy';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leakyPack } from '../../support/leaky.js';
import { OauthProvider, type Fault } from '../../support/oauth-provider.js';
import { connect, registerClient } from '../../support/oauth.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';
import { selfSigned } from '../egress/certificates.js';
import { listening, Names, serve, type Listening } from '../egress/servers.js';

/** Providers that lead to private places: by a name that changes, by a redirect (SPEC S4, CASES 6). */

const ROOT_KEY = '6'.repeat(64);
let stack: Stack;
let idp: OauthProvider;
/** Where secrets must not arrive; loopback is allowed on this stack, so that only a redirect that is not followed keeps them. */
let trap: Listening;
let tenant_id: string;
let owner: Person;
let provider_id: string;

beforeAll(async () => {
  trap = await serve();
  stack = await startStack({ env: { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1', HCP_ROOT_KEY: ROOT_KEY } });
  idp = await OauthProvider.start(randomUUID(), { redirect_uris: [`${stack.urls[0]}/v1/bindings/callback`] });
}, 120_000);
afterAll(async () => {
  await idp.stop();
  await stack.stop();
  await trap.close();
});
beforeEach(async () => {
  idp.fault = () => null;
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  await install(stack, owner.token, await leakyPack('leaky'));
  const made = await registerClient(stack, owner.token, idp);
  provider_id = made.body.id;
  await connect(stack, owner.token, { pack_id: 'leaky' });
});

const row = () => stack.database.db.tenant(tenant_id, (tx) => tx.binding.findFirstOrThrow());
const expire = () =>
  stack.database.db.tenant(tenant_id, (tx) =>
    tx.binding.updateMany({ data: { token_expires_at: new Date(Date.now() - 1000) } }),
  );

describe('a provider that redirects to loopback', () => {
  const away = (status: number): Fault => ({
    kind: 'answer',
    status,
    headers: { location: `http://127.0.0.1:${String(trap.port)}/token` },
  });
  const run = async () => {
    const body = { pack_id: 'leaky', verb_key: 'sum', args: {} };
    return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body })).body;
  };

  it.each([301, 302, 307, 308])('by %i renews nothing; the connection stays as it is', async (status) => {
    await expire();
    idp.fault = (path) => (path === '/token' ? away(status) : null);
    const refused = await run();
    expect(refused).toMatchObject({ ok: false, code: 'mint_failed' });
    expect(refused.error).toContain(`answered ${String(status)}`);
    expect(await row()).toMatchObject({ stale_at: null, token_version: 1 });
    idp.fault = () => null;
    expect(await run()).toMatchObject({ ok: true });
    expect(trap.connections()).toBe(0);
  });

  it('connects nobody, revokes nowhere else, and is not registered by what it redirects to', async () => {
    const { id, version } = await row();
    idp.fault = (path) => (path === '/token' ? away(307) : null);
    const ended = await connect(stack, owner.token, { pack_id: 'leaky' });
    expect(ended).toMatchObject({ status: 400, text: expect.stringContaining('Nothing was connected') as string });
    expect((await row()).version).toBe(version);
    idp.fault = () => away(307);
    expect((await stack.call('DELETE', `/v1/bindings/${id}`, { token: owner.token })).status).toBe(204);
    await stack.call('DELETE', `/v1/providers/${provider_id}`, { token: owner.token });
    expect(await registerClient(stack, owner.token, idp)).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/issuer' }] },
    });
    expect(trap.connections()).toBe(0);
  });
});

describe('a provider whose name becomes private', () => {
  const { key, cert } = selfSigned(['token.test']);
  const names = new Names();
  let server: Omit<Listening, 'seen'>;
  let inner: Listening;

  beforeAll(async () => {
    // Stands for a public place, and is one that passes: it is busy.
    const busy = createServer({ key, cert }, (_request, response) => void response.writeHead(503).end());
    server = await listening(busy);
    inner = await serve(undefined, { host: '127.0.0.2', port: server.port });
  });
  afterAll(async () => {
    await server.close();
    await inner.close();
  });

  /** The connection that is there, as if it had been made through a provider of these names. */
  async function moved() {
    names.set('token.test', ['127.0.0.1']);
    const { db } = stack.database;
    const keyring = new Keyring(localKms([Buffer.from(ROOT_KEY, 'hex')]), db);
    const sealer = (tenant: string) => keyring.tenantKeys(tenant);
    const egress = { resolve: names.resolve, allow_private: [`127.0.0.1:${String(server.port)}`], ca: cert };
    const shared = { db, sealer, providers: new Providers({ egress }), events: credentialEvents };
    const endpoint = (name: string) => `https://token.test:${String(server.port)}/${name}`;
    const made = await createProviderClient({ ...shared, redirect_uri: 'https://hcp.example/' }, caller(), {
      provider: 'moved.example',
      client_id: 'this-installation',
      client_secret: idp.client_secret,
      authorization_endpoint: endpoint('authorize'),
      token_endpoint: endpoint('token'),
      revocation_endpoint: endpoint('revoke'),
    });
    if (!made.ok) throw new Error(made.detail);
    await db.tenant(tenant_id, (tx) => tx.binding.updateMany({ data: { provider_client_id: made.value.id } }));
    await expire();
    const errors: string[] = [];
    const onError = ({ message }: Error): void => void errors.push(message);
    const revoke = revokeAtProvider({ ...shared, onError });
    const refresher = new Refresher({ ...shared, onError }, { retry_ms: [1, 1] });
    return { refresher, revoke, errors, client_id: made.value.id };
  }
  const caller = (): Caller => ({
    tenant_id,
    principal: { id: owner.id, kind: 'human' },
    name: 'Owner',
    acts_for: null,
    session: { id: randomUUID(), interactive: true, api_key_id: null, project_id: null, packs: null },
    is_agent: false,
    authority: { layers: [[{ capability: 'tenant.manage' }]], member_of: [] },
    settings_epoch: 0n,
    platform: false,
  });
  const due = async () => {
    const { id, version, token_version } = await row();
    return { tenant_id, id, version, token_version };
  };

  it.each([['127.0.0.2'], ['169.254.169.254'], ['::ffff:127.0.0.2'], ['8.8.8.8', '127.0.0.2']])(
    'is sent nothing at %s, and the connection stays as it is',
    async (...addresses) => {
      const { refresher, revoke, errors, client_id } = await moved();
      const reached = server.connections();
      names.set('token.test', addresses);
      const refused = await refresher.refresh(await due());
      expect(refused).toEqual({
        ok: false,
        stale: false,
        why: expect.stringContaining('cannot be spoken to safely') as string,
      });
      expect(await row()).toMatchObject({ stale_at: null, token_version: 1 });
      const provider_client = { tenant_id, id: client_id };
      await revoke({ tenant_id, provider_client, token: 'a token of a test', hint: 'refresh_token' });
      expect(errors).toEqual([expect.stringContaining('cannot be spoken to safely')]);
      expect([server.connections() - reached, inner.connections()]).toEqual([0, 0]);
    },
  );

  it('is looked at anew for every try', async () => {
    const { refresher } = await moved();
    const reached = server.connections();
    names.set('token.test', ['127.0.0.1'], ['127.0.0.2']);
    expect(await refresher.refresh(await due())).toMatchObject({ ok: false, stale: false });
    expect([server.connections() - reached, inner.connections()]).toEqual([1, 0]);
    expect(await row()).toMatchObject({ stale_at: null, token_version: 1 });
  });
});
