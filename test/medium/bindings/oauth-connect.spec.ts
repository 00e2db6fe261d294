import { createHash, randomUUID } from 'node:crypto';
import type { ResultEnvelope } from '@hcp/core';
import { makeProject } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leakyPack } from '../../support/leaky.js';
import { Browser, OauthProvider } from '../../support/oauth-provider.js';
import { begin, connect, onwards, registerClient } from '../../support/oauth.js';
import { install, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** Connecting an account by OAuth (SPEC B2), on the whole product and a real provider. */

let stack: Stack;
let idp: OauthProvider;
let tenant_id: string;
let owner: Person;

beforeAll(async () => {
  stack = await startStack({ env: { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' } });
  idp = await OauthProvider.start(randomUUID(), { redirect_uris: [`${stack.urls[0]}/v1/bindings/callback`] });
}, 120_000);
afterAll(async () => {
  await idp.stop();
  await stack.stop();
});

beforeEach(async () => {
  Object.assign(idp, { account: 'ada', denies: false, token_ttl_s: 3600, fault: () => null });
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  await install(stack, owner.token, await leakyPack('leaky'));
  expect((await registerClient(stack, owner.token, idp)).body).toMatchObject({ client_id: 'this-installation' });
});

const body = { pack_id: 'leaky' };
const bindings = async (token: string): Promise<Record<string, unknown>[]> =>
  (await stack.call<{ items: Record<string, unknown>[] }>('GET', '/v1/bindings', { token })).body.items;
const connection = async (token: string, id: string) => stack.call('GET', `/v1/connections/${id}`, { token });
async function run(token: string, verb_key = 'sum'): Promise<ResultEnvelope> {
  const exec = { pack_id: 'leaky', verb_key, args: {} };
  return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token, body: exec })).body;
}
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const update = (id: string, data: object): Promise<unknown> =>
  stack.database.db.tenant(tenant_id, (tx) => tx.connection.updateMany({ where: { id }, data }));

describe('a person who connects an account', () => {
  it('sees who asks for what, goes to the provider and back, and runs with the token', async () => {
    const browser = new Browser();
    const { authorize_url, connection_id, code } = await begin(stack, owner.token, body);
    expect((await connection(owner.token, connection_id)).body).toMatchObject({ status: 'pending', binding_id: null });
    const page = await browser.open(authorize_url);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const word of [code, 'leaky', 'leaky.example', 'offline_access']) expect(page.text).toContain(word);
    const ended = await browser.open(onwards(page));
    expect(ended.text).toContain('You can close this page');
    expect(ended.text).toContain('ada@provider.example');
    expect(ended.url).toContain(`${stack.urls[0]}/v1/bindings/callback`);
    const now = (await connection(owner.token, connection_id)).body;
    const [binding] = await bindings(owner.token);
    expect(now).toMatchObject({ status: 'connected', binding_id: binding?.['id'] });
    expect(binding).toMatchObject({
      kind: 'oauth2_code',
      state: 'active',
      version: 1,
      account: 'ada',
      account_name: 'ada@provider.example',
      scopes: ['openid', 'email', 'offline_access'],
      expires_at: null,
      fields: ['token'],
    });
    const answer = await run(owner.token);
    expect(answer).toMatchObject({ ok: true, result: { bearer: true } });
    expect(idp.tokens.map(sha256)).toContain((answer.result as { sha256: string }).sha256);
  });

  it('gives a new version and another account to the binding that is there', async () => {
    await connect(stack, owner.token, body);
    idp.account = 'eve';
    expect((await connect(stack, owner.token, body)).status).toBe(200);
    expect(await bindings(owner.token)).toMatchObject([{ version: 2, account: 'eve', state: 'active' }]);
    const { items } = (await stack.call<{ items: object[] }>('GET', '/v1/audit', { token: owner.token })).body;
    expect(items).toContainEqual(expect.objectContaining({ action: 'binding.connect' }));
    expect(items).toContainEqual(expect.objectContaining({ action: 'binding.reconnect' }));
  });

  it('may do so for a project, or for everybody where they manage bindings', async () => {
    const project_id = (await makeProject(stack.database.db, tenant_id, [owner.id])).id;
    await connect(stack, owner.token, { ...body, project_id });
    await connect(stack, owner.token, { ...body, shared: true });
    expect(await bindings(owner.token)).toMatchObject([
      { project_id, principal_id: owner.id },
      { project_id: null, principal_id: null },
    ]);
    const member = await signedIn(stack, tenant_id, 'member');
    const refused = await stack.call('POST', '/v1/bindings/connect', {
      token: member.token,
      body: { ...body, shared: true },
    });
    expect(refused).toMatchObject({ status: 403, body: { code: 'missing_capability' } });
    expect((await run(member.token)).ok).toBe(true);
  });

  it('is told what to do where the provider is not known, and where there is a secret already', async () => {
    await install(stack, owner.token, await leakyPack('other'));
    const fields = { token: 'a-secret-of-a-test' };
    const stored = { pack_id: 'other', family: 'user', kind: 'secret', fields };
    expect((await stack.call('POST', '/v1/bindings', { token: owner.token, body: stored })).status).toBe(201);
    const taken = await stack.call('POST', '/v1/bindings/connect', { token: owner.token, body: { pack_id: 'other' } });
    expect(taken).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('revoke it first') as string },
    });
    const { items } = (await stack.call<{ items: { id: string }[] }>('GET', '/v1/providers', { token: owner.token }))
      .body;
    await stack.call('DELETE', `/v1/providers/${items[0]?.id ?? ''}`, { token: owner.token });
    const unknown = await stack.call('POST', '/v1/bindings/connect', { token: owner.token, body });
    expect(unknown).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('no OAuth client') as string },
    });
  });
});

