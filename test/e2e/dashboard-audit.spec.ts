import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent, Page as ListPage } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { appendAudit } from '@hcp/audit';
import { ACTIONS, actionOf } from '../../apps/dashboard/src/pages/audit/actions.js';
import { expectAccessible, signIn, startBrowser, visit, type Visit, type VisitOptions } from '../support/dashboard.js';
import { terminal } from '../support/hcpx.js';
import { packArchive } from '../support/packs.js';
import { install, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** The audit log in a real browser and by hcpx, on the whole running product (SPEC U3, U4, I3, I5). */

let stack: Stack;
let browser: Browser;
let tenant_id: string;
let owner: Person;
let run: string;
let visits: Visit[] = [];

beforeAll(async () => {
  stack = await startStack();
  browser = await startBrowser();
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  const commands = { hello: { description: 'Greets.', cli: ['greet', 'hello'] } };
  await install(stack, owner.token, await packArchive({ pack_id: 'greet', bin: '#!/bin/sh\necho hello\n', commands }));
  const body = { pack_id: 'greet', verb_key: 'hello', args: {} };
  run = String((await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body })).body.run_id);
  const hostile = { name: 'a\u202eb\u200b' + 'long'.repeat(120) };
  for (let index = 0; index < 60; index += 1) {
    await stack.database.db.tenant(tenant_id, (tx) =>
      appendAudit(tx, {
        tenant_id,
        action: 'role.update',
        decision: 'allow',
        principal_id: owner.id,
        details: hostile,
      }),
    );
  }
}, 180_000);

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

beforeEach(() => {
  visits = [];
});

afterEach(async () => {
  for (const { context, complaints } of visits) {
    await context.close();
    expect(complaints).toEqual([]);
  }
});

async function arriveAs(person: Person, path = '/audit', options?: VisitOptions): Promise<Page> {
  const one = await visit(browser, stack.urls[0], options);
  visits.push(one);
  await signIn(one.page, person, path);
  return one.page;
}

const rows = (page: Page) => page.getByRole('table', { name: 'Audit events' }).getByRole('row');

async function eventsOf(query = ''): Promise<AuditEvent[]> {
  const path = `/v1/audit?limit=200${query}`;
  return (await stack.call<ListPage<AuditEvent>>('GET', path, { token: owner.token })).body.items;
}

const IN_THE_LOG =
  /This event is number \d+ of \d+ in the log; the proof holds against the checkpoint signed at .+ Your browser has just checked that\./;

/** What the servers run: not what reads the log. */
async function sources(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true });
  return found
    .filter((name) => /^(?!dashboard|cli)[^/]+\/src\/(?!generated).*(?<!\.spec)\.ts$/.test(name))
    .map((name) => join(folder, name));
}

