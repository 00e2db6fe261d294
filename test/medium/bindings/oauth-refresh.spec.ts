import { createHash, randomUUID } from 'node:crypto';
import type { ResultEnvelope } from '@hcp/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leakyPack } from '../../support/leaky.js';
import { OauthProvider, type Fault } from '../../support/oauth-provider.js';
import { connect, registerClient } from '../../support/oauth.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** Tokens that are renewed (SPEC B5, B6; CASES 5, 6), by two workers and a provider that rotates refresh tokens. */

let stack: Stack;
let idp: OauthProvider;
let tenant_id: string;
let owner: Person;

beforeAll(async () => {
  stack = await startStack({ workers: 2, env: { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' } });
  const redirect_uris = [`${stack.urls[0]}/v1/bindings/callback`];
  idp = await OauthProvider.start(randomUUID(), { redirect_uris });
}, 120_000);
afterAll(async () => {
  await idp.stop();
  await stack.stop();
});

beforeEach(async () => {
  Object.assign(idp, { account: 'ada', token_ttl_s: 3600, fault: () => null });
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  await install(stack, owner.token, await leakyPack('leaky'));
  expect((await registerClient(stack, owner.token, idp)).status).toBe(201);
  expect((await connect(stack, owner.token, { pack_id: 'leaky' })).status).toBe(200);
});

async function run(verb_key = 'sum'): Promise<ResultEnvelope> {
  const body = { pack_id: 'leaky', verb_key, args: {}, wait_ms: 120_000 };
  return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body })).body;
}
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** As if so much of the token's life were over. */
const expire = (): Promise<unknown> =>
  stack.database.db.tenant(tenant_id, (tx) =>
    tx.binding.updateMany({ data: { token_expires_at: new Date(Date.now() - 1000) } }),
  );
const row = () => stack.database.db.tenant(tenant_id, (tx) => tx.binding.findFirstOrThrow({ where: { tenant_id } }));
const onToken =
  (fault: Fault, times = Infinity) =>
  (path: string): Fault | null =>
    path === '/token' && times-- > 0 ? fault : null;

describe('a token that ran out', () => {
  it('is renewed once for 50 runs on two workers, and the newest is used', async () => {
    for (let round = 1; round <= 2; round += 1) {
      await expire();
      const before = idp.count('refresh_token');
      // So slow that every run is there before the answer is.
      idp.fault = onToken({ kind: 'delay', ms: 1500 });
      const answers = await Promise.all(Array.from({ length: 50 }, () => run()));
      expect(answers.filter(({ ok }) => !ok)).toEqual([]);
      expect(idp.count('refresh_token')).toBe(before + 1);
      const used = new Set(answers.map(({ result }) => (result as { sha256: string }).sha256));
      const newest = idp.tokens.map(sha256);
      expect(used.size).toBe(1);
      expect(newest.slice(-2)).toContain([...used][0]);
      expect(await row()).toMatchObject({ version: 1, token_version: 1 + round, refresh_by: null });
    }
  }, 180_000);

  it('is renewed where the provider stumbles first', async () => {
    for (const fault of [
      { kind: 'reset' },
      { kind: 'answer', status: 503 },
      { kind: 'answer', status: 429 },
    ] as const) {
      await expire();
      idp.fault = onToken(fault, 1);
      expect(await run()).toMatchObject({ ok: true });
    }
  });

  it('refuses the run where the provider is down, and leaves the connection as it is', async () => {
    await expire();
    idp.fault = onToken({ kind: 'answer', status: 502, body: 'bad gateway', type: 'text/html' });
    const refused = await run();
    expect(refused).toMatchObject({
      ok: false,
      code: 'mint_failed',
      error: expect.stringContaining('could not be renewed') as string,
    });
    expect(await row()).toMatchObject({ stale_at: null, token_version: 1 });
    idp.fault = () => null;
    expect(await run()).toMatchObject({ ok: true });
  });

  it.each([
    ['invalid_grant', { kind: 'answer', status: 400, body: '{"error":"invalid_grant"}' }, 'refused'],
    ['401', { kind: 'answer', status: 401, body: 'no', type: 'text/plain' }, 'refused'],
    ['invalid_client', { kind: 'answer', status: 401, body: '{"error":"invalid_client"}' }, 'client_refused'],
  ] as const)('makes the connection stale where the provider answers %s', async (_what, fault, reason) => {
    await expire();
    idp.fault = onToken(fault);
    const refused = await run();
    expect(refused).toMatchObject({ code: 'mint_failed', error: expect.stringContaining('is stale') as string });
    expect(refused.hint).toContain('hcpx connect leaky');
    const asked = idp.token_requests;
    expect(await run()).toMatchObject({ code: 'mint_failed' });
    expect(idp.token_requests).toBe(asked);
    const { body } = await stack.call<{ items: object[] }>('GET', '/v1/bindings', { token: owner.token });
    expect(body.items).toMatchObject([{ state: 'stale', stale_reason: reason }]);
    idp.fault = () => null;
    await connect(stack, owner.token, { pack_id: 'leaky' });
    expect(await run()).toMatchObject({ ok: true });
  });

  it('is told to the provider where its connection is revoked', async () => {
    const before = idp.revoked.length;
    const { id } = await row();
    expect((await stack.call('DELETE', `/v1/bindings/${id}`, { token: owner.token })).status).toBe(204);
    expect(idp.revoked.length).toBe(before + 1);
    expect(await run()).toMatchObject({
      code: 'mint_failed',
      hint: expect.stringContaining('hcpx connect leaky') as string,
    });
  });
});

describe('the own account of a client', () => {
  it('is connected without a person, renewed, and rotated', async () => {
    await stack.call('DELETE', `/v1/bindings/${(await row()).id}?forget=1`, { token: owner.token });
    const body = { pack_id: 'leaky', family: 'user', kind: 'oauth2_client_credentials', shared: true };
    // Scopes of a person are none of its own.
    const { body: list } = await stack.call<{ items: { id: string }[] }>('GET', '/v1/providers', {
      token: owner.token,
    });
    await stack.call('PUT', `/v1/providers/${list.items[0]?.id ?? ''}`, { token: owner.token, body: { scopes: [] } });
    const made = await stack.call<{ id: string }>('POST', '/v1/bindings', { token: owner.token, body });
    expect(made.body).toMatchObject({ kind: 'oauth2_client_credentials', state: 'active', version: 1 });
    expect(await run()).toMatchObject({ ok: true });
    await expire();
    const before = idp.count('client_credentials');
    expect(await run()).toMatchObject({ ok: true });
    expect(idp.count('client_credentials')).toBe(before + 1);
    const rotated = await stack.call('POST', `/v1/bindings/${made.body.id}/rotate`, { token: owner.token, body: {} });
    expect(rotated.body).toMatchObject({ version: 2 });
  });
});