describe('a way back', () => {
  /** The address that the provider sends the browser to, not followed. */
  async function away(): Promise<{ browser: Browser; back: URL; id: string; start: string }> {
    const browser = new Browser();
    const { authorize_url, connection_id } = await begin(stack, owner.token, body);
    const start = onwards(await browser.open(authorize_url));
    const back = await browser.until(start, `${stack.urls[0]}/v1/bindings/callback`);
    return { browser, back, id: connection_id, start };
  }
  async function refused(browser: Browser, back: URL, why: string): Promise<void> {
    const page = await browser.open(back.href);
    expect(page.status).toBe(400);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.text).toContain(why);
    expect(page.text).toContain('Begin again');
    for (const [, value] of back.searchParams) expect(page.text).not.toContain(value);
  }

  it('is refused in another browser, and goes on in the one that left', async () => {
    const { browser, back } = await away();
    await refused(new Browser(), back, 'did not begin in this browser');
    expect(await bindings(owner.token)).toEqual([]);
    expect((await browser.open(back.href)).status).toBe(200);
  });

  it('is good once', async () => {
    const { browser, back } = await away();
    expect((await browser.open(back.href)).status).toBe(200);
    await refused(browser, back, 'used before');
    expect(await bindings(owner.token)).toMatchObject([{ version: 1 }]);
  });

  it('leads into the dashboard where it began there, whatever came of it, and nowhere else', async () => {
    const there = { ...body, return_to: 'dashboard' };
    const backOf = async (browser: Browser) => {
      const { authorize_url, connection_id } = await begin(stack, owner.token, there);
      const start = onwards(await browser.open(authorize_url));
      return { id: connection_id, back: await browser.until(start, `${stack.urls[0]}/v1/bindings/callback`) };
    };
    const browser = new Browser();
    const { back, id } = await backOf(browser);
    // Another browser is told here, and hears nothing of the connection's page.
    expect((await new Browser().hop(back)).next).toBeNull();
    const arrived = await browser.hop(back);
    expect(arrived.response.status).toBe(303);
    expect(arrived.next?.href).toBe(`${stack.urls[0]}/bindings/connections/${id}`);
    expect((await connection(owner.token, id)).body).toMatchObject({ status: 'connected' });

    idp.denies = true;
    const refusing = new Browser();
    const second = await backOf(refusing);
    second.back.searchParams.set('return_to', 'https://evil.example');
    expect((await refusing.hop(second.back)).next?.href).toBe(`${stack.urls[0]}/bindings/connections/${second.id}`);
    expect((await connection(owner.token, second.id)).body).toMatchObject({ status: 'failed' });

    const elsewhere = { ...body, return_to: 'https://evil.example' };
    const refused = await stack.call('POST', '/v1/bindings/connect', { token: owner.token, body: elsewhere });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('is good once, however many arrive at the same moment', async () => {
    const { browser, back } = await away();
    const pages = await Promise.all(Array.from({ length: 6 }, () => browser.open(back.href)));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
  });

  it('is over after ten minutes', async () => {
    const { browser, back, id } = await away();
    await update(id, { expires_at: new Date(Date.now() - 1) });
    await refused(browser, back, 'longer than ten minutes');
    expect((await connection(owner.token, id)).body).toMatchObject({ status: 'expired' });
  });

  it('is refused with a state of nobody, of another connection, without one, or with two', async () => {
    const { browser, back } = await away();
    const other = await away();
    const changed = (change: (query: URLSearchParams) => void): URL => {
      const url = new URL(back);
      change(url.searchParams);
      return url;
    };
    const state = back.searchParams.get('state') ?? '';
    const theirs = other.back.searchParams.get('state') ?? '';
    for (const [to, why] of [
      [changed((query) => query.delete('state')), 'names no connection'],
      [changed((query) => query.set('state', 'x')), 'names no connection'],
      [changed((query) => query.append('state', theirs)), 'names no connection'],
      [changed((query) => query.set('state', `${randomUUID()}.${state.split('.')[1] ?? ''}`)), 'names no connection'],
      [
        changed((query) => query.set('state', `${state.split('.')[0] ?? ''}.${theirs.split('.')[1] ?? ''}`)),
        'names no connection',
      ],
      [changed((query) => query.set('state', theirs)), 'did not begin in this browser'],
    ] as const) {
      const page = await browser.open(to.href);
      expect([page.status, page.text.includes(why)]).toEqual([400, true]);
    }
    expect(await bindings(owner.token)).toEqual([]);
  });

  it.each([
    [
      'another issuer',
      (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
      'not what this provider has to send',
    ],
    [
      'no issuer, where the provider says that it sends one',
      (query: URLSearchParams) => query.delete('iss'),
      'not what this provider has to send',
    ],
    ['a code of nobody', (query: URLSearchParams) => query.set('code', 'nobodys'), 'invalid_grant'],
    [
      'an error',
      (query: URLSearchParams) => (query.delete('code'), query.set('error', 'server_error')),
      'server_error',
    ],
    [
      'an error of its own words',
      (query: URLSearchParams) => (query.delete('code'), query.set('error', '<script>')),
      'an error of its own',
    ],
  ])('that brings %s is refused, and its state is spent', async (_what, change, why) => {
    const { browser, back, id } = await away();
    const url = new URL(back);
    change(url.searchParams);
    const page = await browser.open(url.href);
    expect([page.status, page.text.includes(why)], page.text).toEqual([400, true]);
    expect(page.text).not.toContain('<script>');
    expect((await connection(owner.token, id)).body).toMatchObject({
      status: 'failed',
      reason: expect.any(String) as string,
    });
    await refused(browser, back, 'used before');
    expect(await bindings(owner.token)).toEqual([]);
  });

  it('says that access was denied where the person said no', async () => {
    idp.denies = true;
    const ended = await connect(stack, owner.token, body);
    expect(ended).toMatchObject({ status: 400, text: expect.stringContaining('access was denied') as string });
    expect((await connection(owner.token, ended.connection_id)).body).toMatchObject({ status: 'failed' });
  });

  it('keeps nothing where the person may not connect any more', async () => {
    const member = await signedIn(stack, tenant_id, 'member');
    const browser = new Browser();
    const { authorize_url } = await begin(stack, member.token, body);
    const back = await browser.until(
      onwards(await browser.open(authorize_url)),
      `${stack.urls[0]}/v1/bindings/callback`,
    );
    await stack.call('POST', `/v1/members/${member.id}/disable`, { token: owner.token });
    await refused(browser, back, 'may not be connected now');
    expect(await stack.database.db.tenant(tenant_id, (tx) => tx.binding.count())).toBe(0);
  });

  it('begins with a link that is good once and that looking at does not use up', async () => {
    const { authorize_url, connection_id } = await begin(stack, owner.token, body);
    const browser = new Browser();
    for (let look = 0; look < 3; look += 1) expect((await browser.open(authorize_url)).status).toBe(200);
    const page = await browser.open(authorize_url);
    await browser.until(onwards(page), idp.issuer);
    expect((await new Browser().open(authorize_url)).status).toBe(400);
    expect((await new Browser().open(onwards(page))).status).toBe(400);
    for (const ticket of ['', 'x', 'A'.repeat(43)]) {
      const url = `${stack.urls[0]}/v1/connections/${connection_id}/start?ticket=${ticket}`;
      expect((await new Browser().open(url)).status).toBe(400);
    }
    expect((await new Browser().open(authorize_url.replace(connection_id, randomUUID()))).status).toBe(400);
  });
});

describe('a connection', () => {
  it('is nobody else’s to see, in this tenant or another', async () => {
    const { connection_id } = await begin(stack, owner.token, body);
    const member = await signedIn(stack, tenant_id, 'owner');
    const b = await tenantWithOwner(stack);
    for (const token of [member.token, b.owner.token])
      expect((await connection(token, connection_id)).status).toBe(404);
  });

  it('has at most twenty open ones of a person', async () => {
    for (let n = 0; n < 20; n += 1) await begin(stack, owner.token, body);
    expect((await stack.call('POST', '/v1/bindings/connect', { token: owner.token, body })).status).toBe(409);
  });
});
