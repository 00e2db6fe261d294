import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Approval, Member, Webhook } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant, makeProject } from '@hcp/testing';
import { expectAccessible, signIn, startBrowser, visit, type Visit, type VisitOptions } from '../support/dashboard.js';
import { IdentityProvider } from '../support/oidc.js';
import { archiveOf } from '../support/packs.js';
import { eventually } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import {
  install,
  keyFor,
  operatorOf,
  signedIn,
  startStack,
  tenantWithOwner,
  type Person,
  type Stack,
} from '../support/stack.js';

/** Settings and access in the dashboard, in a real browser on the whole running product (SPEC I5). */

const LEDGER = fileURLToPath(new URL('../../examples/packs/ledger', import.meta.url));

let stack: Stack;
let browser: Browser;
let receiver: Receiver;
let idp: IdentityProvider;
let tenant_id: string;
let owner: Person;
let approver: Person;
let member: Person;
let agent: string;
let visits: Visit[] = [];

beforeAll(async () => {
  receiver = await Receiver.start();
  idp = await IdentityProvider.start();
  // Both listen on this machine.
  stack = await startStack({ env: { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' } });
  browser = await startBrowser();
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  approver = await signedIn(stack, tenant_id, 'approver');
  member = await signedIn(stack, tenant_id, 'member');
  await install(stack, owner.token, await archiveOf(LEDGER));
  const { db } = stack.database;
  const { id } = await makeAgent(db, tenant_id, { acts_for: owner.id });
  for (const capability of ['verb.exec.read', 'verb.exec.write'] as const)
    await makeGrant(db, tenant_id, id, capability);
  agent = (await keyFor(stack, tenant_id, id)).key;
}, 180_000);

afterAll(async () => {
  await browser.close();
  await receiver.stop();
  await idp.stop();
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

async function arriveAs(person: Person, path: string, options?: VisitOptions): Promise<Page> {
  const one = await visit(browser, stack.urls[0], options);
  visits.push(one);
  one.page.setDefaultTimeout(20_000);
  await signIn(one.page, person, path);
  return one.page;
}

const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const said = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();

async function choose(page: Page, field: ReturnType<Page['getByLabel']>, option: string | RegExp): Promise<void> {
  await field.click();
  await page.getByRole('option', { name: option }).click();
}

const exec = (token: string, args: object, more: object = {}) =>
  stack.call<ResultEnvelope>('POST', '/v1/exec', {
    token,
    body: { pack_id: 'ledger', verb_key: 'transfer', args, ...more },
  });

describe('how the tenant approves', () => {
  it('takes a second person: not the yes of who asked, but that of another', async () => {
    const page = await arriveAs(owner, '/settings/approvals');
    await page.getByRole('switch', { name: 'A second person decides' }).click({ force: true });
    await page.getByRole('combobox', { name: 'How long a request waits: unit' }).click();
    await page.getByRole('option', { name: 'hours' }).click();
    await page.getByLabel('How long a request waits', { exact: true }).fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    // A longer wait loosens, so it asks.
    const dialog = page.getByRole('dialog', { name: 'Loosen what a yes takes?' });
    await dialog.getByText('A request can be answered for 2 h instead of 15 min.').waitFor();
    await dialog.getByRole('button', { name: 'Loosen it' }).click();
    await said(page, 'Saved');

    const asked = await exec(agent, { amount: 3, payee: 'demo-transit' }, { run_on_approve: true });
    const id = String(asked.body.approval_id);
    await page.goto(`/approvals/${id}`);
    await see(page, /second person|somebody else/i);
    expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(0);

    const other = await arriveAs(approver, `/approvals/${id}`);
    await other.getByRole('button', { name: 'Allow once' }).click();
    await see(other, 'Approved');
    await eventually('it ran', async () => {
      const { body } = await stack.call<Approval>('GET', `/v1/approvals/${id}`, { token: owner.token });
      return body.state === 'consumed';
    });

    await page.goto('/settings/approvals');
    await page.getByRole('button', { name: 'A second person decides: use the default' }).click();
    await page.getByRole('button', { name: 'How long a request waits: use the default' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Whoever asked may say yes to it themselves.').waitFor();
    await dialog.getByRole('button', { name: 'Loosen it' }).click();
    await said(page, 'Saved');
  });

  it('asks more for a kind of card, saved at once because it only tightens', async () => {
    const page = await arriveAs(owner, '/settings/approvals');
    await choose(page, page.getByRole('combobox', { name: 'Ask more of' }), 'payment cards');
    await page.getByRole('button', { name: 'Save' }).click();
    await said(page, 'Saved');
    await page.reload();
    await page.getByRole('list', { name: 'Where more is asked' }).getByText('payment cards').waitFor();
    await page.getByRole('button', { name: 'Ask no more of payment cards' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Loosen what a yes takes?' });
    await dialog.getByText('Less is asked for payment cards.').waitFor();
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await page.getByRole('list', { name: 'Where more is asked' }).getByText('payment cards').waitFor();
    await stack.call('PUT', '/v1/access/settings', { token: owner.token, body: { narrower: null } });
  });

  it('says what is wrong at the field, and loosens nothing by it', async () => {
    const page = await arriveAs(owner, '/settings/approvals');
    await page.getByRole('combobox', { name: 'How long a request waits: unit' }).click();
    await page.getByRole('option', { name: 'days' }).click();
    await page.getByLabel('How long a request waits', { exact: true }).fill('30');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Loosen what a yes takes?' });
    await dialog.getByRole('button', { name: 'Loosen it' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await page.getByRole('form', { name: 'Approvals' }).getByRole('alert').first().waitFor();
  });
});

describe('projects', () => {
  it('are created, given members, renamed and deleted', async () => {
    const page = await arriveAs(owner, '/settings/projects');
    await page.getByLabel('Name of a new project').fill('Moonshot');
    await page.keyboard.press('Enter');
    await said(page, 'Moonshot is created');
    await page.getByLabel('Name of a new project').fill('Moonshot');
    await page.getByRole('button', { name: 'Create the project' }).click();
    await page.locator('input[aria-invalid="true"]').waitFor();

    await page.getByRole('link', { name: 'Moonshot' }).click();
    await page.getByRole('heading', { name: 'Moonshot', level: 1 }).waitFor();
    await choose(page, page.getByRole('combobox', { name: 'Add a member' }), new RegExp(member.email));
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await said(page, 'The member is added');
    const { name } = (await stack.call<Member>('GET', `/v1/members/${member.id}`, { token: owner.token })).body;
    const remove = page.getByRole('list', { name: 'Members' }).getByRole('button', { name: `Remove ${name}` });
    await remove.waitFor();

    const theirs = await arriveAs(member, '/settings/projects');
    await theirs.getByRole('link', { name: 'Moonshot' }).click();
    await theirs.getByRole('heading', { name: 'Moonshot', level: 1 }).waitFor();
    expect(await theirs.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);

    await remove.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await remove.waitFor({ state: 'detached' });
    await theirs.reload();
    await see(theirs, 'There is no such thing here');

    await page.getByRole('button', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename the project' });
    await dialog.getByLabel(/^Name/).fill('Sunshot');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sunshot', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the project' }).click();
    await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Sunshot' }).count(), { timeout: 15_000 }).toBe(0);
  });

  it('keep files: put, fetched, replaced after a question, and removed', async () => {
    const { id } = await makeProject(stack.database.db, tenant_id);
    await stack.call('PUT', `/v1/projects/${id}/members/${owner.id}`, { token: owner.token });
    const page = await arriveAs(owner, `/settings/projects/${id}`);
    await see(page, 'There are no files yet');
    const upload = async (content: string): Promise<void> => {
      const chosen = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Upload a file' }).click();
      await (await chosen).setFiles({ name: 'may.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
    };
    await page.getByLabel('Put into the folder').fill('reports');
    await upload('a,b\n');
    await said(page, 'reports/may.csv is there');
    await page.getByRole('button', { name: 'reports/' }).click();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download may.csv' }).click();
    expect((await downloaded).suggestedFilename()).toBe('may.csv');

    await upload('a,b\n1,2\n');
    await page.getByRole('dialog', { name: 'Replace this file?' }).getByRole('button', { name: 'Replace it' }).click();
    await said(page, 'may.csv is replaced');

    await page.getByRole('navigation', { name: 'Folder' }).getByRole('button', { name: 'All files' }).click();
    await page.getByRole('button', { name: 'Remove reports' }).click();
    await page.getByRole('dialog', { name: 'Remove this folder?' }).getByRole('button', { name: 'Remove it' }).click();
    await see(page, 'There are no files yet');
  });

  it('have modes and rules of their own, which only tighten, and the page says what does not count', async () => {
    const { id, name } = await makeProject(stack.database.db, tenant_id, [owner.id]);
    const page = await arriveAs(owner, `/settings/projects/${id}`);
    const access = region(page, 'Access in this project');
    await choose(page, access.getByRole('combobox', { name: 'Another mode for' }), /^Everything/);
    await choose(page, access.getByRole('combobox', { name: 'Its mode' }), 'run');
    await access.getByRole('button', { name: 'Set' }).click();
    await said(page, 'The mode is set');
    await page.goto('/access');
    await choose(page, page.getByRole('combobox', { name: 'As of a call in' }), name);
    await region(page, 'Ignored').getByText('mode, set by the project').waitFor();
    await region(page, 'Ignored').getByText('Take it away in the project').waitFor();
    // A call in the project, as a session in it makes it.
    const rule = { match: 'ledger.*', decision: 'deny', project_id: id };
    await stack.call('POST', '/v1/access/rules', { token: owner.token, body: rule });
    const tester = region(page, 'Tester');
    await choose(page, tester.getByRole('combobox', { name: 'Command to test' }), 'ledger transfer');
    await tester.getByLabel(/^amount/).fill('1');
    await tester.getByLabel(/^payee/).fill('demo-transit');
    await tester.getByRole('button', { name: 'Test it' }).click();
    await tester.getByText('A rule of the project decides: No command of ledger runs.').waitFor();
    const { items } = (await stack.call<{ items: { project_id: string | null }[] }>('GET', '/v1/sessions', owner)).body;
    expect(items.some(({ project_id }) => project_id === id)).toBe(false);
    await page.getByRole('button', { name: /^Take away the mode for everything in/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take it away' }).click();
    await region(page, 'Ignored').getByText('everything that was set').waitFor();
  });
});

describe('webhooks', () => {
  it('are added with a secret that is shown once, tried, switched off, and what was given up is sent again', async () => {
    receiver.answer = 204;
    const page = await arriveAs(owner, '/settings/webhooks');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a webhook' });
    await dialog.getByLabel(/^Address/).fill('http://10.0.0.1/hook');
    await dialog.getByRole('button', { name: 'Add the webhook' }).click();
    await dialog
      .getByText(/private|https/i)
      .nth(1)
      .waitFor();
    await dialog.getByLabel(/^Address/).fill(receiver.url('/dash'));
    await dialog.getByRole('button', { name: 'Add the webhook' }).click();
    await dialog.waitFor({ state: 'detached' });
    const secret = await page
      .getByRole('status')
      .getByText(/^whsec_/)
      .innerText();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('link', { name: receiver.url('/dash') }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await see(page, 'It arrived');
    const [first] = receiver.of('/dash');
    expect(first?.message.type).toBe('webhook.test');
    expect(first !== undefined && Receiver.verifies(first, secret)).toBe(true);

    // The endpoint refuses; switched off, what waits is given up.
    receiver.answer = 500;
    await page.getByRole('button', { name: 'Send a test' }).click();
    await see(page, 'It did not arrive yet');
    await see(page, 'the endpoint answered 500');
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Switch it off' }).click();
    await page.getByText('Given up', { exact: true }).click();
    await see(page, 'the webhook was switched off before it was sent');

    receiver.answer = 204;
    await page.getByRole('button', { name: 'Switch on' }).click();
    const before = receiver.of('/dash').length;
    await page.getByRole('button', { name: /^Send webhook.test .* again$/ }).click();
    await said(page, 'It is sent once more');
    await eventually('it arrives', () => Promise.resolve(receiver.of('/dash').length > before), 30_000);
    await see(page, 'There are none.');

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Make a new secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }).click();
    expect(
      await page
        .getByRole('status')
        .getByText(/^whsec_/)
        .innerText(),
    ).not.toBe(secret);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await see(page, /the secret before this one signs as well/);

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the webhook' }).click();
    await see(page, 'There is no webhook yet');
    const { body } = await stack.call<{ items: Webhook[] }>('GET', '/v1/webhooks', { token: owner.token });
    expect(body.items).toEqual([]);
  });
});

describe('identity providers', () => {
  it('are added, changed, linked to a subject, and removed after a question', async () => {
    const page = await arriveAs(owner, '/settings/identity-providers');
    await see(page, 'There is no identity provider yet');
    await page.getByRole('button', { name: 'Add a provider' }).click();
    const adding = page.getByRole('dialog', { name: 'Add a provider' });
    await adding.getByLabel(/^Issuer/).fill('https://id.example.com?x');
    await adding.getByRole('button', { name: 'Add the provider' }).click();
    await adding.getByText(/must be an https URL/i).waitFor();
    await adding.getByLabel(/^Issuer/).fill('http://127.0.0.1:9/nobody');
    await adding.getByRole('button', { name: 'Add the provider' }).click();
    await adding.getByText(/does not answer with a discovery document/i).waitFor();
    await adding.getByLabel(/^Issuer/).fill(idp.issuer);
    await adding.getByRole('button', { name: 'Add the provider' }).click();
    await said(page, `urn:hcp:tenant:${tenant_id}`);

    await page.getByRole('button', { name: `More about ${idp.issuer}` }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const editing = page.getByRole('dialog', { name: 'Edit the provider' });
    await editing.getByRole('checkbox', { name: 'RS256' }).uncheck();
    await editing.getByRole('button', { name: 'Save' }).click();
    await said(page, 'Saved');
    await see(page, /ES256, EdDSA/);

    await page.getByRole('button', { name: `Link a subject of ${idp.issuer}` }).click();
    const linking = page.getByRole('dialog', { name: 'Link a subject' });
    await linking.getByLabel(/^Subject/).fill('user-1');
    await page.keyboard.press('Enter');
    await said(page, 'Linked');

    await page.getByRole('button', { name: `More about ${idp.issuer}` }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the provider' }).click();
    await see(page, 'There is no identity provider yet');
  });
});

describe('access', () => {
  it('a rule that is written there changes what the tester says, and what a real call gets', async () => {
    const page = await arriveAs(owner, '/access');
    const tester = region(page, 'Tester');
    const test = async (amount: string): Promise<void> => {
      await tester.getByLabel(/^amount/).fill(amount);
      await tester.getByRole('button', { name: 'Test it' }).click();
    };
    await choose(page, tester.getByRole('combobox', { name: 'Command to test' }), 'ledger transfer');
    await tester.getByLabel(/^payee/).fill('demo-transit');
    await test('2');
    await tester.getByText('It asks first').waitFor();
    await tester.getByText('this command asks in every mode').waitFor();

    await page.getByRole('button', { name: 'Write a rule' }).click();
    const form = page.getByRole('form', { name: 'Write a rule' });
    await form.getByLabel(/^Command/).fill('ledger.transfer');
    await choose(page, form.getByRole('combobox', { name: 'What happens' }), 'runs without asking');
    await form.getByRole('button', { name: 'Add a condition' }).click();
    const condition = form.getByRole('group', { name: 'Condition 1' });
    await condition.getByLabel('Argument').fill('sum');
    await choose(page, condition.getByLabel('Compared'), 'is at most');
    await condition.getByLabel('Value').fill('five');
    await form.getByRole('button', { name: 'Add the rule' }).click();
    await form.getByText('Write a plain number').waitFor();
    await condition.getByLabel('Value').fill('5');
    await form.getByRole('button', { name: 'Add the rule' }).click();
    await form.getByText(/has no argument sum/).waitFor();
    await condition.getByLabel('Argument').fill('amount');
    await form.getByText('It says: ledger.transfer runs without asking, where amount is at most 5.').waitFor();
    await form.getByRole('button', { name: 'Add the rule' }).click();
    await said(page, 'is written');

    await test('3');
    await tester.getByText('It runs').waitFor();
    await tester.getByText(/A rule of the tenant decides/).waitFor();
    await tester.getByRole('button', { name: 'Show the rule' }).click();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('ledger.transfer');
    await test('6');
    await tester.getByText('It asks first').waitFor();
    expect((await exec(agent, { amount: 3, payee: 'demo-transit' })).body).toMatchObject({ ok: true });
    expect((await exec(agent, { amount: 6, payee: 'demo-transit' })).body).toMatchObject({ code: 'confirm_required' });

    await page.getByRole('button', { name: 'Delete the rule ledger.transfer' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the rule' }).click();
    await page.getByRole('button', { name: 'Delete the rule ledger.transfer' }).waitFor({ state: 'detached' });
    expect((await exec(agent, { amount: 3, payee: 'demo-transit' })).body).toMatchObject({ code: 'confirm_required' });
  });

  it('changes the mode for everybody after a question, and for a pack alone', async () => {
    const page = await arriveAs(owner, '/access');
    const mode = region(page, 'Mode');
    await mode.getByRole('radio', { name: 'manual' }).click();
    await page
      .getByRole('dialog', { name: 'Set the mode to manual?' })
      .getByRole('button', { name: 'Leave it' })
      .click();
    await expect.poll(() => mode.getByRole('radio', { name: 'auto' }).isChecked()).toBe(true);
    await choose(page, mode.getByRole('combobox', { name: 'Another mode for' }), 'ledger');
    await mode.getByRole('button', { name: 'Set' }).click();
    await mode.getByRole('list', { name: 'Where the mode differs' }).getByText('for every command of ledger').waitFor();
    await region(page, 'In force').getByText('the tenant, for this pack').waitFor();
    await mode.getByRole('button', { name: 'Take away the mode for every command of ledger' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take it away' }).click();
    await mode.getByRole('list', { name: 'Where the mode differs' }).waitFor({ state: 'detached' });
  });
});

describe('the operator', () => {
  it('creates a tenant, stops it so that its people are signed out on the next call, and lets it go on', async () => {
    const operator = await operatorOf(stack);
    const { owner: theirs, tenant_id: other } = await tenantWithOwner(stack);
    const { name } = await stack.database.db.tenant(other, (tx) =>
      tx.tenant.findFirstOrThrow({ select: { name: true } }),
    );
    const page = await arriveAs(operator, '/settings/tenants');
    await page.getByRole('button', { name: 'Create a tenant' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a tenant' });
    await dialog.getByLabel(/^Name/).fill('New Company');
    expect(await dialog.getByLabel(/^Short name/).inputValue()).toBe('new-company');
    await dialog.getByLabel(/^Email/).fill('first@example.com');
    await dialog.getByRole('button', { name: 'Create and invite' }).click();
    await page.getByRole('status').filter({ hasText: 'The invitation of first@example.com' }).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('list', { name: 'Tenants' }).getByText('New Company').waitFor();

    const person = await arriveAs(theirs, '/commands');
    await person.getByRole('heading', { name: 'Commands', level: 1 }).waitFor();
    await page.getByRole('button', { name: `Stop ${name}`, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop the tenant' }).click();
    await page.getByRole('button', { name: `Let ${name} go on`, exact: true }).waitFor();
    await person.getByRole('link', { name: 'Runs' }).click();
    await see(person, 'You are signed out');

    await page.getByRole('button', { name: `Let ${name} go on`, exact: true }).click();
    await said(page, 'goes on');
    await person.getByLabel('Email').fill(theirs.email);
    await person.getByLabel(/^Password/).fill(theirs.password);
    await person.getByRole('button', { name: 'Sign in' }).click();
    await person.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();

    await page.getByRole('button', { name: `More about ${name}`, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Make a new data key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new key' }).click();
    await said(page, 'Data key 2 is made');
  });

  it('sees which root keys wrap what, and gives the issuer another signing key', async () => {
    const page = await arriveAs(await operatorOf(stack), '/settings/keys');
    await page.getByRole('table', { name: 'Root keys' }).getByText('wraps now').waitFor();
    await see(page, 'There is nothing to do');
    await page.getByRole('button', { name: 'Make a new signing key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new key' }).click();
    await said(page, 'is published, and signs from');
  });
});

describe('who may not', () => {
  it('sees no link to what is not theirs, and clear words by its address', async () => {
    const page = await arriveAs(member, '/settings');
    await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    const links = await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allInnerTexts();
    expect(links).toEqual(['Projects', 'About']);
    for (const path of ['approvals', 'webhooks', 'identity-providers', 'tenants', 'keys']) {
      await page.goto(`/settings/${path}`);
      await see(page, 'You may not open this page');
    }
    await page.goto('/access');
    await page.getByRole('heading', { name: 'Access', level: 1 }).waitFor();
    await region(page, 'Rules').waitFor();
    expect(await page.getByRole('button', { name: 'Write a rule' }).count()).toBe(0);
    expect(await page.getByRole('radio').count()).toBe(0);
  });

  it('another tenant sees nothing of it', async () => {
    const { id } = await makeProject(stack.database.db, tenant_id);
    const hook = await stack.call<Webhook>('POST', '/v1/webhooks', {
      token: owner.token,
      body: { url: receiver.url('/ours'), events: ['run.finished'] },
    });
    const { owner: stranger } = await tenantWithOwner(stack);
    const page = await arriveAs(stranger, `/settings/projects/${id}`);
    await see(page, 'There is no such thing here');
    await page.goto(`/settings/webhooks/${hook.body.id}`);
    await see(page, 'There is no such thing here');
    await page.goto('/settings/webhooks');
    await see(page, 'There is no webhook yet');
    await page.goto('/settings/projects');
    await see(page, 'There is no project yet');
  });
});

describe('every page of the settings', () => {
  const variants = [
    { scheme: 'light', width: 1280 },
    { scheme: 'dark', width: 1280 },
    { scheme: 'light', width: 390 },
    { scheme: 'dark', width: 390 },
  ] as const;

  it.each(variants)('has no serious fault for axe and fits, in $scheme at $width px', async (variant) => {
    const { id } = await makeProject(stack.database.db, tenant_id);
    const long = `http://127.0.0.1:9/${'a-long-path/'.repeat(30)}`;
    const hook = await stack.call<Webhook>('POST', '/v1/webhooks', {
      token: owner.token,
      body: { url: long, events: ['run.finished'], description: 'wide '.repeat(39) },
    });
    await stack.call('POST', '/v1/access/rules', {
      token: owner.token,
      body: { match: 'ledger.transfer', decision: 'ask', note: `nowhere to break ${'x'.repeat(400)}` },
    });
    const check = async (page: Page, path: string): Promise<void> => {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('load');
      await expect.poll(() => page.getByLabel('Loading').count(), { timeout: 15_000 }).toBe(0);
      await expectAccessible(page, `${path} ${variant.scheme} ${String(variant.width)}`);
      const wider = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wider, `${path} fits`).toBeLessThanOrEqual(0);
    };
    const page = await arriveAs(owner, '/settings', variant);
    const paths = ['approvals', 'projects', `projects/${id}`, 'webhooks', `webhooks/${hook.body.id}`];
    for (const path of [...paths, 'identity-providers', 'about']) await check(page, `/settings/${path}`);
    await check(page, '/access');
    await page.getByRole('button', { name: 'Write a rule' }).click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await expectAccessible(page, 'writing a rule');
    const operator = await arriveAs(await operatorOf(stack), '/settings/tenants', variant);
    for (const path of ['/settings/tenants', '/settings/keys']) await check(operator, path);
  });

  it('works by keyboard alone: to a setting, and to saving it', async () => {
    const page = await arriveAs(owner, '/settings/approvals');
    const reason = page.getByRole('switch', { name: 'A decision needs a reason' });
    await reason.waitFor();
    const reach = async (target: typeof reason): Promise<void> => {
      for (let pressed = 0; pressed < 60; pressed += 1) {
        if (await target.evaluate((element) => element === document.activeElement)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('not reached by the keyboard');
    };
    await reach(reason);
    await page.keyboard.press('Space');
    await reach(page.getByRole('button', { name: 'Save' }));
    await page.keyboard.press('Enter');
    await said(page, 'Saved');
    await stack.call('PUT', '/v1/access/settings', { token: owner.token, body: { reason_required: null } });
  });
});
