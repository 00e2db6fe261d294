import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PackDetail, Run } from '@hcp/contracts';
import type { Manifest, Policy, ResultEnvelope, Surface } from '@hcp/core';
import { expectAccessible, signIn, startBrowser, visit, type Visit, type VisitOptions } from '../support/dashboard.js';
import { archiveOf, packArchive } from '../support/packs.js';
import { eventually } from '../support/process.js';
import { install, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** Packs and the forms of commands, in a real browser, on the whole running product (SPEC P5-P9, I5). */

const LEDGER = fileURLToPath(new URL('../../examples/packs/ledger', import.meta.url));
const VARIANTS = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 },
] as const;

let stack: Stack;
let browser: Browser;
let owner: Person;
let member: Person;
let folders: string;
let visits: Visit[] = [];

beforeAll(async () => {
  folders = await mkdtemp(join(tmpdir(), 'hcp-packs-'));
  stack = await startStack();
  browser = await startBrowser();
  const tenant = await tenantWithOwner(stack);
  owner = tenant.owner;
  member = await signedIn(stack, tenant.tenant_id, 'member');
}, 180_000);

afterAll(async () => {
  await browser.close();
  await stack.stop();
  await rm(folders, { recursive: true });
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

async function arriveAs(person: Person, path: string, options?: VisitOptions): Promise<Page> {
  const one = await visit(browser, stack.urls[0], options);
  visits.push(one);
  await signIn(one.page, person, path);
  await one.page.getByRole('heading', { level: 1 }).waitFor();
  return one.page;
}

interface Documents {
  readonly manifest: Manifest;
  readonly surface: Surface;
  readonly policy: Policy;
}

/** A folder with the ledger, changed. */
async function ledger(name: string, change: (documents: Documents) => void): Promise<string> {
  const folder = join(folders, name);
  await cp(LEDGER, folder, { recursive: true });
  const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(folder, file), 'utf8'));
  const documents = {
    manifest: await read('manifest.json'),
    surface: await read('surface.json'),
    policy: await read('policy.json'),
  } as Documents;
  change(documents);
  for (const [file, content] of Object.entries(documents))
    await writeFile(join(folder, `${file}.json`), JSON.stringify(content));
  return folder;
}

const choose = (page: Page, folder: string) => page.getByLabel('Choose a folder').first().setInputFiles(folder);
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const packOf = async (pack_id: string): Promise<PackDetail> =>
  (await stack.call<PackDetail>('GET', `/v1/packs/${pack_id}`, { token: owner.token })).body;

/** As the browser itself drops: the folder comes as an entry of the file system. */
async function drop(page: Page, path: string): Promise<void> {
  const box = await region(page, 'Add a pack').boundingBox();
  const at = { x: (box?.x ?? 0) + 20, y: (box?.y ?? 0) + 20 };
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, ...at, data });
}

