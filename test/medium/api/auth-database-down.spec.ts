import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { IdentityProvider } from '../../support/oidc.js';
import { Api } from './auth-harness.js';

/** CASES 34, on two replicas. */
let api: Api;
let idp: IdentityProvider;
beforeEach(async () => {
  idp = await IdentityProvider.start(['ES256']);
  api = await Api.start(2, { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' });
});
afterEach(async () => {
  await api.stop();
  await idp.stop();
});

/** Cuts every connection of the application and lets it make no new one. */
async function cut(allowed: boolean): Promise<void> {
  const url = new URL(api.database.superuser_url);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${String(allowed)}`);
  if (!allowed) await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  await client.end();
}

describe('without its database', () => {
  it('the API recognises nobody, good credentials and revoked ones alike, and does again afterwards', async () => {
    const tenant_id = await api.tenant();
    const ada = await api.signedIn(tenant_id, 'owner');
    const { id, key } = await api.key(tenant_id, ada.id);
    const registration = { issuer: idp.issuer, jit: true };
    const made = await api.call('POST', '/v1/oidc-issuers', { token: ada.token, body: registration });
    const external = await idp.sign({ aud: made.body['audience'], sub: 'ada' });
    const status = async (token: string, replica: number): Promise<number> =>
      (await api.call('GET', '/v1/me', { token, replica })).status;
    // Each replica has seen all of them: whatever it remembers lets nobody in later.
    for (const replica of [0, 1]) {
      for (const token of [ada.token, key, external]) expect(await status(token, replica)).toBe(200);
    }
    expect((await api.call('DELETE', `/v1/api-keys/${id}`, { token: ada.token })).status).toBe(204);
    await cut(false);
    try {
      for (const token of [ada.token, key, external]) {
        for (const replica of [0, 1]) {
          const answer = await api.call('GET', '/v1/me', { token, replica });
          expect([401, 503]).toContain(answer.status);
          expect(JSON.stringify(answer.body)).not.toMatch(/prisma|postgres|connect/i);
        }
      }
      const body = { email: ada.email, password: ada.password };
      expect((await api.call('POST', '/v1/auth/token', { body })).status).toBeGreaterThanOrEqual(500);
      expect((await api.call('GET', '/healthz')).status).toBe(200);
      expect(await api.call('GET', '/readyz')).toMatchObject({ status: 503, body: { database: 'failed' } });
    } finally {
      await cut(true);
    }
    for (const replica of [0, 1]) {
      expect(await status(ada.token, replica)).toBe(200);
      expect(await status(external, replica)).toBe(200);
      expect(await status(key, replica)).toBe(401);
    }
  });
});
