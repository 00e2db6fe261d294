import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Binding } from '@hcp/contracts';
import { makeProject } from '@hcp/testing';
import { expectAccessible, signIn, startBrowser, visit, type Visit, type VisitOptions } from '../support/dashboard.js';
import { leakyPack } from '../support/leaky.js';
import { CLIENT_ID, OauthProvider } from '../support/oauth-provider.js';
import { PROVIDER, registerClient } from '../support/oauth.js';
import { archiveOf } from '../support/packs.js';
import { install, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** Credentials, OAuth clients and Sense in the dashboard, in a real browser, with a real provider's own pages (SPEC I5, B2, N1). */

const STOCK = fileURLToPath(new URL('../../examples/packs/stock', import.meta.url));
const FIELD = 'Token';

let stack: Stack;
let browser: Browser;
let idp: OauthProvider;
let tenant_id: string;
let owner: Person;
let visits: Visit[] = [];

beforeAll(async () => {
  stack = await startStack({ env: { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' } });
  browser = await startBrowser();
  idp = await OauthProvider.start(randomUUID(), {
    redirect_uris: [`${stack.urls[0]}/v1/bindings/callback`],
    pages: true,
  });
}, 180_000);

afterAll(async () => {
  await browser.close();
  await idp.stop();
  await stack.stop();
});

beforeEach(async () => {
  visits = [];
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  await install(stack, owner.token, await leakyPack('leaky'));
});

afterEach(async () => {
  for (const { context, complaints } of visits) {
    await context.close();
    expect(complaints).toEqual([]);
  }
});

async function arriveAs(person: Person, path = '/', options?: VisitOptions): Promise<Page> {
  const one = await visit(browser, stack.urls[0], options);
  visits.push(one);
  // The provider's pages ask another site for a font.
  await one.context.route(/googleapis/, (route) => route.abort());
  await signIn(one.page, person, path);
  return one.page;
}

const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const bindings = async (token = owner.token): Promise<Binding[]> =>
  (await stack.call<{ items: Binding[] }>('GET', '/v1/bindings', { token })).body.items;
const stored = async (token = owner.token, more: object = {}): Promise<Binding> => {
  const body = { pack_id: 'leaky', family: 'user', kind: 'secret', fields: { token: randomUUID() }, ...more };
  return (await stack.call<Binding>('POST', '/v1/bindings', { token, body })).body;
};

/** Everything that this page was answered, and every address that it had. */
function overhear(page: Page): { said: () => Promise<string> } {
  const texts: Promise<string>[] = [];
  page.on('response', (response) => {
    const type = response.headers()['content-type'] ?? '';
    if (type.includes('json')) texts.push(response.text().catch(() => ''));
    texts.push(Promise.resolve(response.url()));
  });
  return { said: async () => (await Promise.all(texts)).join('\n') };
}

/** What is in the page and what the browser keeps, values of inputs too. */
const kept = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      document.documentElement.outerHTML +
      [...document.querySelectorAll('input, textarea')].map((each) => (each as HTMLInputElement).value).join('\n') +
      JSON.stringify({ ...localStorage, ...sessionStorage }) +
      JSON.stringify(history.state) +
      location.href +
      document.cookie,
  );

/** Goes the whole way in the tab that opens: our page, the provider's sign-in, its consent. */
async function agree(page: Page, login: string): Promise<Page> {
  const tab = await leave(page);
  const consent = tab.getByRole('button', { name: 'Continue' });
  const entrance = tab.getByRole('button', { name: 'Sign-in' });
  await consent.or(entrance).waitFor();
  // Who is signed in there already is only asked to agree.
  if (await entrance.isVisible()) {
    await tab.getByPlaceholder('Enter any login').fill(login);
    await tab.getByPlaceholder('and password').fill('any');
    await entrance.click();
  }
  await consent.click();
  return tab;
}

/** The provider's own page, in the tab that opens, by way of ours. */
async function leave(page: Page): Promise<Page> {
  const code = (await page.getByLabel(/^Code /).innerText()).trim();
  const opening = page.context().waitForEvent('page');
  await page.getByRole('link', { name: `Open ${PROVIDER} in a new tab` }).click();
  const tab = await opening;
  await tab.getByRole('heading', { name: `Connect ${PROVIDER}` }).waitFor();
  await tab.getByText(code).waitFor();
  await tab.getByRole('link', { name: `Go on to ${PROVIDER}` }).click();
  return tab;
}

describe('a secret', () => {
  it('is stored by a form that the pack makes, and a command runs with it; nothing shows it any more', async () => {
    const secret = `tok-${randomUUID()}`;
    const page = await arriveAs(owner, '/bindings');
    const heard = overhear(page);
    await see(page, 'Nothing is connected yet');
    await page.getByRole('link', { name: 'Connect a pack' }).first().click();
    await page.getByRole('combobox', { name: 'Pack' }).click();
    await page.getByRole('option', { name: /^leaky/ }).click();
    await page.getByRole('radio', { name: 'Secret' }).waitFor();
    await see(page, 'the variable LEAK_TOKEN');
    const input = page.getByLabel(FIELD, { exact: false }).and(page.locator('input[type=password]'));
    await input.fill(secret);
    await input.press('Enter');
    await page.getByRole('status').getByText('leaky is connected').waitFor();
    expect(await kept(page)).not.toContain(secret);
    await page.getByRole('link', { name: 'See the binding' }).click();
    await page.getByRole('heading', { name: 'Binding of leaky' }).waitFor();
    await page.getByRole('status').getByText('active', { exact: true }).waitFor();

    await page.goto('/commands/leaky/sum');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('status').getByText('succeeded', { exact: true }).waitFor();
    await see(page, 'LEAK_TOKEN');

    await page.goto('/bindings');
    await page.getByRole('table', { name: 'Bindings' }).getByRole('link', { name: 'leaky' }).waitFor();
    expect(await kept(page)).not.toContain(secret);
    expect(await heard.said()).not.toContain(secret);
  });

  it('that cannot be kept is refused beside its field, and the form stays', async () => {
    const page = await arriveAs(owner, '/bindings/connect?pack=leaky');
    const input = page.locator('input[type=password]');
    await input.fill('abc');
    await page.getByRole('button', { name: 'Store the secret' }).click();
    await expect.poll(() => input.getAttribute('aria-invalid'), { timeout: 10_000 }).toBe('true');
    expect(await bindings()).toEqual([]);
    await input.fill(randomUUID());
    await page.getByRole('button', { name: 'Store the secret' }).click();
    await page.getByRole('status').getByText('leaky is connected').waitFor();
    // A second one of the same scope says what to do.
    await page.goto('/bindings/connect?pack=leaky');
    await page.locator('input[type=password]').fill(randomUUID());
    await page.getByRole('button', { name: 'Store the secret' }).click();
    await see(page, 'There is such a binding already: rotate or revoke it.');
  });

  it('is stored for everyone, in one project', async () => {
    const project = await makeProject(stack.database.db, tenant_id, [owner.id]);
    const page = await arriveAs(owner, '/bindings/connect?pack=leaky');
    await page.getByRole('radio', { name: 'Everyone' }).check();
    await page.getByRole('combobox', { name: 'Project' }).click();
    await page.getByRole('option').first().click();
    await page.locator('input[type=password]').fill(randomUUID());
    await page.getByRole('button', { name: 'Store the secret' }).click();
    await page.getByRole('status').getByText('leaky is connected').waitFor();
    expect(await bindings()).toMatchObject([{ principal_id: null, project_id: project.id }]);
  });

  it('is rotated, then revoked after a question, then forgotten', async () => {
    const { id } = await stored();
    const secret = `new-${randomUUID()}`;
    const page = await arriveAs(owner, `/bindings/${id}`);
    const heard = overhear(page);
    await page.getByRole('button', { name: 'Rotate leaky' }).click();
    const form = page.getByRole('dialog', { name: 'Rotate the secret for leaky' });
    await form.locator('input[type=password]').fill(secret);
    await form.getByRole('button', { name: 'Rotate' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('status').getByText('The new secret is stored').waitFor();
    await see(page, 'version 2');
    expect(await kept(page)).not.toContain(secret);
    expect(await heard.said()).not.toContain(secret);

    await page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke this binding of leaky?' });
    await dialog.getByText('erased for good').waitFor();
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await bindings()).toMatchObject([{ state: 'active' }]);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('status').getByText('revoked', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Connect anew' }).waitFor();
    await page.getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await see(page, 'Nothing is connected yet');
    expect(await bindings()).toEqual([]);
  });

  it('is not asked for a workload token: what the service expects is', async () => {
    const page = await arriveAs(owner, '/bindings/connect?pack=leaky');
    await page.getByRole('radio', { name: 'Workload token' }).check();
    await page.getByLabel('Audience').fill('https://service.example');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('status').getByText('leaky is connected').waitFor();
    expect(await bindings()).toMatchObject([{ kind: 'workload_token', state: 'active' }]);
  });
});

describe('an account by OAuth', () => {
  beforeEach(async () => {
    expect((await registerClient(stack, owner.token, idp)).status).toBe(201);
  });

  it('is connected by the provider’s own pages; both tabs say so, and a command runs with it', async () => {
    const page = await arriveAs(owner, '/bindings/connect?pack=leaky');
    const heard = overhear(page);
    await page.getByRole('radio', { name: `Sign in at ${PROVIDER}` }).waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await see(page, 'Waiting for you');
    const tab = await agree(page, 'ada');
    await tab.getByRole('heading', { name: 'Connection', level: 1 }).waitFor();
    expect(new URL(tab.url()).origin).toBe(stack.urls[0]);
    expect(new URL(tab.url()).search).toBe('');
    await see(tab, `leaky is connected to ${PROVIDER} as ada@provider.example`);
    await expectAccessible(tab, 'the way back');
    await page.getByRole('status').getByText('Connected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('table', { name: 'Bindings' }).getByText('ada@provider.example').waitFor();

    await page.goto('/commands/leaky/sum');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('status').getByText('succeeded', { exact: true }).waitFor();
    const said = (await heard.said()) + (await kept(page)) + (await kept(tab));
    for (const token of idp.tokens) expect(said).not.toContain(token);
  });

  it('that the provider refuses is said in both tabs, and can be begun again', async () => {
    const page = await arriveAs(owner, '/bindings/connect?pack=leaky');
    await page.getByRole('button', { name: 'Go on' }).click();
    const tab = await leave(page);
    await tab.getByRole('link', { name: '[ Cancel ]' }).click();
    await tab.getByRole('alert').getByText('access was denied').waitFor();
    await page.getByRole('alert').getByText('access was denied').waitFor();
    expect(await bindings()).toEqual([]);
    await page.getByRole('button', { name: 'Begin again' }).click();
    await agree(page, 'eve');
    await page.getByRole('status').getByText('Connected', { exact: true }).waitFor();
    expect(await bindings()).toMatchObject([{ account: 'eve', state: 'active' }]);
    // The other tab leads on, too.
    await tab.getByRole('link', { name: 'Begin again' }).click();
    await tab.getByRole('heading', { name: 'Connect a pack' }).waitFor();
  });

  it('that went stale is on the overview, in Sense and above the bindings, and one click begins to mend it', async () => {
    const page = await arriveAs(owner, '/bindings/connect?pack=leaky');
    await page.getByRole('button', { name: 'Go on' }).click();
    await agree(page, 'ada');
    await page.getByRole('status').getByText('Connected', { exact: true }).waitFor();

    await page.goto('/');
    await page.getByRole('region', { name: 'Runs over time' }).waitFor();
    const { items } = (await stack.call<{ items: { id: string }[] }>('GET', '/v1/providers', { token: owner.token }))
      .body;
    await stack.call('DELETE', `/v1/providers/${String(items[0]?.id)}`, { token: owner.token });
    // By the stream of events, without a reload.
    await page.getByRole('region', { name: 'One binding is stale' }).waitFor();
    await page.getByLabel('1 warnings and errors').waitFor();
    await page.getByRole('link', { name: 'Sense' }).click();
    const events = page.getByRole('list', { name: 'Events' });
    await events
      .getByText('The OAuth client that it was connected through was removed', { exact: false })
      .or(events.getByText('credential stale'))
      .first()
      .waitFor();
    expect(await events.innerText()).not.toContain('hcpx');
    await events.getByRole('link', { name: 'Mend the binding' }).click();
    await see(page, 'Good for nothing');

    expect((await registerClient(stack, owner.token, idp)).status).toBe(201);
    await page.getByRole('link', { name: 'All bindings' }).click();
    const banner = page.getByRole('region', { name: 'One binding is stale' });
    await banner.getByRole('button', { name: 'Reconnect leaky' }).click();
    await agree(page, 'ada');
    await page.getByRole('dialog').getByRole('status').getByText('Connected', { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await page.getByRole('status').getByText('The account is connected again').waitFor();
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Bindings' }).getByText('active', { exact: true }).waitFor();
    await page.getByLabel('1 warnings and errors').waitFor({ state: 'detached' });
  });
});

describe('an OAuth client', () => {
  it('is added with the address to register, changed, used and removed after a question', async () => {
    const page = await arriveAs(owner, '/bindings/connect?pack=leaky');
    const heard = overhear(page);
    await page.getByRole('link', { name: 'an OAuth client for it is registered' }).click();
    await page
      .getByRole('region', { name: 'Redirect URI' })
      .getByText(`${stack.urls[0]}/v1/bindings/callback`)
      .waitFor();
    const form = page.getByRole('region', { name: 'Add a client' });
    expect(await form.getByLabel('Provider').inputValue()).toBe(PROVIDER);
    await form.getByRole('textbox', { name: 'Issuer' }).fill('not an address');
    await form.getByLabel('Client id').fill(CLIENT_ID);
    await form.getByLabel('Client secret').and(page.locator('input[type=password]')).fill(idp.client_secret);
    await form.getByLabel('Scopes').fill('openid email  offline_access');
    await form.getByRole('button', { name: 'Add the client' }).click();
    await expect
      .poll(() => form.getByRole('textbox', { name: 'Issuer' }).getAttribute('aria-invalid'), { timeout: 10_000 })
      .toBe('true');
    await form.getByRole('textbox', { name: 'Issuer' }).fill(idp.issuer);
    await form.getByRole('button', { name: 'Add the client' }).click();
    await page.getByRole('status').getByText(`${PROVIDER} is registered`).waitFor();
    const clients = page.getByRole('list', { name: 'OAuth clients' });
    await clients.getByText('Scopes: openid email offline_access').waitFor();
    expect(await kept(page)).not.toContain(idp.client_secret);
    expect(await heard.said()).not.toContain(idp.client_secret);

    await clients.getByRole('button', { name: `Change ${PROVIDER}` }).click();
    const change = page.getByRole('dialog', { name: `Change ${PROVIDER}` });
    await change.getByLabel('Scopes').fill('openid');
    await change.getByRole('checkbox', { name: /client credentials/ }).check();
    await change.getByRole('button', { name: 'Save' }).click();
    await change.waitFor({ state: 'detached' });
    await clients.getByText('own account').waitFor();
    await clients.getByText('Scopes: openid ·').waitFor();

    // Its own account, now that it may.
    await page.goto('/bindings/connect?pack=leaky');
    await page.getByRole('radio', { name: 'Client credentials' }).check();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('status').getByText('leaky is connected').waitFor();

    await page.goto('/settings/providers');
    await clients.getByRole('button', { name: `Remove ${PROVIDER}` }).click();
    const dialog = page.getByRole('dialog', { name: `Remove the client for ${PROVIDER}?` });
    await dialog.getByText('stale at once').waitFor();
    await dialog.getByRole('button', { name: 'Remove the client' }).click();
    await see(page, 'No OAuth client is registered');
    expect(await bindings()).toMatchObject([{ state: 'stale', stale_reason: 'client_removed' }]);
  });

  it('is nothing for a member', async () => {
    const page = await arriveAs(await signedIn(stack, tenant_id, 'member'), '/settings/providers');
    await see(page, 'It takes the right tenant.manage');
  });
});

describe('Sense', () => {
  it('has a source turned on, shows what it saw without a reload, and takes it back when it is turned off', async () => {
    await install(stack, owner.token, await archiveOf(STOCK));
    const project = await makeProject(stack.database.db, tenant_id, [owner.id]);
    const put = await stack.call('PUT', `/v1/projects/${project.id}/files/stock.csv`, {
      token: owner.token,
      raw: new TextEncoder().encode('espresso\u202e,0,10\n'),
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(put.status).toBeLessThan(300);
    const page = await arriveAs(owner, '/sense');
    await see(page, 'Nothing needs anybody');
    const form = page.getByRole('form', { name: 'Turn on a source' });
    await form.getByRole('combobox', { name: 'Project' }).click();
    await page.getByRole('option').first().click();
    await form.getByLabel('Minutes between two looks').fill('60');
    await form.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('status').getByText('stock is looked at from now on').waitFor();
    const events = page.getByRole('list', { name: 'Events' });
    await events.getByText('at least 10 should be there').waitFor({ timeout: 30_000 });
    // What a source says can hide nothing.
    expect(await events.innerText()).toContain('espresso\\u202e');
    expect(await events.innerText()).not.toContain('\u202e');
    await page.getByLabel('1 warnings and errors').waitFor();
    await page.getByRole('button', { name: 'Turn off stock' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await see(page, 'Nothing needs anybody');
    await page.getByText('Last month', { exact: true }).click();
    await events.getByText(/^mended/).waitFor();
  });
});

describe('who has no part in it', () => {
  it('sees nothing of another tenant, or of another person', async () => {
    const { id } = await stored();
    const { owner: stranger } = await tenantWithOwner(stack);
    for (const person of [stranger, await signedIn(stack, tenant_id, 'member')]) {
      const page = await arriveAs(person, `/bindings/${id}`);
      await see(page, 'There is no such thing here');
      await page.goto('/bindings');
      await see(page, person === stranger ? 'No pack here needs a credential' : 'Nothing is connected yet');
      await page.goto('/sense');
      await see(page, 'Nothing needs anybody');
    }
  });

  it('is told what to ask for where nothing may be connected', async () => {
    const viewer = await signedIn(stack, tenant_id, 'viewer');
    const page = await arriveAs(viewer, '/bindings/connect');
    await see(page, 'You may not connect packs');
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Bindings' }).count()).toBe(0);
  });
});

describe('every page', () => {
  const variants = [
    { scheme: 'light', width: 1280 },
    { scheme: 'dark', width: 1280 },
    { scheme: 'light', width: 390 },
    { scheme: 'dark', width: 390 },
  ] as const;

  it.each(variants)('has no serious fault for axe and fits, in $scheme at $width px', async (variant) => {
    await install(stack, owner.token, await archiveOf(STOCK));
    await registerClient(stack, owner.token, idp, { provider: 'a-service-with-a-very-long-name.'.repeat(3) });
    const { id } = await stored();
    await stored(owner.token, { shared: true });
    await stack.database.db.tenant(tenant_id, (tx) =>
      tx.binding.updateMany({ where: { tenant_id, id }, data: { expires_at: new Date(Date.now() - 1000) } }),
    );
    await stack.call(
      'DELETE',
      `/v1/bindings/${String((await stored(owner.token, { project_id: (await makeProject(stack.database.db, tenant_id, [owner.id])).id })).id)}`,
      { token: owner.token },
    );
    const page = await arriveAs(owner, '/', variant);
    const look = async (what: string): Promise<void> => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByLabel('Loading').count(), { timeout: 10_000 }).toBe(0);
      await expectAccessible(page, `${what} ${variant.scheme} ${String(variant.width)}`);
      const wider = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wider, `${what} fits`).toBeLessThanOrEqual(0);
    };
    await page.getByRole('region', { name: 'One binding is stale' }).waitFor();
    await look('overview');
    for (const path of ['/bindings', `/bindings/${id}`, '/bindings/connect', '/sense', '/settings/providers']) {
      await page.goto(path);
      await look(path);
    }
    await page.goto('/bindings/connect?pack=leaky');
    await page.locator('input[type=password]').waitFor();
    await look('the form');
    await page.goto('/settings/providers?provider=x');
    await page.getByRole('region', { name: 'Add a client' }).waitFor();
    await page.getByRole('radio', { name: 'Given one by one' }).check();
    await look('a new client');
    await page.goto(`/bindings/${id}`);
    await page.getByRole('button', { name: 'Rotate leaky' }).click();
    await page.getByRole('dialog').locator('input[type=password]').waitFor();
    await look('rotating');
  });

  it('works by keyboard alone: a stale secret is given anew from the banner, and the focus comes back', async () => {
    const { id } = await stored();
    await stack.database.db.tenant(tenant_id, (tx) =>
      tx.binding.updateMany({ where: { tenant_id, id }, data: { expires_at: new Date(Date.now() - 1000) } }),
    );
    const page = await arriveAs(owner, '/bindings');
    const rotate = page
      .getByRole('region', { name: 'One binding is stale' })
      .getByRole('button', { name: 'Rotate leaky' });
    await rotate.waitFor();
    const focused = (): Promise<boolean> => rotate.evaluate((element) => element === document.activeElement);
    for (let pressed = 0; pressed < 40 && !(await focused()); pressed += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Rotate the secret for leaky' });
    const input = dialog.locator('input[type=password]');
    await input.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(focused, { timeout: 10_000 }).toBe(true);
    await page.keyboard.press('Enter');
    await input.waitFor();
    for (let pressed = 0; pressed < 10; pressed += 1) {
      if (await input.evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type(randomUUID());
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await rotate.waitFor({ state: 'detached' });
    expect(await bindings()).toMatchObject([{ state: 'active', version: 2 }]);
  });
});