describe('the audit page', () => {
  it('filters, keeps the filters in an address that can be shared, and goes on to older events', async () => {
    const page = await arriveAs(owner);
    await rows(page).nth(50).waitFor();
    await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
    await rows(page).nth(60).waitFor();
    await page.getByRole('combobox', { name: 'Kind of event' }).fill('exec.decision');
    await page.getByRole('combobox', { name: 'Kind of event' }).press('Enter');
    await page.getByRole('combobox', { name: 'Pack' }).click();
    await page.getByRole('option', { name: 'greet' }).click();
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('action')).toBe('exec.decision');
    const link = page.url();
    const other = await signedIn(stack, tenant_id, 'auditor');
    const shared = await arriveAs(other, new URL(link).pathname + new URL(link).search);
    await expect.poll(() => rows(shared).count()).toBe(2);
    expect(await shared.getByRole('combobox', { name: 'Kind of event' }).inputValue()).toBe('exec.decision');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await rows(page).nth(40).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('keeps one field for the kind, which takes it as the list spells it', async () => {
    const page = await arriveAs(owner);
    const kind = page.getByRole('combobox', { name: 'Kind of event' });
    const action = (): string | null => new URL(page.url()).searchParams.get('action');
    await kind.fill('exec decision');
    await kind.press('Enter');
    await expect.poll(action).toBe('exec.decision');
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(await kind.count()).toBe(1);
    expect(await kind.inputValue()).toBe('exec.decision');
    expect(await page.getByLabel('Id of an event or a run').count()).toBe(1);
    await kind.fill('exec comp');
    await page.getByRole('option', { name: 'exec.completion' }).click();
    await expect.poll(action).toBe('exec.completion');
    await kind.fill('approval con');
    await page.getByRole('option', { name: 'approval.consume' }).click();
    await page.getByText('Nothing matches').waitFor();
    expect(await kind.count()).toBe(1);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await expect.poll(() => kind.inputValue()).toBe('');
  });

  it('takes a span until now at once', async () => {
    const page = await arriveAs(owner);
    for (const [name, hours] of [
      ['Last 24 hours', 24],
      ['Last 7 days', 168],
    ] as const) {
      await page.getByRole('button', { name }).click();
      const ago = (): number => Date.now() - Date.parse(new URL(page.url()).searchParams.get('from') ?? '');
      await expect.poll(() => Math.round(ago() / 3_600_000)).toBe(hours);
      await rows(page).nth(40).waitFor();
    }
  });

  it('says when to the second, and on a narrow screen who and on what', async () => {
    const page = await arriveAs(owner, '/audit?action=exec.decision', { width: 390 });
    const row = rows(page).nth(1);
    await row.waitFor();
    expect(await row.getByRole('time').innerText()).toMatch(/:\d\d:\d\d/);
    await row.getByText(/ · greet hello$/).waitFor();
    await page.goto('/runs');
    await page.getByRole('table', { name: 'Runs' }).getByText(/^by /).waitFor();
  });

  it('takes what is no filter for none, and says when nothing matches', async () => {
    const page = await arriveAs(owner, '/audit?decision=perhaps&who=nobody&from=yesterday');
    await rows(page).nth(40).waitFor();
    await page.goto('/audit?decision=deny&until=2001-01-01T00%3A00%3A00Z');
    await page.getByText('Nothing matches').waitFor();
  });

  it('finds an event or the events of a run by id', async () => {
    const page = await arriveAs(owner);
    const field = page.getByLabel('Id of an event or a run');
    await field.fill('nothing');
    await field.press('Enter');
    await page.getByText('An id as the lists show it').waitFor();
    await field.fill(run);
    await field.press('Enter');
    await expect.poll(() => rows(page).count()).toBe(3);
    const [event] = await eventsOf(`&run_id=${run}`);
    await field.fill(event?.id ?? '');
    await field.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'exec completion' }).waitFor();
  });

  it('shows one event in full at its own address, and proves it here', async () => {
    const [event] = await eventsOf('&action=exec.decision');
    const page = await arriveAs(owner, `/audit/${event?.id ?? ''}`);
    await page.getByRole('heading', { level: 1, name: 'exec decision' }).waitFor();
    await page.getByText(IN_THE_LOG).waitFor();
    await page.getByRole('button', { name: 'Show the numbers' }).press('Enter');
    await page.getByText('Root of the log').waitFor();
    await page.getByRole('link', { name: run }).click();
    await page.getByRole('heading', { level: 1, name: 'greet hello' }).waitFor();
  });

  it('says so where the event is not as it was logged', async () => {
    const [event] = await eventsOf('&action=exec.decision');
    const one = await visit(browser, stack.urls[0]);
    visits.push(one);
    await one.page.route(`**/v1/audit/events/${event?.id ?? ''}`, (route) =>
      route.fulfill({ json: { ...event, decision: 'deny' } }),
    );
    await signIn(one.page, owner, `/audit/${event?.id ?? ''}`);
    await one.page.getByText('It does not hold').waitFor();
    await one.page.getByText('it was changed since it was logged').waitFor();
  });

  it('exports the log by a download that hcpx verifies without a connection', async () => {
    const page = await arriveAs(owner);
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the whole log' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^hcp-audit-.*\.ndjson$/);
    await page.getByText('The download has begun').waitFor();
    const shell = await terminal();
    const { home } = shell;
    const file = join(home, 'log.ndjson');
    await download.saveAs(file);
    const online = { HCP_URL: stack.urls[0], HCP_TOKEN: owner.token };
    const key = await shell.hcpx(['audit', 'key'], { env: online });
    expect(key).toMatchObject({ code: 0 });
    const good = await shell.hcpx(['audit', 'verify', file]);
    expect(good).toMatchObject({ code: 0, stderr: '' });
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, lines.with(9, (lines[9] ?? '').replace('"allow"', '"deny"')).join('\n'));
    const bad = await shell.hcpx(['audit', 'verify', file]);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain('event number 10 ');
    const exported = await shell.hcpx(['audit', 'export', '--action', 'exec.decision', '--out', join(home, 'part')], {
      env: online,
    });
    expect(exported).toMatchObject({ code: 0 });
    expect(await shell.hcpx(['audit', 'verify', join(home, 'part'), '--partial'])).toMatchObject({ code: 0 });
    const shown = await shell.hcpx(['audit', 'show', (await eventsOf())[0]?.id ?? ''], { env: online });
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.stderr).toContain('the proof holds');
    const piped = await shell.hcpx(['audit', 'export'], { env: online });
    expect(piped.stdout.trimEnd().split('\n').at(-1)).toContain('"checkpoint"');
  });
});

