import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { hashPassword, mintSecret } from '@hcp/tenancy';
import { createTestDatabase, freePort, makeHuman, makeTenant, makeUser, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/http.js';
import { eventually, startNode, type Started } from '../../support/process.js';

const API = fileURLToPath(new URL('../../../apps/api/dist/main.js', import.meta.url));

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function start(root_key: string): Promise<{ api: Started; url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const api = startNode(API, {
    NODE_ENV: 'production',
    LOG_LEVEL: 'trace',
    PORT: String(port),
    PUBLIC_URL: url,
    DATABASE_URL: database.app_url,
    QUEUE_DATABASE_URL: database.queue_url,
    HCP_ROOT_KEY: root_key,
    HCP_DRAIN_MS: '500',
    HCP_MAIL_DIR: '/var/tmp/hcp-test-mail',
  });
  await eventually('the api is up', async () => (await fetch(`${url}/healthz`).catch(() => null))?.ok ?? false, 60_000);
  return { api, url };
}

describe('the api process', () => {
  it('refuses to start in a bad environment, naming the variables and no value', async () => {
    const api = startNode(API, { PORT: 'hunter2', PUBLIC_URL: 'http://localhost', HCP_ROOT_KEY: 'hunter2' });
    expect(await api.exited).toBe(1);
    for (const name of ['PORT', 'HCP_ROOT_KEY', 'DATABASE_URL', 'QUEUE_DATABASE_URL'])
      expect(api.output()).toContain(name);
    expect(api.output()).not.toContain('hunter2');
  });

  it('logs each request with its id and nothing secret, and ends on SIGTERM though a client stays connected', async () => {
    const root_key = randomBytes(32).toString('hex');
    const { api, url } = await start(root_key);
    try {
      const { id: tenant_id } = await makeTenant(database.db);
      const password = `password-${randomUUID()}`;
      const user = await makeUser(database.db, { password_hash: await hashPassword(password) });
      const human = await makeHuman(database.db, tenant_id, { user_id: user.id });
      const key = mintSecret('hcp', randomUUID());
      await database.db.tenant(tenant_id, (tx) =>
        tx.apiKey.create({
          data: {
            tenant_id,
            id: `${key.token.slice(4, 12)}-${key.token.slice(12, 16)}-${key.token.slice(16, 20)}-${key.token.slice(20, 24)}-${key.token.slice(24, 36)}`,
            principal_id: human.id,
            name: 'k',
            secret_hash: key.secret_hash,
          },
        }),
      );
      const body = { email: user.email, password };
      const signed = await call<{ access_token: string; refresh_token: string }>(url, 'POST', '/v1/auth/token', {
        body,
      });
      expect(signed.status).toBe(200);
      const { access_token, refresh_token } = signed.body;
      const me = await call(url, 'GET', '/v1/me?note=in-the-query', { token: key.token });
      expect(me.status).toBe(200);
      await call(url, 'GET', '/v1/me', { token: `${key.token}x` });
      await call(url, 'POST', '/v1/auth/refresh', { body: { refresh_token } });
      await call(url, 'POST', '/v1/auth/refresh', { body: { refresh_token } });
      await call(url, 'POST', '/v1/auth/token', { raw: `{"password":"${password}",}` });
      await call(url, 'POST', '/v1/auth/token', { body: { ...body, password: `${password}-wrong` } });
      const request_id = me.headers.get('request-id') ?? 'none';
      await eventually('the request is logged', async () => Promise.resolve(api.output().includes(request_id)));
      const secrets = [
        password,
        access_token,
        access_token.split('.')[2] ?? '',
        refresh_token,
        refresh_token.slice(-43),
        key.token.slice(-43),
        root_key,
        'in-the-query',
        new URL(database.app_url).password,
      ];
      for (const secret of secrets) expect(api.output().includes(secret)).toBe(false);
      api.kill('SIGTERM');
      expect(await api.exited).not.toBe(1);
    } finally {
      await api.stop();
    }
  });
});
