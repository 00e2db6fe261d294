import type { Run } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant } from '@hcp/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archive, packArchive } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import { install, keyFor, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** What steps hold while they run, and what ends them: workspaces, room, stops, rights, workers (SPEC W5, W6, T5, R2). */

/** Leaves a line in its workspace and says how many are there; `talk` says so many characters. */
const BIN = `#!/usr/bin/env node
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const [verb, name, amount] = process.argv.slice(2);
const lines = () => existsSync(name) ? readFileSync(name, 'utf8').split('\\n').length - 1 : 0;
if (verb === 'talk') console.log(JSON.stringify({ text: 'x'.repeat(Number(amount)), id: name }));
else if (verb === 'count') console.log(JSON.stringify({ lines: lines() }));
else {
  appendFileSync(name, 'line\\n');
  setTimeout(() => console.log(JSON.stringify({ lines: lines() })), Number(amount));
}
`;
const args = { type: 'object', properties: { name: { type: 'string' }, amount: { type: 'number' } } } as const;
const cli = (pack_id: string, verb: string) => [pack_id, verb, '{{name}}', '{{amount}}'];
const shop = (pack_id: string) =>
  packArchive({
    pack_id,
    bin: BIN,
    binding: { family: 'local' },
    wrap: { workspace: { mode: 'workspace' } },
    commands: {
      work: { description: 'Works.', args, cli: cli(pack_id, 'work'), policy: { operation: 'write' } },
      pay: { description: 'Pays.', args, cli: cli(pack_id, 'pay'), policy: { operation: 'write', confirm: 'always' } },
      talk: { description: 'Talks.', args, cli: cli(pack_id, 'talk') },
      count: { description: 'Counts.', args, cli: cli(pack_id, 'count') },
    },
  });

const ARGS = { name: '{{name}}', amount: '{{amount}}' };
const step = (name: string, pack_id: string, verb_key: string, given: object = ARGS) => ({
  ...{ name, pack_id, verb_key, args: given },
});
const talk = (name: string) => step(name, 'left', 'talk');
const COMMANDS = {
  there: [step('a', 'left', 'work'), step('b', 'right', 'work')],
  back: [step('a', 'right', 'work'), step('b', 'left', 'work')],
  talks: [talk('a'), talk('b'), step('c', 'left', 'count')],
  repeats: [talk('a'), step('b', 'right', 'talk', { name: '{{steps.a.text}}'.repeat(200), amount: 1 })],
  waits: [talk('a'), step('b', 'left', 'pay', { name: '{{steps.a.id}}', amount: 1500 })],
  twice: [
    talk('a'),
    step('b', 'left', 'pay', { name: '{{steps.a.id}}', amount: 1 }),
    step('c', 'left', 'pay', { name: '{{name}}', amount: 1 }),
  ],
};
const tour = () =>
  archive({
    'manifest.json': JSON.stringify({
      pack_id: 'tour',
      name: 'Tour',
      version: '1.0.0',
      description: 'Tours.',
      kind: 'composite',
      binding: { family: 'public' },
    }),
    'surface.json': JSON.stringify({
      commands: Object.fromEntries(
        Object.entries(COMMANDS).map(([key, steps]) => [key, { description: `Tour ${key}.`, args, steps }]),
      ) as object,
    }),
    'policy.json': JSON.stringify({
      commands: Object.fromEntries(
        Object.keys(COMMANDS).map((key) => [key, { operation: 'write', confirm: false, privacy: { land: 'public' } }]),
      ) as object,
    }),
  });

let stack: Stack;
let tenant_id: string;
let owner: Person;
let agent: { id: string; key: string };

beforeAll(async () => {
  const worker_env = { HCP_WORKER_CONCURRENCY: '4', HCP_LEASE_MS: '2500', HCP_REAP_MS: '300' };
  stack = await startStack({ worker_env });
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  for (const pack of [await shop('left'), await shop('right'), await tour()]) await install(stack, owner.token, pack);
  const { db } = stack.database;
  const { id } = await makeAgent(db, tenant_id, { acts_for: owner.id });
  for (const capability of ['verb.exec.read', 'verb.exec.write'] as const)
    await makeGrant(db, tenant_id, id, capability);
  agent = { id, key: (await keyFor(stack, tenant_id, id)).key };
}, 120_000);
afterAll(() => stack.stop());

const exec = async (
  verb_key: string,
  given: object,
  { pack_id = 'tour', wait_ms = 60_000 } = {},
): Promise<ResultEnvelope> =>
  (
    await stack.call<ResultEnvelope>('POST', '/v1/exec', {
      token: agent.key,
      body: { pack_id, verb_key, args: given, wait_ms },
    })
  ).body;
const lines = async (name: string, pack_id = 'left'): Promise<unknown> =>
  (await exec('count', { name }, { pack_id })).result;
const ended = (id: string | null, status: Run['status']): Promise<Run> =>
  eventually(`run is ${status}`, async () => {
    const { body } = await stack.call<Run>('GET', `/v1/runs/${String(id)}`, { token: owner.token });
    return body.status === status ? body : null;
  });