describe('the page of a run', () => {
  it('has its output and the proof of its events', async () => {
    const page = await arriveAs(owner, `/runs/${run}`);
    await page.getByText(/These events are numbers \d+, \d+ of \d+ in the log; the proofs hold/).waitFor();
    await page.getByRole('link', { name: 'Show them in the log' }).click();
    await expect.poll(() => rows(page).count()).toBe(3);
  });
});

describe('a run that is not there', () => {
  it('leads back to the list', async () => {
    const page = await arriveAs(owner, '/runs/01900000-0000-7000-8000-000000000000');
    await page.getByRole('alert').getByRole('link', { name: 'Go back to the list' }).click();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });
});

describe('the kinds of events', () => {
  it('are all suggested that the product writes', async () => {
    const files = await Promise.all(['libs', 'apps'].map(sources));
    const written = new Set<string>();
    for (const file of files.flat()) {
      const text = await readFile(file, 'utf8');
      const places = [
        /\baction\b.*/g,
        /\b(?:audit\w*|record\w*|endGrant)\([^;]*?;/g,
        /\btype \w*(?:Act|Action)\s*=[^;]*;/g,
      ].flatMap((place) => text.match(place) ?? []);
      for (const [, action = ''] of places.join('\n').matchAll(/'([a-z]+(?:_[a-z]+)*\.[a-z]+(?:_[a-z]+)*)'/g)) {
        written.add(action);
      }
    }
    // The name of a file, not of a kind.
    written.delete('audit.jsonl');
    expect([...written].sort()).toEqual([...ACTIONS].sort());
  });

  it('are known by both spellings', () => {
    for (const action of ACTIONS) expect(actionOf(action.replace(/[._]/g, ' '))).toBe(action);
    expect(actionOf(' Exec  decision ')).toBe('exec.decision');
    expect(actionOf('other_kind of it')).toBe('other.kind_of_it');
    expect(actionOf('other.kind')).toBe('other.kind');
    expect(actionOf('  ')).toBeUndefined();
  });
});

describe('who sees what', () => {
  it('leaves out the log for who may not read it, and another tenant’s for everybody', async () => {
    const member = await signedIn(stack, tenant_id, 'member');
    const page = await arriveAs(member, '/');
    await page.getByRole('link', { name: 'Runs' }).first().waitFor();
    expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
    await page.goto('/audit');
    await page
      .getByText(/may not|missing|part of the log/i)
      .first()
      .waitFor();
    const { owner: stranger } = await tenantWithOwner(stack);
    const [event] = await eventsOf();
    const other = await arriveAs(stranger, `/audit/${event?.id ?? ''}`);
    await other.getByRole('alert').waitFor();
    expect(await other.getByText('role update').count()).toBe(0);
    await other.goto('/audit');
    await other.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    expect(await other.getByText('role update').count()).toBe(0);
  });
});

describe('looks', () => {
  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
  ] as const)('are accessible and fit: %s, %d px', async (scheme, width) => {
    const page = await arriveAs(owner, '/audit', { scheme, width });
    await rows(page).nth(20).waitFor();
    await expectAccessible(page, 'the list');
    const fits = (): Promise<boolean> =>
      page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
    expect(await fits()).toBe(true);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('dialog').getByText('hcpx audit verify').waitFor();
    await expectAccessible(page, 'the export');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'role update' }).first().click();
    await page.getByText(IN_THE_LOG).waitFor();
    await page.getByRole('button', { name: 'Show the numbers' }).click();
    await page.getByText('Root of the log').waitFor();
    await expectAccessible(page, 'an event');
    expect(await fits()).toBe(true);
    const text = await page.getByRole('region', { name: 'The event' }).innerText();
    expect(text).toContain('a\\u202eb\\u200blong');
    expect(text).not.toMatch(/[\u202e\u200b]/);
  });
});
