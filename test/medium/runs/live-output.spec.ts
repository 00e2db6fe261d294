import type { Run } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { eraseEnded } from '@hcp/runs';
import { makeAgent, makeGrant } from '@hcp/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dump, leakFinder } from '../../support/dump.js';
import { Follower } from '../../support/follower.js';
import { packArchive } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import {
  install,
  keyFor,
  signedIn,
  startStack,
  tenantWithOwner,
  type Person,
  type Stack,
} from '../../support/stack.js';

/** SPEC R5: what a command prints is seen while it runs, at any replica, and never more than its outcome shows. */

const BIN = `#!/usr/bin/env node
const [verb] = process.argv.slice(2);
const t = process.env.TALK_TOKEN ?? '';
const out = (text) => process.stdout.write(text);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const ways = {
  async slow() { out('first talk\\n'); process.stderr.write('warned\\n'); await sleep(60_000); },
  async count() { for (let i = 1; i <= 40; i += 1) { out('line ' + i + ' €😀\\n'); await sleep(60); } },
  async bytes() { for (const byte of Buffer.from('a€b😀c')) { out(Buffer.from([byte])); await sleep(300); } },
  async halves() { out('before ' + t.slice(0, 20)); await sleep(900); out(t.slice(20) + ' after\\n'); await sleep(900);
    out(Buffer.from('x' + t).toString('base64').slice(0, 30)); await sleep(900);
    out(Buffer.from('x' + t).toString('base64').slice(30) + ' end\\n'); await sleep(60_000); },
  async flood() { const line = 'x'.repeat(999) + '\\n'; for (let i = 0; i < 50_000; i += 1) if (!process.stdout.write(line)) await new Promise((done) => process.stdout.once('drain', done)); },
};
ways[verb]();
`;
/**
 * No k in it, and in none of its spellings at the beginning: so no line that ends with one is held back as what may become
 * a secret.
 */
const TOKEN = 'cnry-7f3Qp9vX.Zq9+x/"h2Lw8sRt5mYd-tail-of-it';
const leaksIn = leakFinder([TOKEN]);

let stack: Stack;
let superuser: pg.Client;
let tenant_id: string;
let owner: Person;
let agent: string;
/** As whoever sees the run is told them. */
let names: Pick<Run, 'principal_name' | 'acts_for_name'>;
const followers: Follower[] = [];

beforeAll(async () => {
  stack = await startStack({ apis: 2, worker_env: { HCP_LEASE_MS: '6000', HCP_REAP_MS: '300' } });
  superuser = new pg.Client({ connectionString: stack.database.superuser_url });
  await superuser.connect();
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  const personal = { privacy: { land: 'personal' } } as const;
  const command = (verb: string, more: object = {}) => ({ description: 'Talks.', cli: ['talk', verb], ...more });
  await install(
    stack,
    owner.token,
    await packArchive({
      pack_id: 'talk',
      bin: BIN,
      binding: { family: 'user', env: { TALK_TOKEN: '{{token}}' } },
      commands: {
        slow: command('slow'),
        once: command('slow', { idempotent: false }),
        private: command('slow', { policy: personal }),
        count: command('count'),
        bytes: command('bytes'),
        halves: command('halves'),
        flood: command('flood'),
      },
    }),
  );
  const body = { pack_id: 'talk', family: 'user', kind: 'secret', fields: { token: TOKEN } };
  expect((await stack.call('POST', '/v1/bindings', { token: owner.token, body })).status).toBe(201);
  const { id } = await makeAgent(stack.database.db, tenant_id, { acts_for: owner.id });
  await makeGrant(stack.database.db, tenant_id, id, 'verb.exec.read');
  agent = (await keyFor(stack, tenant_id, id)).key;
  const named = (which: string) =>
    stack.database.db.tenant(tenant_id, (tx) => tx.principal.findFirstOrThrow({ where: { tenant_id, id: which } }));
  names = { principal_name: (await named(id)).name, acts_for_name: (await named(owner.id)).name };
}, 120_000);
afterAll(async () => {
  for (const each of followers) each.leave();
  await superuser.end();
  await stack.stop();
});