/** Until a step has begun: its decision is written down. */
const begun = (id: string | null, name: string): Promise<unknown> =>
  eventually(`step ${name} began`, async () => {
    const path = `/v1/audit?run_id=${String(id)}&limit=50`;
    const { body } = await stack.call<{ items: { action: string; details: { step?: string } | null }[] }>('GET', path, {
      token: owner.token,
    });
    return body.items.find(({ action, details }) => action === 'exec.decision' && details?.step === name) ?? null;
  });

describe('the workspace of a step', () => {
  it('is held for the step alone: two composites that cross end both', async () => {
    const name = randomUUID();
    const both = await Promise.all([exec('there', { name, amount: 1500 }), exec('back', { name, amount: 1500 })]);
    expect(both.map(({ ok }) => ok)).toEqual([true, true]);
    expect(await lines(name)).toEqual({ lines: 2 });
  });
});

describe('what steps answer', () => {
  it('is together no more than one command may', async () => {
    const amount = 6 * 1024 * 1024;
    const ran = await exec('talks', { name: 'n', amount });
    expect(ran).toMatchObject({ ok: false, code: 'output_limit', truncated: true });
    expect((ran.result as { steps: { name: string }[] }).steps.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(await exec('talks', { name: 'n', amount: 1000 })).toMatchObject({ ok: true });
  });

  it('is put into arguments as far as arguments may be large', async () => {
    const ran = await exec('repeats', { name: 'n', amount: 1024 * 1024 });
    expect(ran).toMatchObject({
      ok: false,
      code: 'invalid_args',
      error: expect.stringContaining('is too large') as string,
    });
  });
});

describe('a step that asks while it runs', () => {
  const yes = async (ran: ResultEnvelope): Promise<void> => {
    const steps = (ran.result as { steps: { approval_id?: string }[] }).steps;
    const path = `/v1/approvals/${String(steps.at(-1)?.approval_id)}/approve`;
    expect((await stack.call('POST', path, { token: owner.token, body: {} })).status).toBe(200);
  };

  it('runs once for one yes, however many calls wait for it', async () => {
    const name = randomUUID();
    await yes(await exec('waits', { name, amount: 1 }));
    const all = await Promise.all([1, 2, 3].map(() => exec('waits', { name, amount: 1 })));
    expect(all.filter(({ ok }) => ok)).toHaveLength(1);
    expect(all.filter(({ code }) => code === 'confirm_required')).toHaveLength(2);
    expect(await lines(name)).toEqual({ lines: 1 });
  });

  it('is not covered by the yes to a call that it only resembles', async () => {
    const name = randomUUID();
    const asked = await exec('twice', { name, amount: 1 });
    expect(asked).toMatchObject({ code: 'confirm_required', run_id: null });
    const path = `/v1/approvals/${String(asked.approval_id)}/approve`;
    expect((await stack.call('POST', path, { token: owner.token, body: {} })).status).toBe(200);
    expect(await exec('twice', { name, amount: 1 })).toMatchObject({
      code: 'confirm_required',
      error: 'step b: confirm required',
    });
    expect(await lines(name)).toEqual({ lines: 0 });
  });
});

describe('a composite under way', () => {
  it('ends where the pack of its step is stopped', async () => {
    const name = randomUUID();
    const { run_id } = await exec('there', { name, amount: 30_000 }, { wait_ms: 0 });
    await begun(run_id, 'a');
    expect((await stack.call('POST', '/v1/packs/left/stop', { token: owner.token, body: {} })).status).toBeLessThan(
      300,
    );
    await ended(run_id, 'cancelled');
    expect((await stack.call('POST', '/v1/packs/left/resume', { token: owner.token, body: {} })).status).toBeLessThan(
      300,
    );
    expect(await lines(name, 'right')).toEqual({ lines: 0 });
  });

  it('refuses the next step once the rights for it are gone', async () => {
    const name = randomUUID();
    const { run_id } = await exec('there', { name, amount: 2500 }, { wait_ms: 0 });
    await begun(run_id, 'a');
    const rule = { match: 'right.work', decision: 'deny' };
    const made = await stack.call<{ id: string }>('POST', '/v1/access/rules', { token: owner.token, body: rule });
    expect(made.status).toBe(201);
    expect(await ended(run_id, 'failed')).toMatchObject({ code: 'denied_by_rule' });
    await stack.call('DELETE', `/v1/access/rules/${made.body.id}`, { token: owner.token });
    expect(await lines(name, 'right')).toEqual({ lines: 0 });
  });

  it('is of an unknown end where its worker dies, and no step of it runs again', async () => {
    const name = randomUUID();
    const { run_id } = await exec('there', { name, amount: 30_000 }, { wait_ms: 0 });
    await begun(run_id, 'a');
    await eventually('the line is there', async () => (await ended(run_id, 'running')) && true);
    await new Promise((done) => setTimeout(done, 1000));
    stack.workers[0]?.kill('SIGKILL');
    await stack.startWorker();
    expect(await ended(run_id, 'unknown')).toMatchObject({ code: 'outcome_unknown', attempts: 1 });
    expect(await lines(name)).toEqual({ lines: 1 });
    expect(await lines(name, 'right')).toEqual({ lines: 0 });
  });
});
