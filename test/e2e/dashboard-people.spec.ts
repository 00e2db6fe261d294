import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant, makeProject } from '@hcp/testing';
import { expectAccessible, signIn, startBrowser, visit, type Visit, type VisitOptions } from '../support/dashboard.js';
import { packArchive } from '../support/packs.js';
import { install, keyFor, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** People, agents and who may do what, in a real browser, on the whole running product (SPEC T2, T5, G1, G2, G5, I5). */

let stack: Stack;
let browser: Browser;
let tenant_id: string;
let owner: Person;
let admin: Person;
let member: Person;
let stranger: Person;
let visits: Visit[] = [];

beforeAll(async () => {
  stack = await startStack();
  browser = await startBrowser();
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  admin = await signedIn(stack, tenant_id, 'admin');
  member = await signedIn(stack, tenant_id, 'member');
  stranger = (await tenantWithOwner(stack)).owner;
  const say = (operation: 'read' | 'write') => ({
    description: 'Says a text.',
    cli: ['say', '{{text}}'],
    args: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    policy: { operation, confirm: operation === 'write', privacy: { land: 'public' as const } },
  });
  const bin = '#!/bin/sh\nprintf \'%s\\n\' "$1"\n';
  await install(
    stack,
    owner.token,
    await packArchive({ pack_id: 'say', bin, commands: { still: say('read'), loud: say('write') } }),
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
  for (const { context, complaints } of visits) {
    await context.close();
    expect(complaints).toEqual([]);
  }
});

async function arrive(options?: VisitOptions): Promise<Page> {
  const one = await visit(browser, stack.urls[0], options);
  visits.push(one);
  return one.page;
}

async function arriveAs(person: Pick<Person, 'email' | 'password'>, path = '/', options?: VisitOptions): Promise<Page> {
  const page = await arrive(options);
  await signIn(page, person, path);
  return page;
}

const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 }).waitFor();

async function choose(page: Page, field: string | RegExp, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** What should come to be, on a machine that may be busy. */
const until = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 10_000 });

