import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeProject } from '@hcp/testing';
import { expectAccessible, signIn, startBrowser, visit, type Visit, type VisitOptions } from '../support/dashboard.js';
import { packArchive } from '../support/packs.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** Commands that work on what a project's members share, run from the dashboard. */

let stack: Stack;
let browser: Browser;
let owner: Person;
let project: string;
let visits: Visit[] = [];

beforeAll(async () => {
  stack = await startStack();
  browser = await startBrowser();
  let tenant_id: string;
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  const args = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const pin = { description: 'Pins a text.', cli: ['board', '{{text}}'], args };
  const board = await packArchive({
    pack_id: 'board',
    bin: `#!/bin/sh\nsleep 1\nprintf 'pinned %s\\n' "$1"\n`,
    wrap: { workspace: { mode: 'project' } },
    commands: { pin: { ...pin, policy: { privacy: { land: 'local' } } } },
  });
  const say = await packArchive({
    pack_id: 'say',
    bin: `#!/bin/sh\nprintf '%s\\n' "$1"\n`,
    commands: { plain: { description: 'Says a text.', cli: ['say', '{{text}}'], args } },
  });
  for (const pack of [board, say]) await install(stack, owner.token, pack);
  project = (await makeProject(stack.database.db, tenant_id, [owner.id])).name;
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

async function arrive(path: string, options: VisitOptions = {}) {
  const one = await visit(browser, stack.urls[0], options);
  visits.push(one);
  await signIn(one.page, owner, path);
  return one.page;
}

describe('a command that needs a project', () => {
  it('says so in the list, and runs in the only project without a choice', async () => {
    const page = await arrive('/commands', { scheme: 'dark' });
    await page.getByText('needs a project').waitFor();
    expect(await page.getByText('not allowed').count()).toBe(0);
    await expectAccessible(page, 'the list');
    await page.getByRole('link', { name: 'pin' }).click();
    const select = page.getByRole('combobox', { name: 'Project' });
    await expect.poll(() => select.inputValue(), { timeout: 15_000 }).toBe(project);
    await page.getByText('runs', { exact: true }).waitFor();
    await page.getByLabel(/^text/).fill('a note');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('status').getByText('succeeded', { exact: true }).waitFor();
    await page.getByText('pinned a note').first().waitFor();
  });

  it('wants one where none is chosen, and runs once it is; it is accessible and fits', async () => {
    const page = await arrive('/commands/board/pin', { width: 390 });
    const select = page.getByRole('combobox', { name: 'Project' });
    await expect.poll(() => select.inputValue(), { timeout: 15_000 }).toBe(project);
    await select.click();
    await page.getByRole('option', { name: 'Outside of projects' }).click();
    await page.getByText('Choose a project').waitFor();
    await page.getByLabel(/^text/).fill('a second note');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('alert').getByText('Choose a project').waitFor();
    expect(await page.getByText('/v1/sessions').count()).toBe(0);
    await expectAccessible(page, 'a command that needs a project');
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wider).toBeLessThanOrEqual(0);

    await select.click();
    await page.getByRole('option', { name: project }).click();
    await expect.poll(() => page.getByText('Choose a project').count(), { timeout: 15_000 }).toBe(0);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('status').getByText('succeeded', { exact: true }).waitFor();
    await page.getByText('pinned a second note').first().waitFor();
  });
});

it('stays outside of projects with a command that needs none', async () => {
  const page = await arrive('/commands/say/plain');
  const select = page.getByRole('combobox', { name: 'Project' });
  await select.waitFor();
  expect(await select.inputValue()).toBe('Outside of projects');
});