async function exec(verb_key: string): Promise<string> {
  const body = { pack_id: 'talk', verb_key, args: {}, wait_ms: 0 };
  const { body: answer } = await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: agent, body });
  expect(answer.code).toBe('still_running');
  return String(answer.run_id);
}

async function follow(run_id: string, { replica = 1, token = owner.token, after = '' } = {}): Promise<Follower> {
  const url = `${stack.urls[replica] ?? ''}/v1/runs/${run_id}/events`;
  const follower = await Follower.open(url, token, after === '' ? undefined : after);
  expect(follower.status).toBe(200);
  followers.push(follower);
  return follower;
}

const run = async (id: string): Promise<Run> =>
  (await stack.call<Run>('GET', `/v1/runs/${id}`, { token: owner.token })).body;
const cancel = (id: string) => stack.call('POST', `/v1/runs/${id}/cancel`, { token: owner.token });
const text = (heard: Follower, stream = 'stdout'): string =>
  heard.heard.map(({ type, data }) => (type === 'output' && data.stream === stream ? data.text : '')).join('');
const ended = (follower: Follower): Promise<void> =>
  follower.hears('the end', (heard) => heard.some(({ type }) => type === 'end'));
const rowsOf = async (id: string): Promise<number> =>
  (await superuser.query('select 1 from run_output where run_id = $1', [id])).rows.length;

describe('a command that takes its time', () => {
  it('is heard at another replica before it has ended, each stream as what it is', async () => {
    const id = await exec('slow');
    const follower = await follow(id);
    await follower.hears('both streams', () => text(follower) !== '' && text(follower, 'stderr') !== '');
    expect(follower.said(id)).not.toContain('end cancelled');
    expect((await run(id)).status).toBe('running');
    expect(await rowsOf(id)).toBeGreaterThan(0);
    await cancel(id);
    await ended(follower);
    expect([text(follower), text(follower, 'stderr')]).toEqual(['first talk\n', 'warned\n']);
    expect(follower.said(id).slice(-2)).toEqual(['state cancelled', 'end cancelled']);
    expect(await run(id)).toMatchObject({ stdout: 'first talk\n', stderr: 'warned\n', ...names });
    expect(await rowsOf(id), 'the outcome has it').toBe(0);
  });

  it('is gone on with at either replica, without a repetition and without a hole', async () => {
    const id = await exec('count');
    const heard: Follower[] = [];
    for (let replica = 0; !heard.at(-1)?.heard.some(({ type }) => type === 'end'); replica = 1 - replica) {
      const after = heard.at(-1)?.last_id ?? '';
      const follower = await follow(id, { replica, after });
      heard.push(follower);
      await follower.hears('more', (all) => all.some(({ type }) => type === 'output' || type === 'end'));
      follower.leave();
      await eventually('it has left', () => Promise.resolve(follower.ended));
    }
    const late = await follow(id);
    await ended(late);
    const { stdout } = await run(id);
    expect(heard.length).toBeGreaterThan(2);
    expect(heard.map((each) => text(each)).join('')).toBe(stdout);
    expect(text(late)).toBe(stdout);
    expect(stdout).toBe(Array.from({ length: 40 }, (_, i) => `line ${String(i + 1)} €😀\n`).join(''));
  });

  it('has whole characters, though its bytes come one by one', async () => {
    const id = await exec('bytes');
    const follower = await follow(id);
    await ended(follower);
    const parts = follower.heard.flatMap(({ type, data }) => (type === 'output' ? [String(data.text)] : []));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join('')).toBe('a€b😀c');
    for (const part of parts) expect(part).toMatch(/^(a|€|b|😀|c)+$/u);
  });
});

