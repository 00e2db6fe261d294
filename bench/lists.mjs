import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { chromium } from 'playwright-core';
import { inTurn } from './lib/measure.mjs';
import { startProduct } from './lib/product.mjs';
import { seedRuns } from './lib/seed-runs.mjs';

/**
 * What a page of a long list costs: `GET /v1/runs` by cursor at its beginning, in its middle and at its end, beside the same rows
 * by OFFSET, in turn on the same database. And how much script the signed-in overview loads.
 */
const rounds = Number(process.env.ROUNDS ?? 100);
const count = Number(process.env.RUNS ?? 100_000);
const LIMIT = 50;

const product = await startProduct();
const client = new pg.Client({ connectionString: product.app_url });
try {
  await client.connect();
  const { tenant_id } = product.dev;
  const { principal } = await product.owner.get('/v1/me');
  await client.query(`select set_config('app.tenant_id', $1, false)`, [tenant_id]);
  const before = Number((await client.query('select count(*) from runs')).rows[0].count);
  await seedRuns(client, { tenant_id, principal_id: principal.id, count });
  await analyzed();

  /** The id in front of a place, by the database's own numbering. */
  const cursorAt = async (place, where) => {
    const rows = await client.query(`select id from runs where ${where} order by id desc offset $1 limit 1`, [
      place - 1,
    ]);
    return rows.rows[0].id;
  };
  const page = (query) => async () => {
    const { items } = await product.owner.get(`/v1/runs?limit=${LIMIT}${query}`);
    if (items.length === 0) throw new Error(`nothing at ${query}`);
  };
  const kinds = {
    all: ['true', ''],
    status: [`status = 'failed'`, '&status=failed'],
    pack: [`pack_id = 'seeded-3'`, '&pack_id=seeded-3'],
  };
  const report = { cores: cpus().length, node: process.version, runs: before + count, milliseconds: {}, ratios: {} };
  for (const [kind, [where, filter]] of Object.entries(kinds)) {
    const total = Number((await client.query(`select count(*) from runs where ${where}`)).rows[0].count);
    const [middle, last] = [Math.floor(total / 2), total - LIMIT];
    const [middle_cursor, last_cursor] = [await cursorAt(middle, where), await cursorAt(last, where)];
    const offset = (place) => () =>
      client.query(`select * from runs where tenant_id = $1 and ${where} order by id desc offset $2 limit $3`, [
        tenant_id,
        place,
        LIMIT + 1,
      ]);
    const cursor = (id) => () =>
      client.query(`select * from runs where tenant_id = $1 and ${where} and id < $2 order by id desc limit $3`, [
        tenant_id,
        id,
        LIMIT + 1,
      ]);
    const times = await inTurn(
      {
        first: page(filter),
        middle: page(`${filter}&cursor=${middle_cursor}`),
        last: page(`${filter}&cursor=${last_cursor}`),
        sql_first: offset(0),
        sql_cursor_last: cursor(last_cursor),
        sql_offset_middle: offset(middle),
        sql_offset_last: offset(last),
      },
      { rounds, warm_up: 10 },
    );
    report.milliseconds[kind] = { rows: total, ...times };
    report.ratios[kind] = {
      middle_to_first_p50: ratio(times.middle.p50, times.first.p50),
      last_to_first_p50: ratio(times.last.p50, times.first.p50),
      sql_offset_last_to_first_p50: ratio(times.sql_offset_last.p50, times.sql_first.p50),
      sql_offset_to_cursor_last_p50: ratio(times.sql_offset_last.p50, times.sql_cursor_last.p50),
    };
  }
  report.overview_script_bytes = await overviewScript(product);
  const out = join(import.meta.dirname, 'results');
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'lists.json'), `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
} finally {
  await client.end();
  await product.end();
}

/** Waits for the database's own look at what is in the table, without which it plans as for a few rows. */
async function analyzed() {
  const looked = `select last_autoanalyze is not null as done from pg_stat_user_tables where relname = 'runs'`;
  while (!(await client.query(looked)).rows[0].done) await new Promise((resolve) => setTimeout(resolve, 1000));
}

/** Compressed, as it came over the wire, until the overview shows its numbers; null where there is no browser. */
async function overviewScript({ url, dev }) {
  const browser = await chromium
    .launch({ executablePath: process.env.HCP_TEST_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
    .catch(() => null);
  if (!browser) return null;
  try {
    const tab = await browser.newPage({ baseURL: url });
    const sizes = [];
    tab.on('requestfinished', (request) => {
      if (request.resourceType() === 'script') sizes.push(request.sizes().then((each) => each.responseBodySize));
    });
    await tab.goto('/');
    await tab.getByLabel('Email').fill(dev.owner.email);
    await tab.getByLabel(/^Password/).fill(dev.owner.password);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('region', { name: 'Runs over time' }).waitFor();
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  } finally {
    await browser.close();
  }
}

function ratio(a, b) {
  return Number((a / b).toFixed(2));
}
