import { randomUUID } from 'node:crypto';
import { makeTenant } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, cookiesSet, ownPage } from '../support/browser.js';
import { call } from '../support/http.js';
import { startStack, signedIn, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** SPEC T5: the dashboard's tokens are in cookies, which count only in what its own pages send. */

let stack: Stack;
let tenant_id: string;
let owner: Person;
let base: string;
let other_replica: string;
beforeAll(async () => {
  stack = await startStack({ apis: 2, workers: 0 });
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  [base, other_replica = ''] = stack.urls;
}, 120_000);
afterAll(() => stack.stop());

async function signedInBrowser(): Promise<Browser> {
  const browser = new Browser(base);
  expect((await browser.signIn(owner)).status).toBe(200);
  return browser;
}

const forbidden = { status: 403, body: { code: 'forbidden' } };
const unknown = { status: 401, body: { code: 'unauthenticated' } };

describe('signing in', () => {
  it('puts the tokens into cookies that no script reads and no other site sends, and nowhere else', async () => {
    const answer = await new Browser(base).signIn(owner);
    expect(answer.body).toEqual({
      tenant_id,
      expires_in: 900,
      session_expires_at: expect.stringMatching(/Z$/) as string,
    });
    const cookies = cookiesSet(answer.headers);
    expect([...cookies.keys()]).toEqual(['hcp-session', 'hcp-renewal']);
    for (const { value, attributes } of cookies.values()) {
      const { 'max-age': seconds, ...others } = attributes;
      expect(others).toEqual({ path: '/', httponly: '', samesite: 'Strict' });
      expect(Number(seconds)).toBeGreaterThan(7.9 * 3600);
      expect(Number(seconds)).toBeLessThanOrEqual(8 * 3600);
      expect(JSON.stringify(answer.body)).not.toContain(value);
    }
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('opens an interactive session of the person, listed as any other', async () => {
    const browser = await signedInBrowser();
    const me = await browser.send<{ session: { id: string; interactive: boolean }; is_agent: boolean }>(
      'GET',
      '/v1/me',
    );
    expect(me.body).toMatchObject({ session: { interactive: true }, is_agent: false, principal: { id: owner.id } });
    const { body } = await browser.send<{ items: { id: string; current: boolean }[] }>('GET', '/v1/sessions?limit=200');
    expect(body.items.filter(({ current }) => current).map(({ id }) => id)).toEqual([me.body.session.id]);
  });

  it('names the tenants of who belongs to several, and sets nothing', async () => {
    const { id: second } = await makeTenant(stack.database.db);
    const person = await signedIn(stack, tenant_id, 'member');
    await stack.database.db.tenant(second, async (tx) => {
      const { id: user_id } = await tx.user.findFirstOrThrow({ where: { email: person.email } });
      await tx.principal.create({ data: { tenant_id: second, id: randomUUID(), kind: 'human', name: 'x', user_id } });
    });
    const browser = new Browser(base);
    const asked = await browser.signIn(person);
    expect(asked).toMatchObject({ status: 409, body: { code: 'tenant_required' } });
    expect((asked.body as { tenants: { id: string }[] }).tenants.map(({ id }) => id).sort()).toEqual(
      [tenant_id, second].sort(),
    );
    expect(browser.cookies.size).toBe(0);
    expect((await browser.signIn(person, second)).body).toMatchObject({ tenant_id: second });
  });

  it('refuses a wrong password, counts it with those of the other way in, and sets nothing', async () => {
    const person = await signedIn(stack, tenant_id, 'member');
    const browser = new Browser(base);
    const wrong = { email: person.email, password: 'wrong' };
    for (let times = 0; times < 5; times += 1) {
      expect((await browser.signIn(wrong)).status).toBe(401);
      expect((await stack.call('POST', '/v1/auth/token', { body: wrong })).status).toBe(401);
    }
    expect((await browser.signIn(wrong)).status).toBe(429);
    expect(browser.cookies.size).toBe(0);
  });

  it('keeps nothing that the browser brought (fixation), and ends the session that it had', async () => {
    const browser = await signedInBrowser();
    const before = new Map(browser.cookies);
    await browser.signIn(owner);
    for (const [name, value] of before) expect(browser.cookies.get(name)).not.toBe(value);
    const old = new Browser(base);
    for (const [name, value] of before) old.cookies.set(name, value);
    expect((await old.send('GET', '/v1/me')).status).toBe(401);
    expect((await browser.send('GET', '/v1/me')).status).toBe(200);
  });
});

describe('another site', () => {
  const rename = { name: 'mine' };
  const attempts: [string, (own: Record<string, string>) => Record<string, string>][] = [
    ['names its origin', (own) => ({ ...own, origin: 'https://evil.example' })],
    ['has an opaque origin', (own) => ({ ...own, origin: 'null' })],
    ['is another port of this host', (own) => ({ ...own, origin: 'http://127.0.0.1:1' })],
    ['is this host by another scheme', (own) => ({ ...own, origin: (own.origin ?? '').replace('http:', 'https:') })],
    ['sends no header of ours', ({ origin }) => ({ origin: origin ?? '' })],
    ['sends the header with another value', (own) => ({ ...own, 'hcp-csrf': 'true' })],
    ['sends no origin', ({ origin: _, ...own }) => own],
    ['is a sibling by what the browser says', (own) => ({ ...own, 'sec-fetch-site': 'same-site' })],
    ['is another site by what the browser says', (own) => ({ ...own, 'sec-fetch-site': 'cross-site' })],
    ['is nobody by what the browser says', (own) => ({ ...own, 'sec-fetch-site': 'none' })],
  ];

  it.each(attempts)('that %s changes nothing', async (_, headersFrom) => {
    const browser = await signedInBrowser();
    const headers = headersFrom(ownPage(base));
    expect(await browser.send('POST', '/v1/projects', { body: rename, headers })).toMatchObject(forbidden);
    const { body } = await stack.call<{ items: object[] }>('GET', '/v1/projects', { token: owner.token });
    expect(body.items).toEqual([]);
    // Nor does it sign anybody in, renew or sign out.
    for (const path of ['sign-in', 'renew', 'sign-out']) {
      const { email, password } = owner;
      const answer = await browser.send('POST', `/v1/auth/browser/${path}`, {
        headers,
        ...(path === 'sign-in' && { body: { email, password } }),
      });
      expect(answer).toMatchObject(forbidden);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect((await browser.send('GET', '/v1/me')).status).toBe(200);
  });

  it('reads nothing either, streams included', async () => {
    const browser = await signedInBrowser();
    for (const path of ['/v1/me', '/v1/events', '/v1/audit']) {
      for (const headers of [
        {},
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'none' },
        { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
      ] as Record<string, string>[]) {
        expect(await browser.send('GET', path, { headers })).toMatchObject(forbidden);
      }
    }
  });
});

describe('a page of this site', () => {
  it('changes things, and reads with what an EventSource can say', async () => {
    const browser = await signedInBrowser();
    const made = await browser.send<{ id: string }>('POST', '/v1/projects', { body: { name: 'theirs' } });
    expect(made.status).toBe(201);
    expect((await browser.send('DELETE', `/v1/projects/${made.body.id}`)).status).toBe(204);
    const stream = await fetch(`${base}/v1/events`, {
      headers: { cookie: browser.header(), 'sec-fetch-site': 'same-origin', accept: 'text/event-stream' },
    });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  it('is an agent where it says so, as with any token', async () => {
    const browser = await signedInBrowser();
    const headers = { ...ownPage(base), 'hcp-agent': '1' };
    expect((await browser.send('GET', '/v1/me', { headers })).body).toMatchObject({ is_agent: true });
  });
});

describe('the cookie', () => {
  it('is nothing beside Authorization, good or bad', async () => {
    const browser = await signedInBrowser();
    const { token } = await signedIn(stack, tenant_id, 'member');
    const with_token = (authorization: string) =>
      browser.send<{ principal: { id: string } }>('GET', '/v1/me', { headers: { ...ownPage(base), authorization } });
    expect((await with_token(`Bearer ${token}`)).body.principal.id).not.toBe(owner.id);
    for (const bad of ['Bearer x', 'Basic eDp5', 'Bearer ']) expect(await with_token(bad)).toMatchObject(unknown);
    // Nor does a token need what a cookie needs.
    const bare = await call(base, 'GET', '/v1/me', { token, headers: { cookie: browser.header() } });
    expect(bare.status).toBe(200);
  });

  it('opens neither /mcp nor /oauth', async () => {
    const browser = await signedInBrowser();
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = { ...ownPage(base), accept: 'application/json, text/event-stream' };
    expect((await browser.send('POST', '/mcp', { body, headers })).status).toBe(401);
    const page = await fetch(`${base}/oauth/authorize`, { headers: { ...headers, cookie: browser.header() } });
    expect(page.status).toBe(400);
  });

  it('is good only alone, whole and with a token of ours', async () => {
    const browser = await signedInBrowser();
    const good = browser.cookies.get('hcp-session') ?? '';
    const send = (cookie: string) => call(base, 'GET', '/v1/me', { headers: { ...ownPage(base), cookie } });
    expect((await send(`a=b; hcp-session=${good}; c`)).status).toBe(200);
    for (const cookie of [
      `hcp-session=${good}; hcp-session=${good}`,
      `hcp-session=x; hcp-session=${good}`,
      `hcp-session=${good.slice(0, -2)}`,
      `hcp-session="${good}"`,
      'hcp-session=',
      `__Host-hcp-session=${good}`,
      `hcp-session=${browser.cookies.get('hcp-renewal') ?? ''}`,
    ]) {
      expect(await send(cookie), cookie.slice(0, 30)).toMatchObject(unknown);
    }
    const id = randomUUID().replaceAll('-', '');
    expect(await send(`hcp-session=hcp_${id}_${'A'.repeat(43)}`)).toMatchObject(unknown);
  });
});

describe('the session', () => {
  it('is renewed for new cookies, and ends where a used one comes again', async () => {
    const browser = await signedInBrowser();
    const used = browser.cookies.get('hcp-renewal') ?? '';
    const renewed = await browser.send('POST', '/v1/auth/browser/renew');
    expect(renewed).toMatchObject({ status: 200, body: { tenant_id, expires_in: 900 } });
    expect(browser.cookies.get('hcp-renewal')).not.toBe(used);
    expect((await browser.send('GET', '/v1/me')).status).toBe(200);
    const thief = new Browser(base);
    thief.cookies.set('hcp-renewal', used);
    expect((await thief.send('POST', '/v1/auth/browser/renew')).status).toBe(401);
    expect((await browser.send('GET', '/v1/me')).status).toBe(401);
    expect((await new Browser(base).send('POST', '/v1/auth/browser/renew')).status).toBe(401);
  });

  it('ends with signing out, on every replica, and the cookies go', async () => {
    const browser = await signedInBrowser();
    const kept = new Map(browser.cookies);
    const out = await browser.send('POST', '/v1/auth/browser/sign-out');
    expect(out.status).toBe(204);
    for (const { value, attributes } of cookiesSet(out.headers).values()) {
      expect([value, attributes['max-age']]).toEqual(['', '0']);
    }
    expect(browser.cookies.size).toBe(0);
    for (const url of [base, other_replica]) {
      const copy = new Browser(base);
      for (const [name, value] of kept) copy.cookies.set(name, value);
      expect((await copy.send('GET', '/v1/me', { base: url })).status).toBe(401);
      for (const [name, value] of kept) copy.cookies.set(name, value);
      expect((await copy.send('POST', '/v1/auth/browser/renew', { base: url })).status).toBe(401);
    }
    // Again it is no error: there is nothing left to end.
    expect((await browser.send('POST', '/v1/auth/browser/sign-out')).status).toBe(204);
    const audit = await stack.call<{ items: { action: string; principal_id: string }[] }>('GET', '/v1/audit?limit=5', {
      token: owner.token,
    });
    expect(audit.body.items).toContainEqual(expect.objectContaining({ action: 'auth.logout', principal_id: owner.id }));
  });

  it('that was revoked elsewhere is over on the next call, and the cookies go', async () => {
    const browser = await signedInBrowser();
    const me = await browser.send<{ session: { id: string } }>('GET', '/v1/me');
    const revoked = await call(other_replica, 'DELETE', `/v1/sessions/${me.body.session.id}`, { token: owner.token });
    expect(revoked.status).toBe(204);
    expect(await browser.send('GET', '/v1/me')).toMatchObject(unknown);
    expect(browser.cookies.size).toBe(0);
  });

  it('outlives its access token: what only ran out takes no cookie away', async () => {
    const browser = await signedInBrowser();
    const renewal = browser.cookies.get('hcp-renewal');
    browser.cookies.set('hcp-session', 'eyJhbGciOiJub25lIn0.e30.');
    expect((await browser.send('GET', '/v1/me')).status).toBe(401);
    expect(browser.cookies.get('hcp-renewal')).toBe(renewal);
    expect((await browser.send('POST', '/v1/auth/browser/renew')).status).toBe(200);
    expect((await browser.send('GET', '/v1/me')).status).toBe(200);
  });
});
