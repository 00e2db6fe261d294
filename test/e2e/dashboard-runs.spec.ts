import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ResultEnvelope } from '@hcp/core';
import { expectAccessible, signIn, startBrowser, visit, type Visit, type VisitOptions } from '../support/dashboard.js';
import { packArchive } from '../support/packs.js';
import { eventually } from '../support/process.js';
import { seedRuns } from '../support/seed-runs.js';
import { install, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** A run while it runs, and a list of many, in a real browser on the whole product (SPEC R5, I5). */

const BIN = `#!/usr/bin/env node
const [verb] = process.argv.slice(2);
const out = (text) => process.stdout.write(text);
if (verb === 'talk') {
  out('first line\\n');
  process.stderr.write('a warning\\u202e\\n');
  setTimeout(() => out('{"half":'), 300);
  setInterval(() => {}, 1000);
} else if (verb === 'many') {
  let line = 0;
  setInterval(() => { for (let i = 0; i < 20; i += 1) out('line ' + (line += 1) + '\\n'); }, 200);
} else out(JSON.stringify({ list: [1, 2], deep: { er: 'leaf' } }));
`;

let stack: Stack;
let browser: Browser;
let tenant_id: string;
let owner: Person;
let visits: Visit[] = [];

beforeAll(async () => {
  stack = await startStack();
  browser = await startBrowser();
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  const command = (verb: string, more: object = {}) => ({ description: 'Says things.', cli: ['say', verb], ...more });
  const personal = { privacy: { land: 'personal' } } as const;
  await install(
    stack,
    owner.token,
    await packArchive({
      pack_id: 'say',
      bin: BIN,
      commands: {
        talk: command('talk'),
        private: command('talk', { policy: personal }),
        many: command('many'),
        tree: command('tree'),
      },
    }),
  );
}, 180_000);

afterAll(async () => {
  await browser.close();
  await stack.stop();
});
beforeEach(() => {
  visits = [];
});
afterEach(async () => {
  for (const { context } of visits) await context.close();
  expect(visits.flatMap(({ complaints }) => complaints)).toEqual([]);
});

async function arriveAs(person: Person, path: string, options: VisitOptions = {}): Promise<Page> {
  const one = await visit(browser, stack.urls[0], options);
  visits.push(one);
  await signIn(one.page, person, path);
  return one.page;
}

async function start(verb_key: string, wait_ms = 0): Promise<string> {
  const body = { pack_id: 'say', verb_key, args: {}, wait_ms };
  const answer = await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body });
  return String(answer.body.run_id);
}

const cancel = (id: string) => stack.call('POST', `/v1/runs/${id}/cancel`, { token: owner.token });
const live = (page: Page) => page.getByRole('region', { name: 'Output so far' });

