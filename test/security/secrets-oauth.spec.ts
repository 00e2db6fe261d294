import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResultEnvelope } from '@hcp/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dump, leakFinder, spellings } from '../support/dump.js';
import { Follower } from '../support/follower.js';
import { leakyPack, WAYS } from '../support/leaky.js';
import { Browser, OauthProvider } from '../support/oauth-provider.js';
import { begin, onwards, registerClient } from '../support/oauth.js';
import { hostCommandLines } from '../support/probe.js';
import { eventually } from '../support/process.js';
import { onEveryQueue } from '../support/queues.js';
import { Receiver } from '../support/receiver.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/**
 * CASES 6 for connections by OAuth: the client's secret, tokens, codes, states, PKCE verifiers, links and cookies, looked for
 * wherever anything is kept, shown, sent or listed, after all that may happen to a connection.
 */
onEveryQueue((queue) => {
  const CLIENT_SECRET = `cnry-${randomBytes(12).toString('base64url')}+/%"&\\${randomBytes(9).toString('base64url')}`;
  let stack: Stack;
  let idp: OauthProvider;
  let receiver: Receiver;
  let follower: Follower;
  let redis_heard: () => string = () => '';
  let tenant_id: string;
  let owner: Person;
  const answers: string[] = [];
  const command_lines = new Set<string>();
  /** What only the browser that connects may know. */
  const browsers: string[] = [];

  beforeAll(async () => {
    stack = await startStack({ queue, env: { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1', LOG_LEVEL: 'trace' } });
    if (stack.redis) redis_heard = await stack.redis.monitor();
    idp = await OauthProvider.start(CLIENT_SECRET, { redirect_uris: [`${stack.urls[0]}/v1/bindings/callback`] });
    receiver = await Receiver.start();
    ({ tenant_id, owner } = await tenantWithOwner(stack));
    follower = await Follower.open(`${stack.urls[0]}/v1/events`, owner.token);
    await install(stack, owner.token, await leakyPack('leaky'));
    const events = ['run.finished', 'approval.requested', 'approval.decided'];
    await stack.call('POST', '/v1/webhooks', { token: owner.token, body: { url: receiver.url('/hook'), events } });
  }, 120_000);
  afterAll(async () => {
    follower.leave();
    await receiver.stop();
    await idp.stop();
    await stack.stop();
  });

  async function api(method: string, path: string, body?: object) {
    const answer = await stack.call(method, path, { token: owner.token, ...(body && { body }) });
    answers.push(JSON.stringify([answer.body, [...answer.headers]]));
    return answer;
  }
  async function run(verb_key = 'sum'): Promise<ResultEnvelope> {
    let ended = false;
    const running = api('POST', '/v1/exec', { pack_id: 'leaky', verb_key, args: {} }).finally(() => (ended = true));
    while (!ended) {
      for (const line of hostCommandLines()) command_lines.add(line);
      await sleep(50);
    }
    return (await running).body as unknown as ResultEnvelope;
  }
  const row = () => stack.database.db.tenant(tenant_id, (tx) => tx.binding.findFirstOrThrow());
  const expire = () =>
    stack.database.db.tenant(tenant_id, (tx) =>
      tx.binding.updateMany({ data: { token_expires_at: new Date(Date.now() - 1000) } }),
    );
  /** The way to the provider and back, up to the last step. */
  async function away(): Promise<{ browser: Browser; back: URL; connection_id: string }> {
    const browser = new Browser();
    const { authorize_url, connection_id } = await begin(stack, owner.token, { pack_id: 'leaky' });
    const back = await browser.until(onwards(await browser.open(authorize_url)), `${stack.urls[0]}/v1/bindings/call`);
    const authorize = new URL(browser.visited.find((address) => address.includes('code_challenge=')) ?? 'x:');
    browsers.push(
      new URL(authorize_url).searchParams.get('ticket') ?? '',
      // Before the point stands the connection's id, which is no secret.
      back.searchParams.get('state')?.split('.')[1] ?? '',
      back.searchParams.get('code') ?? '',
      authorize.searchParams.get('nonce') ?? '',
      ...browser.cookies(new URL(stack.urls[0]).host),
    );
    return { browser, back, connection_id };
  }
  async function connected(): Promise<void> {
    const { browser, back, connection_id } = await away();
    const ended = await browser.open(back.href);
    expect(ended.status).toBe(200);
    answers.push(ended.text);
    await api('GET', `/v1/connections/${connection_id}`);
  }
  /** A provider that says all it was told, in the words of an error. */
  const told = (): string => JSON.stringify([CLIENT_SECRET, ...idp.tokens, ...idp.secrets, ...browsers]);
  const secrets = (): string[] => [...new Set([CLIENT_SECRET, ...idp.tokens, ...idp.secrets, ...browsers])];

  it('goes through all that may happen to a connection', async () => {
    const made = await registerClient(stack, owner.token, idp);
    answers.push(JSON.stringify(made.body));
    expect(made.status).toBe(201);
    for (const client_secret of [`${CLIENT_SECRET}\n`, [CLIENT_SECRET]]) {
      expect((await api('PUT', `/v1/providers/${made.body.id}`, { client_secret })).status).toBe(400);
    }
    await connected();
    for (const way of WAYS) expect(JSON.stringify(await run(way))).toContain('[redacted]');
    await expire();
    expect(await run('wait')).toMatchObject({ ok: true });
    for (const [status, error] of [
      [502, 'x'],
      [400, 'invalid_grant'],
    ] as const) {
      await expire();
      const body = JSON.stringify({ error, error_description: told(), error_uri: `https://x.example/?${told()}` });
      idp.fault = (path) => (path === '/token' ? { kind: 'answer', status, body } : null);
      expect(await run()).toMatchObject({ code: 'mint_failed' });
    }
    expect(await row()).toMatchObject({ stale_reason: 'refused' });
    // A way back that the provider spoils, one that comes twice, and one that goes nowhere.
    const spoiled = await away();
    for (let times = 0; times < 2; times += 1) answers.push((await spoiled.browser.open(spoiled.back.href)).text);
    await api('GET', `/v1/connections/${spoiled.connection_id}`);
    idp.fault = () => null;
    const { back } = await away();
    answers.push((await new Browser().open(back.href)).text);
    await connected();
    expect(await run()).toMatchObject({ ok: true });
    const { id } = await row();
    expect((await api('DELETE', `/v1/bindings/${id}`)).status).toBe(204);
    expect(await run()).toMatchObject({ code: 'mint_failed' });
    await connected();
    expect(await run()).toMatchObject({ ok: true });
    // One that is on its way is looked at as well.
    await away();
    const found = secrets();
    expect(found.length).toBeGreaterThan(25);
    for (const secret of found) expect(secret.length).toBeGreaterThan(15);
  }, 120_000);

  it('is found by this search where it is', () => {
    const leaksIn = leakFinder(secrets());
    for (const text of secrets().flatMap(spellings)) expect(leaksIn(`x${text}y`)).toHaveLength(1);
  });

  it('is in no table and no queue', async () => {
    const leaksIn = leakFinder(secrets());
    const rows = [...(await dump(stack.database.superuser_url))];
    expect(rows.find(([table]) => table.endsWith('.connections'))?.[1].length).toBeGreaterThan(4);
    for (const [table, all] of rows) expect({ table, found: all.flatMap(leaksIn) }).toEqual({ table, found: [] });
    if (!stack.redis) return;
    const [held, heard] = [await stack.redis.contents(), redis_heard()];
    expect([held.length > 100, heard.includes(tenant_id)]).toEqual([true, true]);
    expect([leaksIn(held), leaksIn(heard)]).toEqual([[], []]);
  });

  it('is in no answer, no event and no delivery', async () => {
    const leaksIn = leakFinder(secrets());
    for (const way of ['/v1/bindings', '/v1/providers', '/v1/commands', '/v1/packs/leaky', '/v1/webhooks'])
      await api('GET', way);
    let cursor: unknown = '';
    while (typeof cursor === 'string') {
      cursor = (await api('GET', `/v1/audit?limit=50${cursor && `&cursor=${cursor}`}`)).body['next_cursor'];
    }
    const { items } = (await api('GET', '/v1/runs?limit=100')).body as { items: { id: string }[] };
    for (const { id } of items) await api('GET', `/v1/runs/${id}`);
    expect(answers.flatMap(leaksIn)).toEqual([]);
    await eventually('the webhook hears of the runs', () => Promise.resolve(receiver.received.length >= items.length));
    expect(receiver.received.flatMap(({ body, headers }) => leaksIn(JSON.stringify([body, headers])))).toEqual([]);
    const hooks = (await api('GET', '/v1/webhooks')).body as { items: { id: string }[] };
    const deliveries = await api('GET', `/v1/webhooks/${String(hooks.items[0]?.id)}/deliveries?limit=100`);
    expect(leaksIn(JSON.stringify(deliveries.body))).toEqual([]);
    expect(follower.text).toContain('run.updated');
    expect(leaksIn(follower.text)).toEqual([]);
  });

  it('is in no log, no process list and no file', async () => {
    const leaksIn = leakFinder(secrets());
    for (const one of [...stack.apis, ...stack.workers]) {
      const log = one.output();
      if (stack.apis.includes(one)) expect(log).toContain('/v1/bindings/callback');
      // More would have been cut off, and not be looked at.
      expect(log.length).toBeLessThan(2_000_000);
      expect(leaksIn(log)).toEqual([]);
      expect(leaksIn(await readFile(`/proc/${String(one.pid)}/environ`, 'latin1'))).toEqual([]);
    }
    expect([...command_lines].some((line) => line.includes('leaky\0wait'))).toBe(true);
    expect([...command_lines].flatMap(leaksIn)).toEqual([]);
    for (const entry of await readdir(stack.data_dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = await readFile(join(entry.parentPath, entry.name), 'latin1');
      expect({ file: entry.name, found: leaksIn(text) }).toEqual({ file: entry.name, found: [] });
    }
  }, 120_000);
});