it('a secret in two halves with a pause between them is nowhere', async () => {
  const id = await exec('halves');
  const follower = await follow(id);
  const rows: string[] = [];
  const look = async (): Promise<void> => {
    for (const all of (await dump(stack.database.superuser_url)).values()) rows.push(...all);
  };
  await follower.hears('what is before it', () => text(follower).includes('before '));
  await look();
  await follower.hears('what is behind both', () => text(follower).includes(' end\n'));
  await look();
  // In base64, the characters at both ends are decided by what is around the secret as well.
  expect(text(follower)).toMatch(/^before \[redacted\] after\n\S{0,3}\[redacted\]\S{0,4} end\n$/);
  await cancel(id);
  await ended(follower);
  await look();
  expect(leaksIn(follower.text)).toEqual([]);
  expect(rows.flatMap(leaksIn)).toEqual([]);
  for (const one of [...stack.apis, ...stack.workers]) expect(leaksIn(one.output())).toEqual([]);
});

it('a command that prints fifty megabytes is stopped at its limit, followed to its end and leaves no rows', async () => {
  const id = await exec('flood');
  const follower = await follow(id);
  const heardEnd = (): boolean => {
    if (follower.heard.some(({ type }) => type === 'end')) return true;
    if (follower.ended) throw new Error(`the stream ended after ${follower.said(id).slice(-3).join(', ')}`);
    return false;
  };
  await eventually('the end', () => Promise.resolve(heardEnd()), 60_000);
  const ended_run = await run(id);
  expect(ended_run).toMatchObject({ status: 'failed', code: 'output_limit', truncated: true });
  expect(text(follower) === ended_run.stdout, 'what was told is what is kept').toBe(true);
  expect(Math.max(...follower.heard.map(({ data }) => data.text?.length ?? 0))).toBeLessThanOrEqual(65_536);
  expect(await rowsOf(id)).toBe(0);
}, 90_000);

describe('the output of a personal command', () => {
  it('is for its principal and the human it acts for, live as in the end', async () => {
    const other = await signedIn(stack, tenant_id, 'admin');
    const id = await exec('private');
    const [own, foreign] = [await follow(id, { token: agent }), await follow(id, { token: other.token })];
    await own.hears('its output', () => text(own) !== '');
    await foreign.hearsOf(id, 'state running');
    await cancel(id);
    await Promise.all([ended(own), ended(foreign)]);
    expect(text(own)).toBe('first talk\n');
    expect(foreign.heard.map(({ type }) => type)).not.toContain('output');
    const late = await follow(id, { token: other.token });
    await ended(late);
    expect(late.heard.map(({ type }) => type)).not.toContain('output');
  });
});

describe('a worker that is killed', () => {
  const kill = async (): Promise<void> => {
    const worker = stack.workers.at(-1);
    worker?.kill('SIGKILL');
    await worker?.exited;
    await stack.startWorker();
  };

  it('leaves what was shown, and its state is told; retention erases it', async () => {
    const id = await exec('once');
    const follower = await follow(id);
    await follower.hears('its output', () => text(follower) !== '');
    await kill();
    await ended(follower);
    expect(follower.said(id).slice(-2)).toEqual(['state unknown', 'end unknown']);
    const late = await follow(id, { replica: 0 });
    await ended(late);
    expect([text(late), text(late, 'stderr')]).toEqual(['first talk\n', 'warned\n']);
    await superuser.query(`update runs set finished_at = clock_timestamp() - interval '2 days' where id = $1`, [id]);
    await eraseEnded(stack.database.db, 86_400_000);
    expect(await rowsOf(id)).toBe(0);
    const after = await follow(id);
    await ended(after);
    expect(after.heard.map(({ type }) => type)).toEqual(['state', 'end']);
  }, 60_000);

  it('in a read: its other start is told as one, from the beginning', async () => {
    const id = await exec('slow');
    const follower = await follow(id);
    await follower.hears('its output', () => text(follower) !== '');
    await kill();
    const outputs = (attempt: number) =>
      follower.heard.filter(({ type, data }) => type === 'output' && Number(data.attempt) === attempt);
    await eventually('the other start', () => Promise.resolve(outputs(2).length > 0), 60_000);
    expect(outputs(2)[0]?.data.text).toBe('first talk\n');
    const again = follower.heard.findIndex(({ data }) => Number(data.attempt) === 2);
    expect(follower.heard[again]?.type).toBe('state');
    await cancel(id);
    await ended(follower);
    expect(await rowsOf(id)).toBe(0);
  }, 90_000);
});