describe('a run that goes on', () => {
  it('shows both streams as they come, told apart in words, and once it ended each of its own', async () => {
    const id = await start('talk');
    const page = await arriveAs(owner, `/runs/${id}`);
    await live(page).getByText('{"half":').waitFor();
    const shown = await live(page).innerText();
    expect(shown).toContain('first line');
    expect(shown).toMatch(/Messages\n+a warning\\u\{?202e\}?/);
    await page.getByRole('status').getByText('running', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('status').getByText('cancelled', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.getByRole('tabpanel').getByText('a warning').waitFor();
    expect(await live(page).count()).toBe(0);
  });

  it('is followed at its end until one scrolls up, and again when one asks', async () => {
    const id = await start('many');
    const page = await arriveAs(owner, `/runs/${id}`);
    const place = () =>
      live(page).evaluate((box) => ({ top: box.scrollTop, left: box.scrollHeight - box.clientHeight - box.scrollTop }));
    const height = () => live(page).evaluate((box) => box.scrollHeight);
    await live(page).waitFor();
    await eventually('it is long', async () => (await height()) > 1500);
    expect((await place()).left).toBeLessThan(20);
    await live(page).focus();
    await page.keyboard.press('Home');
    const back = page.getByRole('button', { name: 'Go to the end' });
    await back.waitFor();
    await eventually('it is at the top', async () => (await place()).top === 0);
    const before = await height();
    await eventually('more came', async () => (await height()) > before);
    expect((await place()).top).toBe(0);
    await back.click();
    await back.waitFor({ state: 'detached' });
    await eventually('it is at the end', async () => (await place()).left < 20);
    await cancel(id);
  });

  it('of a personal command shows nothing of its output to others, and says so', async () => {
    const other = await signedIn(stack, tenant_id, 'admin');
    const id = await start('private');
    const own = await arriveAs(owner, `/runs/${id}`);
    await live(own).getByText('first line').waitFor();
    const page = await arriveAs(other, `/runs/${id}`);
    await page.getByText('Its output is only for those who ran it').waitFor();
    expect(await page.getByText('first line').count()).toBe(0);
    await cancel(id);
    await page.getByRole('status').getByText('cancelled', { exact: true }).waitFor();
    expect(await page.getByText('first line').count()).toBe(0);
  });

  it.each(['light', 'dark'] as const)('is accessible and fits a phone: %s', async (scheme) => {
    const id = await start('talk');
    const page = await arriveAs(owner, `/runs/${id}`, { scheme, width: 390 });
    await live(page).getByText('{"half":').waitFor();
    await expectAccessible(page, `a run that goes on, ${scheme}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await cancel(id);
  });
});

it('a result is a tree that opens and closes', async () => {
  const page = await arriveAs(owner, `/runs/${await start('tree', 60_000)}`);
  const outcome = page.getByRole('region', { name: 'Outcome' });
  await outcome.getByText('leaf').waitFor();
  await outcome.getByText('deep').click();
  await outcome.getByText('leaf').waitFor({ state: 'hidden' });
});

describe('a list of a thousand runs', () => {
  it('fetches a page at a time while one scrolls, and keeps few rows in the page', async () => {
    const { tenant_id: many, owner: person } = await tenantWithOwner(stack);
    await seedRuns(stack, { tenant_id: many, principal_id: person.id, count: 1000 });
    const page = await arriveAs(person, '/');
    const asked: URL[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/v1/runs') asked.push(url);
    });
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' }).click();
    const table = page.getByRole('table', { name: 'Runs' });
    await table.getByText('verb-1', { exact: false }).first().waitFor();
    const pages = () => asked.filter((url) => url.searchParams.get('limit') === '50');
    const rows = () => table.locator('tbody tr[aria-rowindex]').count();
    expect(pages()).toHaveLength(1);
    expect(await rows()).toBeLessThanOrEqual(60);
    const last = table.getByText('verb-1000', { exact: false });
    let most = 0;
    await eventually(
      'the last run',
      async () => {
        await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
        most = Math.max(most, await rows());
        return (await last.count()) > 0;
      },
      60_000,
    );
    expect(most).toBeLessThanOrEqual(60);
    const cursors = pages().map((url) => url.searchParams.get('cursor'));
    expect(new Set(cursors).size, 'no page twice').toBe(cursors.length);
    expect(cursors).toHaveLength(20);
    expect(await last.evaluate((cell) => cell.closest('tr')?.getAttribute('aria-rowindex'))).toBe('1001');
    await page.evaluate(() => window.scrollTo(0, 0));
    await table.getByText('verb-1', { exact: false }).first().waitFor();
    expect(await rows()).toBeLessThanOrEqual(60);
    expect(pages()).toHaveLength(20);
    await expectAccessible(page, 'a long list');
  });

  it('goes on by keyboard alone', async () => {
    const { tenant_id: many, owner: person } = await tenantWithOwner(stack);
    await seedRuns(stack, { tenant_id: many, principal_id: person.id, count: 120 });
    const page = await arriveAs(person, '/runs');
    const table = page.getByRole('table', { name: 'Runs' });
    await table.getByRole('link').first().focus();
    const at = () => page.evaluate(() => Number(document.activeElement?.closest('tr')?.getAttribute('aria-rowindex')));
    for (let row = 2; row <= 48; row += 1) {
      expect(await at()).toBe(row);
      await page.keyboard.press('Tab');
    }
  });
});
