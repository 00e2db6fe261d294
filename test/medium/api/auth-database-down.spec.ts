import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { Api } from './auth-harness.js';

let api: Api;
beforeEach(async () => {
  api = await Api.start();
});
afterEach(() => api.stop());

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
    await api.database.db.tenant(tenant_id, (tx) =>
      tx.apiKey.updateMany({ where: { id }, data: { revoked_at: new Date() } }),
    );
    await cut(false);
    try {
      for (const token of [ada.token, key]) {
        const answer = await api.call('GET', '/v1/me', { token });
        expect([401, 503]).toContain(answer.status);
        expect(JSON.stringify(answer.body)).not.toMatch(/prisma|postgres|connect/i);
      }
      const body = { email: ada.email, password: ada.password };
      expect((await api.call('POST', '/v1/auth/token', { body })).status).toBeGreaterThanOrEqual(500);
      expect((await api.call('GET', '/healthz')).status).toBe(200);
      expect(await api.call('GET', '/readyz')).toMatchObject({ status: 503, body: { database: 'failed' } });
    } finally {
      await cut(true);
    }
    expect((await api.call('GET', '/v1/me', { token: ada.token })).status).toBe(200);
    expect((await api.call('GET', '/v1/me', { token: key })).status).toBe(401);
  });
});
