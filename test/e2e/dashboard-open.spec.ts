import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CreatedInvitation } from '@hcp/contracts';
import { expectAccessible, signIn, startBrowser, visit, type Visit, type VisitOptions } from '../support/dashboard.js';
import { eventually } from '../support/process.js';
import { signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** What links of invitations and resets lead to, in a real browser, on the whole running product (SPEC T5, I5). */

let stack: Stack;
let browser: Browser;
let mails: string;
let tenant_id: string;
let owner: Person;
let visits: Visit[] = [];

beforeAll(async () => {
  mails = await mkdtemp(join(tmpdir(), 'hcp-mail-'));
  stack = await startStack({ workers: 0, env: { HCP_MAIL_DIR: mails } });
  browser = await startBrowser();
  ({ tenant_id, owner } = await tenantWithOwner(stack));
}, 180_000);

afterAll(async () => {
  await browser.close();
  await stack.stop();
  await rm(mails, { recursive: true });
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

const address = (): string => `p-${randomUUID()}@example.com`;
const PASSWORD = 'a sentence for a test';
const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

async function invite(email: string, role = 'member'): Promise<string> {
  const body = { email, role };
  const answer = await stack.call<CreatedInvitation>('POST', '/v1/invitations', { token: owner.token, body });
  expect(answer.status).toBe(201);
  return String(answer.body.link);
}

/** The link in the newest mail to somebody. */
async function mailedLink(to: string): Promise<string> {
  let link: string | undefined;
  await eventually('the mail is there', async () => {
    for (const name of (await readdir(mails)).sort()) {
      const mail = JSON.parse(await readFile(join(mails, name), 'utf8')) as {
        to: string;
        subject: string;
        text: string;
      };
      if (mail.to === to && mail.subject === 'New password') link = /https?:\/\/\S+/.exec(mail.text)?.[0];
    }
    return link !== undefined;
  });
  return String(link);
}

/** Where a token could have stayed. */
const everywhere = (page: Page): Promise<string> =>
  page.evaluate(() =>
    JSON.stringify([
      location.href,
      history.state,
      document.cookie,
      { ...localStorage },
      { ...sessionStorage },
      document.documentElement.outerHTML,
      // The document's own address is in the memory of the document, until it goes.
      performance.getEntriesByType('resource').map(({ name }) => name),
    ]),
  );

const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
};

describe('an invitation', () => {
  it('takes a name and a password, says the rules before, and leads in; its token stays nowhere', async () => {
    const email = address();
    const link = await invite(email);
    const token = link.split('#')[1] ?? '';
    const page = await arrive();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    await page.goto(link);
    await page.getByRole('heading', { name: 'You are invited' }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect(await everywhere(page)).not.toContain(token);

    await see(page, /At least 12 characters/);
    await page.getByLabel('Your name').fill('Ada of the test');
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Account of Ada of the test' }).waitFor();
    expect(await everywhere(page)).not.toContain(token);
    expect(addresses.filter((each) => each.includes(token))).toEqual([]);

    // Once, and never again.
    const again = await arrive();
    await again.goto(link);
    await again.getByLabel('Your name').fill('Somebody');
    await again.getByLabel(/^Password/).fill(PASSWORD);
    await again.getByRole('button', { name: 'Join' }).click();
    await see(again, 'This invitation is not good, or no longer');
  });

  it('says what is wrong at its field', async () => {
    const known = await signedIn(stack, (await tenantWithOwner(stack)).tenant_id, 'member');
    const page = await arrive();
    await page.goto(await invite(known.email));
    await page.getByLabel('Your name').fill('The same');
    await page.getByLabel(/^Password/).fill('not what they have');
    await page.getByRole('button', { name: 'Join' }).click();
    await see(page, 'This person has a password here already, which is another.');
    expect(await page.getByLabel(/^Password/).getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel(/^Password/).fill(known.password);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });

  it('says who is signed in, and leaves them so', async () => {
    const email = address();
    const page = await arrive();
    await signIn(page, owner);
    await page.goto(await invite(email));
    await see(page, /is signed in, at/);
    await page.getByLabel('Your name').fill('Bea of the test');
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'You are a member' }).waitFor();
    await page.getByRole('link', { name: /^Go on as/ }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: /^Account of Bea/ }).count()).toBe(0);
    await signOut(page);
    await signIn(page, { email, password: PASSWORD });
    await page.getByRole('button', { name: 'Account of Bea of the test' }).waitFor();
  });

  it('is not signed out by a link that is not good', async () => {
    const page = await arrive();
    await signIn(page, owner);
    await page.goto(`/invitation#hcpi_${randomUUID()}_${'A'.repeat(43)}`);
    await page.getByLabel('Your name').fill('Nobody');
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByRole('button', { name: 'Join' }).click();
    await see(page, 'This invitation is not good, or no longer');
    await page.goto('/');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });

  it('needs the whole link', async () => {
    const page = await arrive();
    await page.goto('/invitation');
    await see(page, 'This page needs the whole link');
  });
});

describe('a forgotten password', () => {
  it('answers the same for everybody, and is set anew by the link, once; the old sessions end', async () => {
    const person = await signedIn(stack, tenant_id, 'member');
    const old = await arrive();
    await signIn(old, person);

    const page = await arrive();
    await page.goto('/');
    await page.getByRole('link', { name: 'Forgot the password?' }).click();
    const answers: string[] = [];
    for (const email of [address(), person.email]) {
      await page.goto('/reset');
      await page.getByLabel('Email').fill(email);
      await page.keyboard.press('Enter');
      await page.getByRole('status').waitFor();
      answers.push(await page.getByRole('main').innerText());
    }
    expect(answers[0]).toBe(answers[1]);

    const link = await mailedLink(person.email);
    const token = link.split('#')[1] ?? '';
    // Pasted where the page is open already.
    await page.goto(link);
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    expect(await everywhere(page)).not.toContain(token);
    await page.getByLabel(/^New password/).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page, { email: person.email, password: PASSWORD });

    await old.goto('/runs');
    await old.getByRole('heading', { name: 'Sign in' }).waitFor();

    const again = await arrive();
    await again.goto(link);
    await again.getByLabel(/^New password/).fill(`${PASSWORD} again`);
    await again.getByRole('button', { name: 'Set the password' }).click();
    await see(again, 'This link is not good, or no longer');
    await again.getByRole('button', { name: 'Ask for a new link' }).click();
    await again.getByLabel('Email').waitFor();
  });
});

describe('each of these pages', () => {
  const variants = [
    { scheme: 'light', width: 1280 },
    { scheme: 'dark', width: 390 },
  ] as const;

  it.each(variants)('has no serious fault for axe and fits, in $scheme at $width px', async (variant) => {
    const page = await arrive(variant);
    for (const path of ['/reset', '/invitation', '/invitation#some', '/reset#some']) {
      await page.goto('about:blank');
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectAccessible(page, path);
      const wider = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wider, `${path} fits`).toBeLessThanOrEqual(0);
    }
  });
});
