import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from './auth-harness.js';

/** SPEC T5: who sends is known before anything of a body is taken. */
let api: Api;
beforeAll(async () => {
  api = await Api.start();
});
afterAll(() => api.stop());

/** Sends a head that announces more than comes, and what `then` adds; answers the status line. */
async function trickle(
  head: readonly string[],
  then: (write: (text: string) => void) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const { hostname, port } = new URL(api.urls[0] ?? '');
  const socket = connect(Number(port), hostname);
  const answer = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (text.includes('\r\n')) resolve(text.split('\r\n', 1)[0] ?? '');
    });
    socket.on('error', reject).on('close', () => reject(new Error('closed without an answer')));
  });
  socket.write([...head, `host: ${hostname}:${port}`, '', ''].join('\r\n'));
  try {
    await then((text) => socket.write(text));
    return await answer;
  } finally {
    socket.destroy();
  }
}

const ROUTES = [
  ['POST /v1/exec', 'application/json'],
  ['POST /v1/packs', 'application/gzip'],
  ['POST /v1/packs', 'text/plain'],
] as const;

describe('a body that never comes', () => {
  it.each(ROUTES)('does not keep the answer to who is nobody: %s as %s', async (route, type) => {
    const head = [`${route} HTTP/1.1`, `content-type: ${type}`, 'content-length: 900000'];
    const bearers = ['authorization: Bearer nobody', `authorization: Bearer hcp_${'0'.repeat(32)}_${'A'.repeat(43)}`];
    for (const more of [[], ...bearers.map((line) => [line])]) {
      expect(await trickle([...head, ...more])).toContain(' 401 ');
    }
    const chunked = [`${route} HTTP/1.1`, `content-type: ${type}`, 'transfer-encoding: chunked'];
    expect(await trickle(chunked)).toContain(' 401 ');
  });
});

describe('a body that takes its time', () => {
  it('is not taken from a key that was revoked meanwhile', async () => {
    const tenant_id = await api.tenant();
    const { id, key } = await api.key(tenant_id, await api.principal(tenant_id, 'service'));
    const body = JSON.stringify({ name: 'x' });
    const head = ['POST /v1/sessions HTTP/1.1', 'content-type: application/json', `authorization: Bearer ${key}`];
    const sent = trickle([...head, `content-length: ${body.length}`], async (write) => {
      write(body.slice(0, 2));
      await setTimeout(2500);
      await api.database.db.tenant(tenant_id, (tx) =>
        tx.apiKey.updateMany({ where: { id }, data: { revoked_at: new Date() } }),
      );
      write(body.slice(2));
    });
    expect(await sent).toContain(' 401 ');
  });
});

describe('an address that sends many bad keys', () => {
  it('is told to wait, and a good key from there passes', async () => {
    const tenant_id = await api.tenant();
    const { key } = await api.key(tenant_id, await api.principal(tenant_id, 'service'));
    const bad = `hcp_${'0'.repeat(32)}_${'A'.repeat(43)}`;
    const me = async (token: string) => (await api.call('GET', '/v1/me', { token })).status;
    const seen = new Set<number>();
    for (let i = 0; i < 31; i++) {
      for (const status of await Promise.all(Array.from({ length: 20 }, () => me(bad)))) seen.add(status);
    }
    expect([...seen].sort()).toEqual([401, 429]);
    expect(await me(key)).toBe(200);
  });
});
