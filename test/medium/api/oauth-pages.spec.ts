import { createHash, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAuthClients } from '@hcp/tenancy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, CALLBACK, Client, pkce, type Page } from '../../support/oauth-browser.js';
import { Api, ISSUER, type Person } from './auth-harness.js';

/** SPEC I2, T5: what a browser sees of signing in for an MCP client, over two replicas. */
let api: Api;
let one: string;
let two: string;
let tenant_id: string;
let person: Person;
let client: Client;

beforeAll(async () => {
  api = await Api.start(2);
  [one = '', two = ''] = api.urls;
  tenant_id = await api.tenant();
  person = await api.person(tenant_id, 'member');
  client = await Client.register(one);
});
afterAll(() => api.stop());

const { challenge } = pkce();
const register = (fields: Record<string, unknown>) =>
  api.call<{ error?: string }>('POST', '/oauth/register', { body: { redirect_uris: [CALLBACK], ...fields } });

it('counts guesses of one person however the address is spelled, with those of the API', async () => {
  const guessed = await api.person(tenant_id, 'member');
  const browser = new Browser();
  const login = await browser.get(client.url(two, challenge));
  const guess = (email: string) => browser.post(`${two}/oauth/login`, { ...login.fields, email, password: 'wrong' });
  const spellings = Array.from({ length: 10 }, (_, at) => `${' '.repeat(at)}${guessed.email.toUpperCase()}\t`);
  for (const email of spellings) expect((await guess(email)).status).toBe(401);
  expect((await guess(`\u00a0${guessed.email}`)).status).toBe(429);
  const body = { email: guessed.email, password: guessed.password };
  expect((await api.call('POST', '/v1/auth/token', { body, replica: 1 })).status).toBe(429);
});

it('has room for no more clients that documents describe than that register themselves', async () => {
  const url = 'https://client.example/app.json';
  const document = {
    client_id: url,
    client_name: 'App',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
  };
  const clients = (max: number) => new OAuthClients(api.database.db, () => Promise.resolve(document), max);
  const find = (max: number) => clients(max).find(url, () => Promise.resolve());
  expect(await find(1)).toMatchObject({ ok: false, error: 'temporarily_unavailable' });
  expect(await clients(1).register({ redirect_uris: [CALLBACK] })).toMatchObject({ error: 'temporarily_unavailable' });
  expect(await find(1000)).toMatchObject({ ok: true });
  expect(await find(1)).toMatchObject({ ok: true });
});

/** The page after a good password, or what came instead. */
async function signedIn(browser: Browser, who: Person = person, by: Client = client): Promise<Page> {
  const login = await browser.get(by.url(one, challenge));
  return browser.post(`${one}/oauth/login`, { ...login.fields, email: who.email, password: who.password });
}

function expectPage(page: Page, status: number): void {
  expect(page.status, page.text).toBe(status);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('location')).toBeNull();
  expect(page.headers.get('x-frame-options')).toBe('DENY');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('referrer-policy')).toBe('same-origin');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("base-uri 'none'");
  expect(policy).not.toContain('unsafe');
  expect(policy).not.toContain('script-src');
  const style = /<style>(.*?)<\/style>/s.exec(page.text)?.[1] ?? '';
  expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  expect(page.text).not.toMatch(/<script|<iframe|<img|<[a-z][^>]*\s(?:on\w+|style)=/i);
}