/** Says yes in the dialog, and waits until it is done. */
async function yes(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

const run = (key: string, verb_key = 'still') =>
  stack.call<ResultEnvelope>('POST', '/v1/exec', {
    token: key,
    body: { pack_id: 'say', verb_key, args: { text: 'hello' } },
  });

/** Where a secret could have stayed, besides the memory of what was done with it. */
const everywhere = (page: Page): Promise<string> =>
  page.evaluate(() =>
    JSON.stringify([
      location.href,
      history.state,
      document.cookie,
      { ...localStorage },
      { ...sessionStorage },
      document.documentElement.outerHTML,
      [...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value),
    ]),
  );

async function newAgent(
  fields: { acts_for?: string } = {},
): Promise<{ id: string; name: string; key: string; key_id: string }> {
  const { db } = stack.database;
  const { id, name } = await makeAgent(db, tenant_id, fields);
  await makeGrant(db, tenant_id, id, 'verb.exec.read');
  const { key, id: key_id } = await keyFor(stack, tenant_id, id);
  return { id, name, key, key_id };
}

describe('a person', () => {
  it('is invited, comes in elsewhere, is in the list, gets a role, and can approve', async () => {
    const email = `p-${randomUUID()}@example.com`;
    const page = await arriveAs(owner, '/people');
    await page.getByRole('link', { name: 'Invite somebody' }).click();
    await heading(page, 'Invitations');
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const shown = section(page, 'Invite somebody');
    await shown.getByText('This is shown once.').waitFor();
    const link = await shown.locator('pre').first().innerText();
    expect(link).toContain('/invitation#');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await everywhere(page)).not.toContain(link.split('#')[1]);
    await page.getByRole('table', { name: 'Invitations' }).getByText(email).waitFor();

    const theirs = await arrive();
    await theirs.goto(link);
    await theirs.getByLabel('Your name').fill('Newcomer of the test');
    await theirs.getByLabel(/^Password/).fill('a sentence for a test');
    await theirs.getByRole('button', { name: 'Join' }).click();
    await heading(theirs, 'Overview');
    expect(await theirs.getByRole('link', { name: 'People' }).count()).toBe(0);

    await page.getByRole('link', { name: 'People', exact: true }).last().click();
    await page.getByLabel('Search in names and emails').fill(email.slice(0, 20).toUpperCase());
    const people = page.getByRole('table', { name: 'People' });
    await until(() => people.getByRole('row').count()).toBe(2);
    await people.getByRole('link', { name: 'Newcomer of the test' }).click();
    await heading(page, 'Newcomer of the test');
    await choose(page, 'Role', 'approver');
    await page.getByRole('button', { name: 'Give the role' }).click();
    await see(page, 'The role approver was given.');
    await section(page, /^What .* may do$/)
      .getByText('Say yes or no to what asks')
      .waitFor();

    const { key, id } = await newAgent();
    await makeGrant(stack.database.db, tenant_id, id, 'verb.exec.write');
    const asked = await run(key, 'loud');
    expect(asked.body).toMatchObject({ code: 'confirm_required' });
    await theirs.goto(`/approvals/${String(asked.body.approval_id)}`);
    await theirs.getByRole('button', { name: 'Allow once' }).click();
    await see(theirs, 'Approved');

    await page.getByRole('button', { name: /^Take away the role approver/ }).click();
    await yes(page, 'Take it away');
    await until(() => page.getByRole('list', { name: 'Roles' }).innerText()).not.toContain('approver');
  });

  it('whose invitation is revoked cannot come in; one that is made anew voids the one before', async () => {
    const email = `p-${randomUUID()}@example.com`;
    const page = await arriveAs(owner, '/people/invitations');
    const links: string[] = [];
    const take = async (): Promise<void> => {
      const link = section(page, 'Invite somebody').locator('pre').first();
      await link.waitFor();
      links.push(await link.innerText());
      await page.getByRole('button', { name: 'I have stored it' }).click();
    };
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await page.keyboard.press('Enter');
    await take();
    await page.getByRole('button', { name: `Invite anew: ${email}` }).click();
    await yes(page, 'Make a new link');
    await take();
    await page.getByRole('button', { name: `Revoke the invitation of ${email}` }).click();
    await yes(page, 'Revoke it');
    await until(() => page.getByRole('button', { name: `Revoke the invitation of ${email}` }).count()).toBe(0);
    for (const link of links) {
      const token = link.split('#')[1];
      const body = { token, name: 'Nobody', password: 'a sentence for a test' };
      expect((await stack.call('POST', '/v1/invitations/accept', { body })).status).toBe(401);
    }
  });

  it('who is disabled is refused on the next call, and goes on once enabled; who is removed has nothing left', async () => {
    const person = await signedIn(stack, tenant_id, 'member');
    const me = async (): Promise<number> => (await stack.call('GET', '/v1/me', { token: person.token })).status;
    const page = await arriveAs(owner, `/people/${person.id}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/refused from the next call on/).waitFor();
    await dialog.getByRole('button', { name: 'Leave it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await me()).toBe(200);
    await page.getByRole('button', { name: 'Disable' }).click();
    await yes(page, 'Disable');
    await see(page, 'No sign-in, session, key or run is let in.');
    expect(await me()).toBe(401);
    await page.getByRole('button', { name: 'Enable' }).click();
    await yes(page, 'Enable');
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    expect(await me()).toBe(200);
    await page.getByRole('button', { name: 'Remove from the tenant' }).click();
    await yes(page, 'Remove from the tenant');
    await see(page, 'No sign-in, session, key or run is let in.');
    await section(page, 'Roles').getByText('There is none.').waitFor();
    expect(await me()).toBe(401);
  });

  it('who is the last owner stays, and the page says why', async () => {
    const page = await arriveAs(admin, `/people/${owner.id}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page
      .getByRole('dialog')
      .getByText(/keeps at least one owner/)
      .waitFor();
  });
});

describe('an agent', () => {
  it('is made in one flow; its key works, and is nowhere once it is stored', async () => {
    const page = await arriveAs(owner, '/people/agents');
    const answers: string[] = [];
    await page.getByRole('link', { name: 'New agent or service' }).click();
    await heading(page, 'New agent or service');
    await page.getByRole('textbox', { name: 'Name' }).fill('helper of the flow');
    const write = page.getByRole('radiogroup', { name: 'Run commands that write' });
    await write.getByLabel('In some packs').check();
    await page.getByRole('button', { name: 'Create it and show the key' }).click();
    await see(page, 'Choose one pack or more, or say no above.');
    await page.getByRole('combobox', { name: /write, in the packs/ }).click();
    await page.getByRole('option', { name: 'say' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create it and show the key' }).click();
    await see(page, 'This is shown once.');
    const key = await page.getByRole('status').locator('pre').first().innerText();
    expect(key).toMatch(/^hcp_/);
    const call = section(page, 'A first call');
    for (const [way, says] of [
      ['curl', `/v1/commands`],
      ['curl', `"pack_id":"say"`],
      ['hcpx', `HCP_TOKEN=${key}`],
      ['MCP', `"Bearer ${key}"`],
    ] as const) {
      await call.getByText(way, { exact: true }).click();
      await until(() => call.locator('pre').innerText()).toContain(says);
    }
    expect((await run(key)).body).toMatchObject({ ok: true });
    expect((await run(key, 'loud')).body).toMatchObject({ code: 'confirm_required' });

    page.on('response', (response) => {
      void response.text().then(
        (text) => answers.push(text),
        () => undefined,
      );
    });
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await heading(page, 'helper of the flow');
    await section(page, 'API keys').getByText('first key').waitFor();
    await section(page, /^What .* may do$/)
      .getByText('in the pack say')
      .waitFor();
    await section(page, 'Acts for').getByText('You.').waitFor();
    const secret = key.split('_').slice(2).join('_');
    expect(await everywhere(page)).not.toContain(secret);
    await page.reload();
    await section(page, 'API keys').getByText('first key').waitFor();
    expect(await everywhere(page)).not.toContain(secret);
    expect(answers.join('\n')).not.toContain(secret);
    expect(answers.length).toBeGreaterThan(0);

    await page.getByRole('button', { name: 'Revoke the key first key' }).click();
    await yes(page, 'Revoke the key');
    await section(page, 'API keys').getByText('revoked').waitFor();
    expect((await run(key)).status).toBe(401);
  });

  it('gets a key that is narrower and ends', async () => {
    const { id } = await newAgent();
    await makeGrant(stack.database.db, tenant_id, id, 'verb.exec.write');
    const page = await arriveAs(owner, `/people/${id}`);
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name of the key').fill('reads only');
    await page.getByLabel('It may do less than its owner').check();
    await choose(page, /^Right/, /verb\.exec\.read/);
    await page.getByRole('button', { name: 'Create the key' }).click();
    await see(page, 'This is shown once.');
    const key = await page.getByRole('status').locator('pre').first().innerText();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect((await run(key)).body).toMatchObject({ ok: true });
    expect((await run(key, 'loud')).body).toMatchObject({ ok: false, code: 'missing_capability' });
    await section(page, 'API keys')
      .getByText(/run commands that read, everywhere/)
      .waitFor();
  });

  it('acts for the person who says so, who alone ends it; what only one of both may does not count', async () => {
    const { id, name } = await newAgent();
    await makeGrant(stack.database.db, tenant_id, id, 'approval.attest');
    const page = await arriveAs(admin, `/people/${id}`);
    await page.getByRole('button', { name: 'Let it act for me' }).click();
    await page
      .getByRole('dialog')
      .getByText(/only what both you and it may/)
      .waitFor();
    await yes(page, 'Let it act for me');
    await section(page, 'Acts for').getByText('You.').waitFor();
    await see(page, /does not count: you may not/);

    const others = await arriveAs(owner, `/people/${id}`);
    await see(others, /who alone can end it/);
    await page.goto('/account');
    await page.getByRole('button', { name: `End that ${name} acts for you` }).click();
    await yes(page, 'End it');
    await section(page, 'Agents that act for you').getByText('There is none.').waitFor();
  });

  it('is disabled: its key is refused on the next call', async () => {
    const { id, key } = await newAgent();
    expect((await run(key)).body).toMatchObject({ ok: true });
    const page = await arriveAs(owner, `/people/${id}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    await yes(page, 'Disable');
    await see(page, 'No sign-in, session, key or run is let in.');
    expect((await run(key)).status).toBe(401);
  });
});

describe('rights', () => {
  it('are granted narrowly, are found by filters, and are taken away after a question', async () => {
    const { id, name } = await newAgent();
    const page = await arriveAs(owner, `/people/${id}`);
    await page.getByRole('button', { name: 'Add a grant' }).click();
    await choose(page, /^Right/, /verb\.exec\.write/);
    await choose(page, 'Of the pack', 'say');
    await page.getByRole('combobox', { name: 'Commands' }).click();
    await page.getByRole('option', { name: 'loud' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add the grant' }).click();
    await see(page, 'The grant was added.');
    await section(page, /^What .* may do$/)
      .getByText('the command loud, in the pack say')
      .waitFor();

    await page.goto('/people/grants');
    await choose(page, 'Right', /verb\.exec\.write/);
    const rows = page.getByRole('table', { name: 'Grants' });
    await rows
      .getByRole('row', { name: new RegExp(name) })
      .getByText('the command loud, in the pack say')
      .waitFor();
    await rows
      .getByRole('row', { name: new RegExp(name) })
      .getByRole('button', { name: /^Take away/ })
      .click();
    await yes(page, 'Take it away');
    await until(() => page.getByRole('row', { name: new RegExp(name) }).count()).toBe(0);
  });

  it('that one holds only in part are refused in words at the field; those one has not are not offered', async () => {
    const { db } = stack.database;
    const person = await signedIn(stack, tenant_id, 'member');
    await makeGrant(db, tenant_id, person.id, 'access.manage');
    await makeGrant(db, tenant_id, person.id, 'run.read', { pack_id: 'say' });
    const { id } = await newAgent();
    const page = await arriveAs(person, `/people/${id}`);
    await page.getByRole('button', { name: 'Add a grant' }).click();
    await page.getByRole('combobox', { name: /^Right/ }).click();
    expect(await page.getByRole('option', { name: /tenant\.manage/ }).count()).toBe(0);
    await page.getByRole('option', { name: /run\.read/ }).click();
    await page.getByRole('button', { name: 'Add the grant' }).click();
    const form = page.getByRole('form', { name: 'Add a grant' });
    await form.getByText(/nobody gives more than they hold/).waitFor();
    expect(await form.getByRole('combobox', { name: /^Right/ }).getAttribute('aria-invalid')).toBe('true');
    await choose(page, 'Of the pack', 'say');
    await page.getByRole('button', { name: 'Add the grant' }).click();
    await see(page, 'The grant was added.');

    await page.getByRole('combobox', { name: 'Role' }).click();
    const wide = page.getByRole('option', { name: 'owner (gives more than you hold)' });
    expect(await wide.getAttribute('data-combobox-disabled')).toBe('true');
  });

  it('make a role, which is changed for everyone who has it, and deleted', async () => {
    const person = await signedIn(stack, tenant_id, 'agent');
    const name = `reader-${randomUUID().slice(0, 8)}`;
    const page = await arriveAs(owner, '/people/roles');
    await page.getByRole('button', { name: 'Define a role' }).click();
    await page.getByLabel('Name of the role').fill('owner');
    await choose(page, /^Right/, /run\.read/);
    await page.getByRole('button', { name: 'Define the role' }).click();
    await see(page, 'A built-in role has this name.');
    await page.getByLabel('Name of the role').fill(name);
    await page.getByRole('button', { name: 'Define the role' }).click();
    await see(page, `The role ${name} is there.`);

    await page.goto(`/people/${person.id}`);
    await choose(page, 'Role', name);
    await page.getByRole('button', { name: 'Give the role' }).click();
    await section(page, /^What .* may do$/)
      .getByText(`by the role ${name}`)
      .waitFor();
    const audit = async (): Promise<number> => (await stack.call('GET', '/v1/audit', { token: person.token })).status;
    expect(await audit()).toBe(403);

    await page.goto('/people/roles');
    await page.getByRole('button', { name: `Change the role ${name}` }).click();
    await choose(page, /^Right/, /audit\.read/);
    await page.getByRole('button', { name: 'Change the role', exact: true }).click();
    await see(page, `The role ${name} was changed`);
    expect(await audit()).toBe(200);
    await page.getByRole('button', { name: `Delete the role ${name}` }).click();
    await yes(page, 'Delete the role');
    await see(page, `The role ${name} was deleted.`);
    expect(await audit()).toBe(403);
  });

  it('count in projects: one is added and removed', async () => {
    const { id } = await newAgent();
    const project = await makeProject(stack.database.db, tenant_id, [owner.id]);
    const page = await arriveAs(owner, `/people/${id}`);
    await choose(page, 'Add to the project', project.name);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: `Remove from ${project.name}` }).click();
    await yes(page, 'Remove');
    await section(page, 'Projects').getByText('A member of none.').waitFor();
  });
});

describe('one’s own account', () => {
  it('lists one’s sessions and ends another one, which is refused on the next call', async () => {
    const person = await signedIn(stack, tenant_id, 'member');
    const page = await arriveAs(person);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Your account' }).click();
    await heading(page, 'Your account');
    await section(page, 'What you may do').getByText('Run commands that write').waitFor();
    await see(page, person.email);
    expect((await stack.call('GET', '/v1/me', { token: person.token })).status).toBe(200);
    await page.getByRole('button', { name: /^End the session …/ }).click();
    await yes(page, 'End the session');
    await until(() => page.getByRole('table', { name: 'Sessions' }).getByRole('row').count()).toBe(2);
    expect((await stack.call('GET', '/v1/me', { token: person.token })).status).toBe(401);

    await page.getByRole('button', { name: 'Send me a link' }).click();
    await see(page, /If this server sends mail, a link is on its way to/);
    await page.getByRole('button', { name: 'End this session' }).click();
    await yes(page, 'End the session');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('makes a key of one’s own, shown once, and revokes it', async () => {
    const page = await arriveAs(member, '/account');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name of the key').fill('my laptop');
    await page.keyboard.press('Enter');
    await see(page, 'This is shown once.');
    const key = await page.getByRole('status').locator('pre').first().innerText();
    expect((await run(key)).body).toMatchObject({ ok: true });
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await everywhere(page)).not.toContain(key.split('_').slice(2).join('_'));
    await page.getByRole('button', { name: 'Revoke the key my laptop' }).click();
    await yes(page, 'Revoke the key');
    await section(page, 'API keys').getByText('revoked').waitFor();
    expect((await run(key)).status).toBe(401);
  });
});

describe('who has no business there', () => {
  it('without the right to manage access sees no link, and words by the address', async () => {
    const page = await arriveAs(member, '/people');
    await see(page, 'This page is for people who manage access');
    expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'People' }).count()).toBe(0);
    for (const path of [`/people/${owner.id}`, '/people/agents/new', '/people/grants']) {
      await page.goto(path);
      await see(page, 'This page is for people who manage access');
    }
  });

  it('of another tenant sees nothing of this one', async () => {
    const { id, name } = await newAgent();
    const page = await arriveAs(stranger, `/people/${id}`);
    await see(page, 'There is no such thing here');
    await page.goto('/people/agents');
    await see(page, 'There is no agent yet');
    await page.goto('/people');
    await page.getByRole('table', { name: 'People' }).waitFor();
    expect(await page.getByRole('table', { name: 'People' }).getByRole('row').count()).toBe(2);
    await page.goto('/people/grants');
    await see(page, 'There is no grant');
    expect(await page.getByText(name).count()).toBe(0);
  });
});

describe('every page', () => {
  it('shows names that would deceive as what they are, and stays whole', async () => {
    const name = `evil\u202eliam\u200b ${'long'.repeat(20)}`;
    const { db } = stack.database;
    const other = await tenantWithOwner(stack);
    const where = { id: other.tenant_id };
    await db.tenant(where.id, (tx) => tx.tenant.update({ where, data: { name: 'of\u202elive' } }));
    const { id } = await makeAgent(db, where.id, { name, acts_for: other.owner.id });
    const page = await arriveAs(other.owner, `/people/${id}`, { width: 390 });
    await heading(page, /evil\\u202eliam\\u200b/);
    await see(page, 'of\\u202elive');
    expect(await page.locator('body').innerText()).not.toMatch(/[\u202e\u200b]/);
    // What a screen reader says, too.
    const said = await page
      .locator('[aria-label]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    expect(said).toContainEqual(expect.stringContaining('evil\\u202eliam'));
    expect(said.join('\n')).not.toMatch(/[\u202e\u200b]/);
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wider).toBeLessThanOrEqual(0);
  });

  const variants = [
    { scheme: 'light', width: 1280 },
    { scheme: 'dark', width: 1280 },
    { scheme: 'light', width: 390 },
    { scheme: 'dark', width: 390 },
  ] as const;

  it.each(variants)('has no serious fault for axe and fits, in $scheme at $width px', async (variant) => {
    const { id } = await newAgent({ acts_for: owner.id });
    await stack.call('POST', '/v1/invitations', {
      token: owner.token,
      body: { email: `p-${randomUUID()}@example.com`, role: 'member' },
    });
    const page = await arriveAs(owner, '/people', variant);
    const fits = async (path: string): Promise<void> => {
      await expectAccessible(page, `${path} ${variant.scheme} ${String(variant.width)}`);
      const wider = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wider, `${path} fits`).toBeLessThanOrEqual(0);
    };
    const paths = ['/people', '/people/agents', '/people/invitations', '/people/roles', '/people/grants'];
    for (const path of [...paths, '/people/agents/new', `/people/${id}`, `/people/${member.id}`, '/account']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('load');
      await until(() => page.getByLabel('Loading').count()).toBe(0);
      if (path === '/people/roles') await page.getByRole('button', { name: 'Define a role' }).click();
      if (path === `/people/${id}`) {
        await page.getByRole('button', { name: 'Add a grant' }).click();
        await page.getByRole('button', { name: 'New key' }).click();
      }
      await fits(path);
    }
  });

  it('works by keyboard alone: a right is taken away, and Esc leaves it', async () => {
    const { id } = await newAgent();
    const page = await arriveAs(owner, `/people/${id}`);
    const take = page.getByRole('button', { name: /^Take away verb\.exec\.read/ });
    await take.waitFor();
    const focused = () => take.evaluate((element) => element === document.activeElement);
    for (let pressed = 0; pressed < 60 && !(await focused()); pressed += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await until(focused).toBe(true);
    await page.keyboard.press('Enter');
    const yes = page.getByRole('dialog').getByRole('button', { name: 'Take it away' });
    await yes.waitFor();
    for (let pressed = 0; pressed < 10; pressed += 1) {
      if (await yes.evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await section(page, 'Grants').getByText('There is none.').waitFor();
  });
});
