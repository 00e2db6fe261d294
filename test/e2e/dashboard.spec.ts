import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Approval } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { assignRole, makeAgent, makeGrant, makeTenant } from '@hcp/testing';
import { expectAccessible, signIn, startBrowser, visit, type Visit, type VisitOptions } from '../support/dashboard.js';
import { archiveOf, packArchive } from '../support/packs.js';
import { eventually } from '../support/process.js';
import { install, keyFor, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** The dashboard in a real browser, on the whole running product (SPEC I5). */

const LEDGER = fileURLToPath(new URL('../../examples/packs/ledger', import.meta.url));

/** Compressed script of the signed-in overview. */
const BUDGET_BYTES = 300_000;

const BIN = `#!/bin/sh
printf '%s\\n' "$1"
sleep "\${2:-0}"
printf 'told\\n'
`;

let stack: Stack;
let browser: Browser;
let tenant_id: string;
let owner: Person;
let approver: Person;
let agent: string;
let visits: Visit[] = [];

beforeAll(async () => {
  stack = await startStack();
  browser = await startBrowser();
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  approver = await signedIn(stack, tenant_id, 'approver');
  await install(stack, owner.token, await archiveOf(LEDGER));
  await install(
    stack,
    owner.token,
    await packArchive({
      pack_id: 'say',
      bin: BIN,
      commands: {
        loud: {
          description: 'Says a text to everyone.',
          cli: ['say', '{{text}}', '{{seconds}}'],
          args: {
            type: 'object',
            properties: {
              text: { type: 'string', description: 'What is said.' },
              seconds: { type: 'number', description: 'How long it takes.' },
            },
            required: ['text'],
          },
          policy: { operation: 'write', confirm: true, privacy: { land: 'public' } },
        },
        still: {
          description: 'Says a text to nobody.',
          cli: ['say', '{{text}}', '{{seconds}}'],
          args: {
            type: 'object',
            properties: { text: { type: 'string' }, seconds: { type: 'number' } },
            required: ['text'],
          },
        },
      },
    }),
  );
  const { db } = stack.database;
  const { id } = await makeAgent(db, tenant_id, { acts_for: owner.id });
  for (const capability of ['verb.exec.read', 'verb.exec.write'] as const)
    await makeGrant(db, tenant_id, id, capability);
  agent = (await keyFor(stack, tenant_id, id)).key;
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

async function arriveAs(person: Person, path = '/', options?: VisitOptions): Promise<Page> {
  const page = await arrive(options);
  await signIn(page, person, path);
  return page;
}

async function ask(args: object, verb = 'say.loud', more: object = {}): Promise<string> {
  const [pack_id, verb_key] = verb.split('.');
  const body = { pack_id, verb_key, args, run_on_approve: true, ...more };
  const answer = await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: agent, body });
  expect(answer.body).toMatchObject({ code: 'confirm_required' });
  return String(answer.body.approval_id);
}

const stateOf = async (id: string): Promise<string> =>
  (await stack.call<Approval>('GET', `/v1/approvals/${id}`, { token: owner.token })).body.state;

const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

describe('signing in', () => {
  it('says what is wrong, lets one in to the address that was asked for, and out again', async () => {
    const page = await arrive();
    await page.goto('/runs');
    await page.getByLabel('Email').fill(approver.email);
    await page.getByLabel(/^Password/).fill('not it');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await see(page, 'Email or password is wrong');
    await page.getByLabel(/^Password/).fill(approver.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
    // No script can read the tokens.
    expect(
      await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })),
    ).not.toMatch(/eyJ|session|renewal/);

    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('asks which tenant, of a person in two', async () => {
    const person = await signedIn(stack, tenant_id, 'member');
    const { db } = stack.database;
    const other = await makeTenant(db);
    const { user_id } = await db.tenant(tenant_id, (tx) =>
      tx.principal.findFirstOrThrow({ where: { id: person.id }, select: { user_id: true } }),
    );
    const id = crypto.randomUUID();
    await db.tenant(other.id, (tx) =>
      tx.principal.create({ data: { tenant_id: other.id, id, kind: 'human', name: 'Same', user_id } }),
    );
    await assignRole(db, other.id, id, 'member');
    const { name } = await db.tenant(other.id, (tx) => tx.tenant.findFirstOrThrow({ select: { name: true } }));

    const page = await arrive();
    await page.goto('/');
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel(/^Password/).fill(person.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel(name).last().check();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });

  it('asks to sign in again when the session has ended, and goes on where one was', async () => {
    const page = await arriveAs(approver, '/runs');
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Commands' }).click();
    await see(page, 'You are signed out');
    await page.getByLabel('Email').fill(approver.email);
    await page.getByLabel(/^Password/).fill(approver.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Commands', level: 1 }).waitFor();
  });
});

describe('an approval', () => {
  it('appears without a reload, shows the call, and its yes runs it; the audit log has it', async () => {
    const page = await arriveAs(owner, '/approvals');
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
    const id = await ask({ amount: 2.8, payee: 'demo-transit', memo: 'May' }, 'ledger.transfer');
    await page.locator(`a[href="/approvals/${id}"]`).click();

    const card = page.getByRole('region', { name: 'The call' });
    await card.getByRole('heading', { name: 'Pay demo-transit' }).waitFor();
    await card.getByText('ledger transfer 2.8 --to demo-transit --memo May').waitFor();
    expect(await card.getByRole('list', { name: 'Signals' }).innerText()).toMatch(/money/i);
    const about = page.getByRole('region', { name: 'About this request' });
    expect(await about.innerText()).toMatch(/agent, acting for you/);
    expect(await about.getByRole('timer').innerText()).toMatch(/^\d+:\d\d$/);

    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.getByRole('link', { name: 'See the run' }).click();
    await page.getByRole('status').getByText('succeeded', { exact: true }).waitFor();
    await see(page, 'demo-transit');
    await page.getByRole('region', { name: 'Audit log' }).getByText('exec completion').waitFor();
  });

  it('is refused with a reason, which whoever asked can read', async () => {
    const id = await ask({ text: 'no please' });
    const page = await arriveAs(approver, `/approvals/${id}`);
    await page.getByLabel('Reason').fill('Too loud.');
    await page.getByRole('button', { name: 'Reject' }).click();
    await see(page, 'Nothing was run');
    const { body } = await stack.call<Approval>('GET', `/v1/approvals/${id}`, { token: agent });
    expect(body).toMatchObject({ state: 'rejected', decisions: [{ decision: 'reject', reason: 'Too loud.' }] });
  });

  it('shows what cannot be seen as escapes', async () => {
    const id = await ask({ text: 'pay\u202e me\u200b now' });
    const page = await arriveAs(approver, `/approvals/${id}`);
    const card = page.getByRole('region', { name: 'The call' });
    await card.waitFor();
    const text = await card.innerText();
    expect(text).toContain('pay\\u202e me\\u200b now');
    expect(text).not.toMatch(/[\u202e\u200b]/);
    await page.getByRole('button', { name: 'Reject' }).click();
    await see(page, 'Nothing was run');
  });

  it('wants a card that cuts a value to be opened in full first', async () => {
    const end = 'and the very last words';
    const id = await ask({ text: `${'long '.repeat(400)}${end}` });
    const page = await arriveAs(approver, `/approvals/${id}`);
    const yes = page.getByRole('button', { name: 'Allow once' });
    await yes.waitFor();
    expect(await yes.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Open in full' }).click();
    await page.getByRole('table', { name: 'Every value in full' }).getByText(end).waitFor();
    await yes.click();
    await see(page, 'Approved');
    expect(['approved', 'consumed']).toContain(await stateOf(id));
  });

  it('says so when it runs out while one looks at it', async () => {
    const id = await ask({ text: 'late' });
    const page = await arriveAs(approver, `/approvals/${id}`);
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await page.clock.install();
    await page.reload();
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await page.clock.fastForward('16:00');
    await see(page, 'This request has run out');
    expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(0);
  });

  it('counts one answer of two browsers that decide at once, and tells the other', async () => {
    const id = await ask({ text: 'once' });
    const [one, two] = await Promise.all([arriveAs(owner, `/approvals/${id}`), arriveAs(approver, `/approvals/${id}`)]);
    await Promise.all([one, two].map((page) => page.getByRole('button', { name: 'Allow once' }).waitFor()));
    await Promise.all([
      one.getByRole('button', { name: 'Allow once' }).click(),
      two.getByRole('button', { name: 'Reject' }).click(),
    ]);
    // A no counts also after a yes that was not used yet, so the end is what the API says.
    await eventually('both browsers show what became of it', async () => {
      const words = (await stateOf(id)) === 'rejected' ? 'Rejected' : 'Approved';
      const shown = await Promise.all([one, two].map((page) => page.getByText(words).count()));
      return shown.every((count) => count > 0);
    });
  });

  it('is not seen in another tenant', async () => {
    const { owner: stranger } = await tenantWithOwner(stack);
    const id = await ask({ text: 'ours' });
    const page = await arriveAs(stranger, `/approvals/${id}`);
    await see(page, 'There is no such thing here');
    await page.goto('/approvals');
    await see(page, 'Nothing waits for you');
  });
});

describe('a command', () => {
  it('is found, filled in by its form, previewed and run', async () => {
    const page = await arriveAs(owner, '/commands');
    await page.getByLabel('Search').fill('nobody');
    await page.getByRole('link', { name: 'still' }).click();
    await page.getByLabel(/^text/).fill('hello from the form');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('region', { name: 'The call' }).getByText('say').first().waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('status').getByText('succeeded', { exact: true }).waitFor();
    await see(page, 'hello from the form');
  });

  it('that asks runs only after a yes to its card', async () => {
    const page = await arriveAs(owner, '/commands/say/loud');
    await page.getByLabel(/^text/).fill('with a yes');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Yes, run exactly this' }).click();
    await page.getByRole('status').getByText('succeeded', { exact: true }).waitFor();
  });
});

describe('access', () => {
  it('takes a rule, says what would happen to a call by it, and lets it go after a question', async () => {
    const page = await arriveAs(owner, '/access');
    await page.getByRole('button', { name: 'Write a rule' }).click();
    await page
      .getByRole('form', { name: 'Write a rule' })
      .getByLabel(/^Command/)
      .fill('say.still');
    await page.getByRole('combobox', { name: 'What happens' }).click();
    await page.getByRole('option', { name: 'never runs' }).click();
    await page.getByRole('button', { name: 'Add the rule' }).click();
    await page.getByRole('list', { name: 'Rules' }).getByText('say.still').waitFor();

    await page.getByRole('combobox', { name: 'Command to test' }).fill('say still');
    await page.getByRole('option', { name: 'say still' }).click();
    const tester = page.getByRole('region', { name: 'Tester' });
    await tester.getByLabel(/^text/).fill('x');
    await tester.getByRole('button', { name: 'Test it' }).click();
    await tester.getByText('It never runs').waitFor();

    await page.getByRole('button', { name: 'Delete the rule say.still' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this rule?' });
    await dialog.getByRole('button', { name: 'Delete the rule' }).click();
    await see(page, 'There are no rules');
  });
});

describe('a run', () => {
  const start = async (seconds: number): Promise<string> => {
    const body = { pack_id: 'say', verb_key: 'still', args: { text: 'first line', seconds }, wait_ms: 0 };
    const answer = await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: agent, body });
    return String(answer.body.run_id);
  };

  it('shows its state and its output without a reload', async () => {
    const page = await arriveAs(owner, '/runs');
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
    const id = await start(3);
    await page.locator(`a[href="/runs/${id}"]`).click();
    const state = page.getByRole('status');
    await state.getByText('running', { exact: true }).waitFor();
    await state.getByText('succeeded', { exact: true }).waitFor();
    await see(page, 'first line');
  });

  it('is cancelled after a question', async () => {
    const page = await arriveAs(owner, `/runs/${await start(60)}`);
    await page.getByRole('status').getByText('running', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this run?' });
    await dialog.getByRole('button', { name: 'Let it go on' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await dialog.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('status').getByText('cancelled', { exact: true }).waitFor();
  });
});

describe('the API', () => {
  it('goes down and comes back: the page says so, and is up to date again by itself', async () => {
    const page = await arriveAs(approver, '/approvals');
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
    await stack.apis[0]?.stop();
    await page.getByText('No connection to the server').waitFor({ timeout: 30_000 });
    await stack.startApi();
    const id = await ask({ text: 'back again' });
    await page.locator(`a[href="/approvals/${id}"]`).waitFor({ timeout: 30_000 });
    expect(await page.getByText('No connection to the server').count()).toBe(0);
  });
});

describe('the first page', () => {
  it('loads less than 300 kB of script, compressed', async () => {
    const page = await arrive();
    const scripts: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (request.resourceType() === 'script') scripts.push(request.sizes().then((sizes) => sizes.responseBodySize));
    });
    await signIn(page, owner);
    await page.getByRole('region', { name: 'Runs over time' }).waitFor();
    const sizes = await Promise.all(scripts);
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(BUDGET_BYTES);
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
    const id = await ask({ amount: 1, payee: 'demo-transit' }, 'ledger.transfer');
    const { items } = (await stack.call<{ items: { id: string }[] }>('GET', '/v1/runs', { token: owner.token })).body;
    const page = await arrive(variant);
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expectAccessible(page, 'sign in');
    await signIn(page, owner);
    const paths = ['/', '/approvals', `/approvals/${id}`, '/runs', `/runs/${String(items[0]?.id)}`, '/commands'];
    for (const path of [...paths, '/commands/ledger/transfer', '/access', '/audit', '/nowhere']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('load');
      await expect.poll(() => page.getByLabel('Loading').count(), { timeout: 15_000 }).toBe(0);
      await expectAccessible(page, `${path} ${variant.scheme} ${String(variant.width)}`);
      const wider = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wider, `${path} fits`).toBeLessThanOrEqual(0);
    }
  });

  it('works by keyboard alone: to the card, to a yes', async () => {
    const id = await ask({ text: 'by keys' });
    const page = await arriveAs(approver, `/approvals/${id}`);
    const yes = page.getByRole('button', { name: 'Allow once' });
    await yes.waitFor();
    await page.keyboard.press('Tab');
    for (let pressed = 0; pressed < 40; pressed += 1) {
      if (await yes.evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await see(page, 'Approved');
  });
});