describe('the pages', () => {
  it('ask for a password, then for a yes, and say what it means', async () => {
    const browser = new Browser();
    const login = await browser.get(client.url(two, challenge));
    expectPage(login, 200);
    expect(login.headers.get('content-security-policy')).toContain("form-action 'self';");
    expect(login.headers.get('set-cookie')).toMatch(/^hcp-oauth=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    for (const [, label] of login.text.matchAll(/<label for="(\w+)"/g)) expect(login.text).toContain(`id="${label}"`);
    const asked = await signedIn(browser);
    expectPage(asked, 200);
    expect(asked.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:41999;");
    for (const words of ['A test', '127.0.0.1:41999', 'acts as an agent for you', 'It can never approve']) {
      expect(asked.text).toContain(words);
    }
    expect(asked.text).toContain('<html lang="en">');
  });

  it('send who refuses back without a code, and say so in the log', async () => {
    const place = await client.consent(one, person, challenge, { answer: 'no' });
    expect(Object.fromEntries(place.searchParams)).toEqual({ error: 'access_denied', state: 'a state', iss: ISSUER });
    const events = await api.database.db.tenant(tenant_id, (tx) =>
      tx.auditEvent.findMany({ where: { action: 'oauth.consent' } }),
    );
    expect(events.at(-1)).toMatchObject({ decision: 'deny', principal_id: person.id });
  });

  it('give one code for one sign-in', async () => {
    const browser = new Browser();
    const asked = await signedIn(browser);
    const answer = () => browser.post(`${one}/oauth/consent`, { ...asked.fields, answer: 'yes' });
    expect((await answer()).status).toBe(303);
    expectPage(await answer(), 400);
  });

  it('let a person of several tenants choose one of their own', async () => {
    const second = await api.tenant({ name: 'Second & <i>' });
    const foreign = await api.tenant();
    await api.person(foreign);
    await api.person(second, 'member', person);
    const browser = new Browser();
    const asked = await signedIn(browser);
    expect(asked.text.match(/type="radio"/g)).toHaveLength(2);
    expect(asked.text).toContain('Second &amp; &lt;i&gt;');
    const answer = (tenant: string) =>
      browser.post(`${two}/oauth/consent`, { ...asked.fields, tenant_id: tenant, answer: 'yes' });
    for (const tenant of [foreign, randomUUID(), 'x', '']) expectPage(await answer(tenant), 400);
    const { tenant_id: _none, ...without } = asked.fields;
    const again = await browser.post(`${one}/oauth/consent`, { ...without, answer: 'yes' });
    expectPage(again, 400);
    expect(again.text).toContain('Choose one of the tenants.');
    expect(again.text.match(/type="radio"/g)).toHaveLength(2);
    expect(again.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:41999;");
    const chosen = { ...again.fields, tenant_id: second, answer: 'yes' };
    expect((await browser.post(`${two}/oauth/consent`, chosen)).status).toBe(303);
    const codes = await api.database.db.tenant(second, (tx) => tx.oauthCode.findMany());
    expect(codes).toMatchObject([{ tenant_id: second, client_id: client.id }]);
  });
});

describe('a client', () => {
  it('cannot write into a page', async () => {
    for (const client_name of [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' autofocus onfocus='alert(1)",
      '&lt;b&gt;',
      '{{constructor}}',
    ]) {
      const evil = await Client.register(one, { client_name });
      const browser = new Browser();
      const login = await browser.get(evil.url(one, challenge, { state: client_name }));
      expectPage(login, 200);
      const wrong = await browser.post(`${one}/oauth/login`, { ...login.fields, email: client_name, password: 'x' });
      expectPage(wrong, 401);
      expectPage(await signedIn(browser, person, evil), 200);
    }
  });

  it('has a name whose hidden characters show', async () => {
    const evil = await Client.register(one, { client_name: 'Good\u202egnihtemos' });
    expect((await new Browser().get(evil.url(one, challenge))).text).toContain('Good\\u202egnihtemos');
  });

  it('is sent nobody, unless a person signed in and the address is exactly its own', async () => {
    for (const redirect_uri of [
      undefined,
      '',
      'https://evil.example/',
      `${CALLBACK}/`,
      `${CALLBACK}?x=1`,
      `${CALLBACK}#x`,
      CALLBACK.replace('http:', 'https:'),
      CALLBACK.replace('127.0.0.1', 'localhost'),
      'http://127.0.0.1:41999@evil.example/callback',
      'http://127.0.0.1:41999/x/../callback',
      '//evil.example',
      'javascript:alert(1)',
    ]) {
      expectPage(await new Browser().get(client.url(one, challenge, { redirect_uri })), 400);
    }
    const other_port = await new Browser().get(
      client.url(one, challenge, { redirect_uri: CALLBACK.replace('41999', '5') }),
    );
    expectPage(other_port, 200);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['no challenge', { code_challenge: undefined }],
    ['no method', { code_challenge_method: undefined }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['a challenge of another kind', { code_challenge: 'x' }],
    ['another response type', { response_type: 'token' }],
    ['another response mode', { response_mode: 'fragment' }],
    ['a request object', { request: 'x' }],
    ['another resource', { resource: 'https://other.example/mcp' }],
    ['the API as resource', { resource: `${ISSUER}/v1` }],
    ['a long state', { state: 'a'.repeat(2049) }],
    ['no client', { client_id: undefined }],
    ['an unknown client', { client_id: randomUUID() }],
    ['a client that is no id', { client_id: "' OR 1=1 --" }],
  ])('is told on a page, and nobody is sent anywhere: %s', async (_what, changes) => {
    const page = await new Browser().get(client.url(one, challenge, changes));
    expectPage(page, changes['client_id'] ? 401 : 400);
    // A parameter is named as it is written.
    expect(page.text).toMatch(/role="alert">Why: [a-z]/);
  });

  it('says each thing once', async () => {
    const url = client.url(one, challenge);
    for (const more of ['redirect_uri=https://evil.example', `client_id=${client.id}`, 'state=b', 'other=1&other=2']) {
      expectPage(await new Browser().get(`${url}&${more}`), 400);
    }
  });

  it('registers by rules', async () => {
    const uris = [
      'http://example.com/',
      'https://a.example/#x',
      'https://user@a.example/',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'ms-msdt:/id',
      '/relative',
      'https://a.example/ x',
      'https://a.example;sandbox/',
      'https://[::1]/',
    ];
    for (const uri of uris) {
      expect((await register({ redirect_uris: [uri] })).body.error, uri).toBe('invalid_redirect_uri');
    }
    for (const redirect_uris of [[], 'x', undefined, Array(11).fill(CALLBACK)]) {
      expect((await register({ redirect_uris })).body.error).toBe('invalid_redirect_uri');
    }
    for (const client_name of ['a\u0000b', 'a'.repeat(101), 1]) {
      expect((await register({ client_name })).body.error).toBe('invalid_client_metadata');
    }
    const fine = await register({
      redirect_uris: ['https://a.example/cb?x=1', 'com.example.app:/cb', 'cursor://x/cb', 'http://[::1]:1/cb'],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['implicit'],
      logo_uri: 'https://a.example/logo',
    });
    expect(fine).toMatchObject({
      status: 201,
      body: { client_name: 'a.example', token_endpoint_auth_method: 'none', response_types: ['code'] },
    });
    expect(fine.body).not.toHaveProperty('client_secret');
  });
});

describe('a form', () => {
  it('of another site is refused, and one of another browser', async () => {
    const victim = new Browser();
    const login = await victim.get(client.url(one, challenge));
    const good = { ...login.fields, email: person.email, password: person.password };
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: `${one}.evil.example` }]) {
      expect((await victim.post(`${one}/oauth/login`, good, headers)).status).toBe(403);
    }
    // The attacker's own ticket in the victim's browser, and a ticket without its browser.
    const attacker = await new Browser().get(client.url(one, challenge));
    expectPage(await victim.post(`${one}/oauth/login`, { ...good, ...attacker.fields }), 400);
    expectPage(await new Browser().post(`${one}/oauth/login`, good), 400);
    const asked = await signedIn(victim);
    const yes = { ...asked.fields, answer: 'yes' };
    expectPage(await new Browser().post(`${one}/oauth/consent`, yes), 400);
    expect((await victim.post(`${one}/oauth/consent`, yes, { origin: 'https://evil.example' })).status).toBe(403);
    // A ticket of one page is none of another.
    expectPage(await victim.post(`${one}/oauth/consent`, { ...yes, ...login.fields }), 400);
    expectPage(await victim.post(`${one}/oauth/login`, { ...good, ...asked.fields }), 400);
    for (const ticket of ['', 'x', `${login.fields['ticket'] ?? ''}A`]) {
      expectPage(await victim.post(`${one}/oauth/login`, { ...good, ticket }), 400);
    }
    expect((await victim.post(`${one}/oauth/consent`, yes)).status).toBe(303);
  });

  it('with two cookies of the name counts as one without', async () => {
    const victim = new Browser();
    const login = await victim.get(client.url(one, challenge));
    const own = victim.cookies.get('hcp-oauth') ?? '';
    const good = { ...login.fields, email: person.email, password: person.password };
    const cookie = `hcp-oauth=${'A'.repeat(43)}; hcp-oauth=${own}`;
    expectPage(await victim.post(`${one}/oauth/login`, good, { cookie }), 400);
  });

  it('of a person who was stopped meanwhile gives nothing', async () => {
    const other = await api.person(tenant_id, 'member');
    const browser = new Browser();
    const asked = await signedIn(browser, other);
    await api.database.db.tenant(tenant_id, (tx) =>
      tx.principal.updateMany({ where: { id: other.id }, data: { disabled_at: new Date() } }),
    );
    expectPage(await browser.post(`${one}/oauth/consent`, { ...asked.fields, answer: 'yes' }), 400);
  });
});

describe('a wrong password', () => {
  it('is asked for again, in words that tell nothing, and stopped after ten', async () => {
    const other = await api.person(tenant_id, 'member');
    const browser = new Browser();
    const login = await browser.get(client.url(two, challenge));
    const attempt = (email: string, password: string) =>
      browser.post(`${two}/oauth/login`, { ...login.fields, email, password });
    const known = await attempt(other.email, 'wrong');
    const unknown = await attempt(`${randomUUID()}@example.com`, 'wrong');
    expectPage(known, 401);
    expect(unknown.text).toBe(known.text);
    for (let tries = 1; tries < 10; tries += 1) expect((await attempt(other.email, 'wrong')).status).toBe(401);
    const stopped = await attempt(other.email, other.password);
    expectPage(stopped, 429);
    expect(stopped.text).toContain('Too many failures');
    const failures = await api.database.db.tenant(tenant_id, (tx) =>
      tx.auditEvent.count({ where: { action: 'auth.login', decision: 'deny', principal_id: other.id } }),
    );
    expect(failures).toBe(10);
  });
});

describe('a client that is known by its document', () => {
  let host: Server;
  let base: string;
  let reads = 0;
  let document: (id: string) => unknown;
  let other: Api;

  beforeAll(async () => {
    host = createServer((request, response) => {
      reads += 1;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(document(`${base}${request.url ?? ''}`)));
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${String((host.address() as AddressInfo).port)}`;
    other = await Api.start(1, { HCP_EGRESS_ALLOW_PRIVATE: base.slice('http://'.length) });
  });
  afterAll(async () => {
    await other.stop();
    await new Promise((resolve) => host.close(resolve));
  });

  const ask = (id: string, at = other.urls[0] ?? '') => new Browser().get(client.url(at, challenge, { client_id: id }));

  it('is read once in a while, and signs a person in', async () => {
    document = (client_id) => ({ client_id, client_name: 'By a document', redirect_uris: [CALLBACK] });
    const id = `${base}/client.json`;
    expect((await ask(id)).text).toContain('By a document');
    expect((await ask(id)).status).toBe(200);
    expect(reads).toBe(1);
  });

  it.each([
    ['names another client', () => ({ client_id: 'https://a.example/x', redirect_uris: [CALLBACK] })],
    ['names none', () => ({ redirect_uris: [CALLBACK] })],
    ['has no address to go back to', (client_id: string) => ({ client_id, redirect_uris: [] })],
    ['has a bad one', (client_id: string) => ({ client_id, redirect_uris: ['javascript:alert(1)'] })],
    [
      'is of a client with a secret',
      (client_id: string) => ({
        client_id,
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'client_secret_post',
      }),
    ],
    ['is no object', () => 'x'],
  ])('is refused where it %s', async (_what, said) => {
    document = said;
    expectPage(await ask(`${base}/${randomUUID()}.json`), 401);
  });

  it('is read through the egress check alone', async () => {
    document = (client_id) => ({ client_id, redirect_uris: [CALLBACK] });
    const before = reads;
    // The first API does not list the host.
    expectPage(await ask(`${base}/private.json`, one), 401);
    for (const id of [
      'https://127.0.0.1/x',
      'https://169.254.169.254/x',
      `${base}/`,
      base,
      `${base}/a/../b`,
      'ftp://a/b',
    ]) {
      expectPage(await ask(id), 401);
    }
    expect(reads).toBe(before);
  });
});

describe('the metadata', () => {
  it('leads from the resource to everything else', async () => {
    const get = (path: string) => api.call('GET', path);
    const resource = await get('/.well-known/oauth-protected-resource/mcp');
    expect(resource.body).toMatchObject({
      resource: `${ISSUER}/mcp`,
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
      scopes_supported: ['mcp'],
    });
    expect((await get('/.well-known/oauth-protected-resource')).body).toEqual(resource.body);
    const server = (await get('/.well-known/oauth-authorization-server')).body;
    expect(server).toMatchObject({
      issuer: ISSUER,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    });
    for (const [name, url] of Object.entries(server)) {
      if (!/_endpoint$|_uri$/.test(name)) continue;
      const path = String(url).slice(ISSUER.length);
      expect((await api.call(name === 'jwks_uri' || name.startsWith('auth') ? 'GET' : 'POST', path)).status).not.toBe(
        404,
      );
    }
    expect((await get('/.well-known/openid-configuration')).status).toBe(404);
  });
});

it('registrations of one address are bounded', async () => {
  const answers: number[] = [];
  for (let count = 0; count < 31; count += 1) {
    answers.push(
      (await api.call('POST', '/oauth/register', { body: { redirect_uris: [CALLBACK] }, replica: 1 })).status,
    );
  }
  expect(answers.at(-1)).toBe(429);
  expect(answers[0]).toBe(201);
});