describe('a pack', () => {
  it('with errors shows each with its place and what mends it, and does not go in', async () => {
    const page = await arriveAs(owner, '/packs');
    await page.getByText('Install a first pack').waitFor();
    const broken = await ledger('broken', ({ surface, policy }) => {
      surface.commands['transfer']?.cli?.push('{{nothing}}');
      delete policy.commands['balance'];
    });
    await choose(page, broken);
    const check = region(page, 'Check');
    const errors = check.getByRole('list', { name: 'Errors (2)' });
    await errors.getByText('M011').waitFor();
    await errors.getByText('/commands/transfer/cli/8').waitFor();
    await errors.getByText('Declare nothing in args.properties.').waitFor();
    await errors.getByText('P008').waitFor();
    expect(await errors.getByRole('button', { name: 'Copy' }).count()).toBeGreaterThan(0);
    expect(await check.getByRole('button', { name: 'Install' }).isDisabled()).toBe(true);
    await check.getByText('It cannot be installed while 2 errors stand').waitFor();
    await expectAccessible(page, 'findings');
  });

  it('is told from a folder of several, of which one is chosen, and from what is none', async () => {
    const page = await arriveAs(owner, '/packs');
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/gzip', buffer });
    await choose(page, dirname(LEDGER));
    const several = page.getByRole('alert', { name: /^This folder holds \d+ packs$/ });
    await several.getByText(/^curl, git, .*; choose one of them\.$/).waitFor();
    await expectAccessible(page, 'several packs');
    await several.getByRole('button', { name: 'curl' }).click();
    const check = region(page, 'Check');
    await check.getByText('curl is new here.').waitFor();
    for (const says of ['Fetch from example.com', 'example.com', 'curl'])
      await check.getByText(says, { exact: true }).first().waitFor();

    const none = page.getByRole('alert', { name: 'This is not a pack: there is no manifest.json at its top' });
    await choose(page, join(LEDGER, 'src'));
    await none.waitFor();
    await drop(page, LEDGER);
    await check.getByText('4 commands; 1 of them writes: transfer').waitFor();
    await check.getByText('bin/ledger', { exact: true }).waitFor();
    await check.getByText('no network', { exact: true }).waitFor();
    await check.getByText(/^\d+ files, .*iB$/).waitFor();
    await expectAccessible(page, 'what a pack is');
    const nested = await archiveOf(dirname(LEDGER));
    await page.getByLabel('Choose an archive').first().setInputFiles(file('packs.tgz', nested));
    await none.waitFor();
  });

  it('that was mended goes in by drop, is activated after a question, and its commands are there', async () => {
    const page = await arriveAs(owner, '/packs');
    await page.getByText('Install a first pack').waitFor();
    await drop(page, LEDGER);
    await region(page, 'Check').getByText('ledger is new here.').waitFor();
    await page.getByRole('button', { name: 'Install ledger 1.0.0' }).click();
    const installed = region(page, 'Installed');
    await installed.getByRole('heading', { name: 'ledger 1.0.0 is installed' }).waitFor();
    expect((await packOf('ledger')).activations).toEqual([]);

    await installed.getByRole('button', { name: 'Activate…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Activate ledger 1.0.0?' });
    await dialog.getByText('transfer: write, always asks').waitFor();
    await dialog.getByRole('alert', { name: 'What it may do' }).getByText('transfer is new and writes').waitFor();
    await dialog.getByRole('button', { name: 'Activate 1.0.0' }).click();
    await installed.getByRole('heading', { name: 'ledger 1.0.0 is active in the whole tenant' }).waitFor();
    expect((await packOf('ledger')).activations).toMatchObject([{ project_id: null, version: '1.0.0' }]);

    await installed.getByRole('link', { name: 'See ledger' }).click();
    await region(page, 'Commands').getByRole('link', { name: 'transfer' }).waitFor();
    await region(page, 'Skill').getByText('One demo account').waitFor();
  });

  it('as an archive, and once more, is told apart from what is there', async () => {
    const page = await arriveAs(owner, '/packs');
    await page.getByRole('table', { name: 'Packs' }).waitFor();
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/gzip', buffer });
    const archive = page.getByLabel('Choose an archive').first();
    await archive.setInputFiles(file('ledger.tgz', await archiveOf(LEDGER)));
    await page.getByText('is installed already, with exactly this content').waitFor();

    await choose(page, await ledger('other', ({ manifest }) => (manifest.description = 'Another.')));
    await page.getByText('is installed with another content').waitFor();
    expect(await page.getByRole('button', { name: 'Install ledger 1.0.0' }).isDisabled()).toBe(true);

    await archive.setInputFiles(file('ledger.tgz', Buffer.from('no archive')));
    await page.getByRole('list', { name: 'Errors (1)' }).getByText('is not a gzip file').waitFor();

    await archive.setInputFiles(file('big.tgz', Buffer.alloc(10 * 2 ** 20 + 1)));
    await page.getByRole('alert').getByText('The archive is over 10 MiB').waitFor();
  });

  it('in a new version says what changes and what it may do more; rolled back it is the old one', async () => {
    const page = await arriveAs(owner, '/packs');
    const next = await ledger('next', ({ manifest, surface, policy }) => {
      manifest.version = '1.1.0';
      delete surface.commands['payees'];
      delete policy.commands['payees'];
      surface.commands['freeze'] = { description: 'Freezes the account.', cli: ['ledger', 'freeze'] };
      policy.commands['freeze'] = { operation: 'write', confirm: true, privacy: { land: 'personal' } };
      const transfer = policy.commands['transfer'];
      if (transfer) transfer.confirm = true;
    });
    await choose(page, next);
    await page.getByRole('button', { name: 'Install ledger 1.1.0' }).click();
    await region(page, 'Installed').getByRole('button', { name: 'Activate…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Activate ledger 1.1.0?' });
    const more = dialog.getByRole('alert', { name: 'It may do more' });
    await more.getByText('freeze is new and writes').waitFor();
    await more.getByText('transfer asked more before; now it asks first').waitFor();
    await dialog.getByText('payees', { exact: true }).waitFor();
    await dialog.getByText('transfer: always asks becomes asks first').waitFor();
    await dialog.getByRole('button', { name: 'Activate 1.1.0' }).click();
    await region(page, 'Installed').getByRole('link', { name: 'See ledger' }).click();

    const active = region(page, 'Active');
    await active.getByText('1.1.0').waitFor();
    await active.getByRole('button', { name: 'Roll back' }).click();
    await page
      .getByRole('dialog', { name: /^Roll back ledger/ })
      .getByRole('button', { name: 'Roll back' })
      .click();
    await active.getByText('1.0.0').waitFor();
    expect((await packOf('ledger')).activations).toMatchObject([{ version: '1.0.0' }]);
  });

  it('loses a version that is not active, after a question; the active one cannot go', async () => {
    const page = await arriveAs(owner, '/packs/ledger');
    const versions = page.getByRole('table', { name: 'Versions' });
    await versions.getByRole('button', { name: 'Actions for version 1.0.0' }).click();
    expect(await page.getByRole('menuitem', { name: 'Delete (is active)' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await versions.getByRole('button', { name: 'Actions for version 1.1.0' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete ledger 1.1.0?' });
    await dialog.getByRole('button', { name: 'Delete the version' }).click();
    await versions.getByText('1.1.0').waitFor({ state: 'detached' });
    expect((await packOf('ledger')).versions.map(({ version }) => version)).toEqual(['1.0.0']);
  });

  it('is stopped: a run that goes on ends, none starts, and after resuming they do', async () => {
    const slow = { description: 'Takes its time.', cli: ['wait'] };
    await install(
      stack,
      owner.token,
      await packArchive({ pack_id: 'wait', bin: '#!/bin/sh\nsleep 60\n', commands: { slow } }),
    );
    const exec = async (): Promise<ResultEnvelope> => {
      const body = { pack_id: 'wait', verb_key: 'slow', args: {}, wait_ms: 0 };
      return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body })).body;
    };
    const { run_id } = await exec();
    const page = await arriveAs(owner, '/packs/wait');
    await page.getByRole('button', { name: 'Stop the pack' }).click();
    await page.getByRole('dialog', { name: 'Stop wait?' }).getByRole('button', { name: 'Stop the pack' }).click();
    await page.getByRole('alert', { name: 'This pack is stopped' }).waitFor();
    await eventually('the run has ended', async () => {
      const { body } = await stack.call<Run>('GET', `/v1/runs/${String(run_id)}`, { token: owner.token });
      return !['queued', 'starting', 'running'].includes(body.status);
    });
    expect((await exec()).ok).toBe(false);

    await page.getByRole('button', { name: 'Resume the pack' }).click();
    await page.getByRole('dialog', { name: 'Resume wait?' }).getByRole('button', { name: 'Resume the pack' }).click();
    await page.getByRole('alert', { name: 'This pack is stopped' }).waitFor({ state: 'detached' });
    expect((await exec()).run_id).not.toBeNull();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page
      .getByRole('dialog', { name: /^Deactivate wait/ })
      .getByRole('button', { name: 'Deactivate' })
      .click();
    await page.getByText('Its commands cannot be called until a version of it is activated').waitFor();
  });
});

describe('who may not', () => {
  it('install sees the packs and no way to change them', async () => {
    const page = await arriveAs(member, '/packs');
    await page.getByRole('table', { name: 'Packs' }).waitFor();
    expect(await region(page, 'Add a pack').count()).toBe(0);
    await page.getByRole('link', { name: 'ledger', exact: true }).click();
    await region(page, 'Versions').waitFor();
    for (const name of ['Stop the pack', 'Roll back', 'Deactivate', /^Actions for/])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
  });

  it('see a tenant sees nothing of its packs', async () => {
    const { owner: stranger } = await tenantWithOwner(stack);
    const page = await arriveAs(stranger, '/packs');
    await page.getByText('Install a first pack').waitFor();
    expect(await page.getByRole('link', { name: 'ledger', exact: true }).count()).toBe(0);
    await page.goto('/packs/ledger');
    await page.getByText('There is no such thing here').waitFor();
  });
});

describe('the texts of a pack', () => {
  it('show what cannot be seen, and neither break the page nor become a part of it', async () => {
    const page = await arriveAs(owner, '/packs', { width: 390 });
    const folder = await ledger('hostile', ({ manifest, surface }) => {
      manifest.pack_id = 'hostile';
      manifest.name = 'Good\u202ekcap\u200b';
      manifest.description = `<b>bold</b>\u2066${'long'.repeat(150)}`;
      const { balance } = surface.commands;
      if (balance) balance.description = 'Reads\u202e only <img src=x>';
    });
    await writeFile(join(folder, 'SKILL.md'), '# Skill\u202e\n\n<script>document.title = "mine"</script>\n');
    await choose(page, folder);
    await page.getByRole('button', { name: 'Install hostile 1.0.0' }).click();
    await page.getByRole('link', { name: 'See hostile' }).click();
    await region(page, 'Skill').getByText('<script>').waitFor();
    const text = await page.getByRole('main').innerText();
    expect(text).not.toMatch(/[\u202e\u200b\u2066]/);
    for (const shown of [
      'Good\\u202ekcap\\u200b',
      '<b>bold</b>\\u2066',
      'Reads\\u202e only <img src=x>',
      '# Skill\\u202e',
    ])
      expect(text).toContain(shown);
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wider).toBeLessThanOrEqual(0);
    expect(await page.title()).toBe('hostile · HCP');
  });
});

describe('the form of a command', () => {
  const args = {
    type: 'object',
    properties: {
      amount: { type: 'number', minimum: 1, description: 'How much.' },
      kind: { type: 'string', enum: ['one', 'two'], default: 'one' },
      tags: { type: 'array', items: { type: 'string' } },
      where: { type: 'object', properties: { city: { type: 'string' }, floor: { type: 'integer' } } },
      force: { type: 'boolean', 'x-switch': '--force' },
      confirm: { type: 'boolean', default: true },
    },
    required: ['amount'],
    additionalProperties: false,
  } as const;

  beforeAll(async () => {
    const cli = ['form', '{{amount}}', '{{kind}}', '{{tags}}', '{{where}}', '{{force}}'];
    const anything = { type: 'object', properties: { any: {} } } as const;
    const commands = {
      fill: { description: 'Takes many.', args, cli },
      any: { description: 'Takes anything.', args: anything, cli: ['form', '{{any}}'] },
    };
    const bin = '#!/bin/sh\nprintf "%s\\n" "$@"\n';
    await install(stack, owner.token, await packArchive({ pack_id: 'form', bin, commands }));
  });

  it('has a field for each argument but the yes, says a fault at its field, and keeps numbers as typed', async () => {
    const page = await arriveAs(owner, '/commands/form/fill');
    const form = region(page, 'Arguments');
    await form.getByLabel(/^amount/).fill('0.50');
    expect(await form.getByLabel('confirm').count()).toBe(0);
    await form.getByRole('button', { name: 'Preview' }).click();
    await form.getByText('must be >= 1').first().waitFor();
    expect(await form.getByLabel(/^amount/).getAttribute('aria-invalid')).toBe('true');

    await form.getByLabel(/^amount/).fill('2.80');
    await form.getByRole('combobox', { name: 'kind' }).click();
    await page.getByRole('option', { name: 'two' }).click();
    await form.getByLabel('floor').waitFor();
    await form.getByRole('button', { name: 'Add one' }).click();
    await form.getByLabel(/^tags-1/).fill('red');
    await form.getByRole('button', { name: 'Preview' }).click();
    // A program takes no list: said at the list, which then goes.
    await form.getByText('must be a text, a number or a boolean').waitFor();
    await form.getByRole('button', { name: 'Remove' }).click();
    await form.getByRole('checkbox', { name: 'force' }).check();
    await form.getByRole('button', { name: 'Preview' }).click();
    const call = region(page, 'The call');
    await call.waitFor();
    const text = await call.innerText();
    for (const shown of ['2.80', 'two', '--force']) expect(text).toContain(shown);
    await expectAccessible(page, 'the form');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('status').getByText('succeeded', { exact: true }).waitFor();
  });

  it('is JSON where no form can be made, and says why and what is wrong with it', async () => {
    const page = await arriveAs(owner, '/commands/form/any');
    const form = region(page, 'Arguments');
    await form.getByText('There is no form for this command').waitFor();
    await form.getByLabel('Arguments as JSON').fill('{"any": 1, "any": 2}');
    await form.getByText(/twice/).waitFor();
    expect(await form.getByRole('button', { name: 'Preview' }).isDisabled()).toBe(true);
    await form.getByLabel('Arguments as JSON').fill('{"any": "one"}');
    await form.getByRole('button', { name: 'Preview' }).click();
    await region(page, 'The call').waitFor();
  });
});

describe('every page', () => {
  it.each(VARIANTS)('has no serious fault for axe and fits, in $scheme at $width px', async (variant) => {
    const page = await arriveAs(owner, '/packs', variant);
    for (const path of ['/packs', '/packs/ledger', '/packs/hcp-cli', '/commands', '/commands/form/fill']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByLabel('Loading').count()).toBe(0);
      await expectAccessible(page, `${path} ${variant.scheme} ${String(variant.width)}`);
      const wider = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wider, `${path} fits`).toBeLessThanOrEqual(0);
    }
  });

  it('works by keyboard: a folder is chosen by a button, a dialog closes by Escape and gives the focus back', async () => {
    const page = await arriveAs(owner, '/packs');
    const button = page.getByRole('button', { name: 'Choose a folder' });
    page.on('filechooser', (chooser) => void chooser.setFiles(LEDGER));
    // The heading has the focus first; from there one comes to the button.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Packs');
    await page.keyboard.press('Tab');
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await region(page, 'Check').waitFor();

    await page.goto('/packs/ledger');
    const stop = page.getByRole('button', { name: 'Stop the pack' });
    await stop.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Stop ledger?' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => stop.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
