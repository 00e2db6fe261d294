import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Person } from './stack.js';

/** Debian's own browser; another one by name. */
const CHROMIUM = process.env.HCP_TEST_CHROMIUM ?? '/usr/bin/chromium';
const AXE = fileURLToPath(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url));

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complained about: errors of scripts, and what the content security policy refused. */
  readonly complaints: string[];
}

export interface VisitOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
}

/** A browser of one person's own. */
export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme: options.scheme ?? 'light',
    viewport: { width: options.width ?? 1280, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // The browser itself reports each answer that is an error; the pages say those in words.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return { context, page, complaints };
}

export async function signIn(
  page: Page,
  { email, password }: Pick<Person, 'email' | 'password'>,
  path = '/',
): Promise<void> {
  await page.goto(path);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page
    .getByRole('navigation', { name: 'Main' })
    .or(page.getByRole('button', { name: 'Open the navigation' }))
    .first()
    .waitFor();
}

interface AxeResult {
  readonly violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Fails with what axe finds serious or worse on the page as it is. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run(),
  );
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`).join('\n')}`,
    );
  expect(serious, what).toEqual([]);
}
