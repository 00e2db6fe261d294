import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { api } from './lib/api.mjs';
import { ROOT } from './lib/build.mjs';
import { State } from './lib/state.mjs';

/**
 * Pictures of each page of the dashboard, in both colour schemes and at two widths, of a demo that runs (`npm start`), into
 * `screenshots/`. HCP_STATE_DIR names another demo.
 */

const OUT = join(ROOT, 'screenshots');
const PATHS = [
  ['overview', '/'],
  ['approvals', '/approvals'],
  ['runs', '/runs'],
  ['commands', '/commands'],
  ['command', '/commands/ledger/transfer'],
  ['packs', '/packs'],
  ['pack', '/packs/ledger'],
  ['bindings', '/bindings'],
  ['bindings-connect', '/bindings/connect'],
  ['sense', '/sense'],
  ['access', '/access'],
  ['settings-approvals', '/settings/approvals'],
  ['settings-projects', '/settings/projects'],
  ['settings-webhooks', '/settings/webhooks'],
  ['settings-identity-providers', '/settings/identity-providers'],
  ['settings-providers', '/settings/providers'],
  ['settings-about', '/settings/about'],
  ['audit', '/audit'],
  ['people', '/people'],
  ['agents', '/people/agents'],
  ['new-agent', '/people/agents/new'],
  ['invitations', '/people/invitations'],
  ['roles', '/people/roles'],
  ['grants', '/people/grants'],
  ['account', '/account'],
];

const dev = new State(process.env.HCP_STATE_DIR || '.hcp').read('dev.json');
if (!dev) throw new Error('no demo is there: run npm start first');
mkdirSync(OUT, { recursive: true });

// Something to see: a payment that waits, a run that worked, one that did not.
const agent = api(dev.url, dev.agent.api_key);
const asked = await agent.post('/v1/exec', {
  pack_id: 'ledger',
  verb_key: 'transfer',
  args: { amount: 2.8, payee: 'demo-transit', memo: 'Monthly pass' },
});
const ran = await agent.post('/v1/exec', { pack_id: 'ledger', verb_key: 'history', args: {} });
await agent.post('/v1/exec', { pack_id: 'transit', verb_key: 'plan', args: { from: 'A', to: 'Nowhere' } });

const browser = await chromium.launch({
  executablePath: process.env.HCP_TEST_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
try {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1280, 390]) {
      const context = await browser.newContext({
        baseURL: dev.url,
        colorScheme,
        viewport: { width, height: 900 },
        reducedMotion: 'reduce',
      });
      const page = await context.newPage();
      const shoot = (name) =>
        page.screenshot({ path: join(OUT, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      await page.goto('/');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await shoot('sign-in');
      await page.getByLabel('Email').fill(dev.owner.email);
      await page.getByLabel(/^Password/).fill(dev.owner.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      const paths = [...PATHS, ['run', `/runs/${ran.run_id}`], ['approval', `/approvals/${asked.approval_id}`]];
      for (const [name, path] of paths) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.getByLabel('Loading').first().waitFor({ state: 'detached' });
        await shoot(name);
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
}
process.stdout.write(`${OUT}\n`);
