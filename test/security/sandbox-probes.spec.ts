import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultEnvelope } from '@hcp/core';
import { assignRole, makeService } from '@hcp/testing';
import { hostCommandLines, probePack } from '../support/probe.js';
import { eventually } from '../support/process.js';
import { install, keyFor, startStack, tenantWithOwner, type Stack } from '../support/stack.js';

/** CASES 17, 20, 21, 29, 30, 32, through the API: what a command finds, and what is left of it. */

const ENV_CANARY = `env-${randomUUID()}`;
const OTHER_CANARY = `other-${randomUUID()}`;
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

let stack: Stack;
let abstract: Server;
let token: string;
let other_token: string;
let second_key: string;
let tenant_id: string;
let owner_id: string;

beforeAll(async () => {
  stack = await startStack({ worker_env: { WORKER_CANARY: OTHER_CANARY } });
  const one = await tenantWithOwner(stack);
  const two = await tenantWithOwner(stack);
  ({ tenant_id } = one);
  token = one.owner.token;
  owner_id = one.owner.id;
  other_token = two.owner.token;
  await install(stack, token, await probePack('probe', { PROBE_VALUE: ENV_CANARY }));
  await install(stack, token, await probePack('brief', {}, 2000));
  await install(stack, other_token, await probePack('neighbour', { PROBE_VALUE: OTHER_CANARY }));
  const service = await makeService(stack.database.db, tenant_id);
  await assignRole(stack.database.db, tenant_id, service.id, 'member');
  second_key = (await keyFor(stack, tenant_id, service.id)).key;
  abstract = createServer().listen({ path: '\0hcp-probe' });
}, 120_000);
afterAll(async () => {
  abstract.close();
  await stack.stop();
});

async function exec(
  verb_key: string,
  args: Record<string, string> = {},
  more: object = {},
  by = token,
): Promise<ResultEnvelope> {
  const body = { pack_id: 'probe', verb_key, args, wait_ms: 60_000, ...more };
  return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: by, body })).body;
}

/** What the command answered. */
async function found<T>(verb_key: string, args?: Record<string, string>, by?: string): Promise<T> {
  const answer = await exec(verb_key, args, {}, by);
  expect(answer, JSON.stringify(answer).slice(0, 1000)).toMatchObject({ ok: true, exit_code: 0 });
  return answer.result as T;
}

/** A duration for `sleep` that no other process on this machine has. */
const marker = (): string => String(randomInt(1_000_000, 9_000_000));
const alive = (mark: string): string[] => hostCommandLines().filter((line) => line.includes(mark));

async function nothingLeft(mark: string): Promise<void> {
  await eventually('nothing of the run is left', async () => alive(mark).length === 0, 10_000);
}

/** The worker that went through all that serves another tenant. */
async function servesOthers(): Promise<void> {
  const answer = await exec('hello', { a: 'you' }, { pack_id: 'neighbour' }, other_token);
  expect(answer).toMatchObject({ ok: true, result: { hello: 'you' } });
}

describe('a command finds', () => {
  it('its own environment and nothing of the worker’s', async () => {
    const env = await found<Record<string, string>>('env');
    expect(Object.keys(env).sort()).toEqual(
      ['HCP_SANDBOX', 'HOME', 'LANG', 'PATH', 'PROBE_VALUE', 'TMPDIR', ...('PWD' in env ? ['PWD'] : [])].sort(),
    );
    expect(env).toMatchObject({ PROBE_VALUE: ENV_CANARY, HCP_SANDBOX: 'sandbox' });
  });

  it('no process, environment or command line but its own, while a neighbour runs', async () => {
    const mark = marker();
    const busy = await exec('sleep', { a: mark }, { pack_id: 'neighbour', wait_ms: 0 }, other_token);
    await eventually('the neighbour runs', async () => alive(`sleep\0${mark}`).length > 0);
    const text = JSON.stringify(await found('proc'));
    expect(text).toContain(ENV_CANARY);
    for (const foreign of [OTHER_CANARY, mark, 'HCP_ROOT_KEY', 'DATABASE_URL', 'postgres', 'main.js'])
      expect(text).not.toContain(foreign);
    await stack.call('POST', `/v1/runs/${String(busy.run_id)}/cancel`, { token: other_token });
    await nothingLeft(mark);
  });

  it('no socket', async () => {
    expect(await found('sockets')).toMatchObject({ unix: [], files: [], docker: [] });
  });

  it('no place of the host, and nothing that it may write', async () => {
    const packs = await readdir(stack.data_dir, { recursive: true });
    expect(packs.length).toBeGreaterThan(0);
    const places = [
      stack.data_dir,
      REPOSITORY,
      '/root',
      '/home',
      '/var',
      '/srv',
      '/opt',
      '/boot',
      '/mnt',
      '/etc/shadow',
      '/etc/ssh',
      '/sys',
      '/host',
    ];
    const answer = await found<{ there: string[]; tree: string[]; pack: string[]; mounts: string; written: string[] }>(
      'paths',
      { a: JSON.stringify(places) },
    );
    expect(answer.there).toEqual([]);
    expect(answer.written).toEqual([]);
    expect(answer.pack.sort()).toEqual(['SKILL.md', 'bin', 'manifest.json', 'policy.json', 'surface.json']);
    const shown = answer.tree.filter((path) => !/^\/(tmp|workspace)(\/|$)/.test(path));
    expect(shown).toEqual([]);
    for (const [, , , root = '', at = ''] of answer.mounts.split('\n').map((line) => line.split(' '))) {
      // What is there of the data folder is this pack, this workspace and the sandbox's own parts.
      if (root.includes(stack.data_dir)) expect(['/pack', '/workspace', '/etc', '/usr/local/bin/node']).toContain(at);
    }
  });

  it('nothing that names a tenant, a project or a person, in its list of mounts or elsewhere', async () => {
    const project = await stack.call<{ id: string }>('POST', '/v1/projects', { token, body: { name: 'mounted' } });
    const project_id = project.body.id;
    await stack.call('PUT', `/v1/projects/${project_id}/members/${owner_id}`, { token });
    await install(stack, token, await probePack('shared', {}, 20_000, 'project'));
    const session = await stack.call<{ id: string }>('POST', '/v1/sessions', { token, body: { project_id } });
    const headers = { 'hcp-session': session.body.id };
    for (const [pack_id, more] of Object.entries({ probe: {}, shared: headers })) {
      const body = { pack_id, verb_key: 'paths', args: { a: '[]' }, wait_ms: 60_000 };
      const answer = await stack.call<ResultEnvelope>('POST', '/v1/exec', { token, body, headers: more });
      expect(answer.body, JSON.stringify(answer.body).slice(0, 1000)).toMatchObject({ ok: true });
      const { mounts } = answer.body.result as { mounts: string };
      expect(mounts).toContain(' /workspace ');
      for (const id of [tenant_id, owner_id, project_id, 'project/', 'private/']) expect(mounts).not.toContain(id);
    }
  });

  it('no workspace of another principal, or of another pack', async () => {
    expect(await found('keep', { a: 'mine' })).toEqual(['mine']);
    expect(await found('keep', { a: 'mine' })).toEqual(['mine']);
    expect(await found('look')).toEqual(['mine']);
    expect(await found('look', {}, second_key)).toEqual([]);
    expect((await exec('look', {}, { pack_id: 'brief' })).result).toEqual([]);
    expect((await exec('look', {}, { pack_id: 'neighbour' }, other_token)).result).toEqual([]);
  });

  it('no network: not the API, the database, the host, a name or a way out', async () => {
    const ports = [stack.urls[0], stack.database.superuser_url].map((url) => Number(new URL(url).port));
    const answer = await found<Record<string, string[]>>('network', { a: JSON.stringify(ports), b: 'hcp-probe' });
    for (const tried of [answer.ports, answer.elsewhere, [answer.abstract], answer.names].flat()) {
      expect(['connected', 'resolved', undefined]).not.toContain(tried);
    }
    expect(answer.interfaces?.filter((name) => name !== 'lo')).toEqual([]);
    expect(answer.routes).toEqual([]);
  });
});

describe('the host', () => {
  it('shows no value of the environment in any command line while it runs', async () => {
    const mark = marker();
    const { run_id } = await exec('sleep', { a: mark }, { wait_ms: 0 });
    await eventually('it runs', async () => alive(`sleep\0${mark}`).length > 0);
    const lines = hostCommandLines().join('\n');
    expect(lines).toContain(mark);
    expect(lines).not.toContain(ENV_CANARY);
    await stack.call('POST', `/v1/runs/${String(run_id)}/cancel`, { token });
    await nothingLeft(mark);
  });

  it('has nothing left of children that made themselves independent', async () => {
    const mark = marker();
    expect(await exec('setsid', { a: mark })).toMatchObject({ ok: true, result: { started: true } });
    await nothingLeft(mark);
    await servesOthers();
  });

  it('has nothing left of them at the time-out either, pipes held or not', async () => {
    const mark = marker();
    const answer = await exec('setsid', { a: mark, b: 'stay' }, { pack_id: 'brief' });
    expect(answer).toMatchObject({ ok: false, code: 'timeout', error: 'timed out after 2000 ms' });
    await nothingLeft(mark);
    await servesOthers();
  });

  it('has nothing left after a cancel', async () => {
    const mark = marker();
    const { run_id } = await exec('setsid', { a: mark, b: 'stay' }, { wait_ms: 0 });
    await eventually('they run', async () => alive(`sleep\0${mark}`).length === 2);
    await stack.call('POST', `/v1/runs/${String(run_id)}/cancel`, { token });
    await nothingLeft(mark);
  });

  it('has nothing left of a program that starts as many as it can, which are not many', async () => {
    const mark = marker();
    const answer = await exec('forks', { a: mark });
    const { started = 0 } = (answer.result ?? {}) as { started?: number };
    expect(started).toBeLessThan(1000);
    await nothingLeft(mark);
    await servesOthers();
  });

  it('keeps no folder of a run that is over', async () => {
    await found('hello', { a: 'x' });
    const left = await eventually('only packs, workspaces and the sandbox’s own', async () => {
      const names = await readdir(stack.data_dir, { recursive: true });
      const runs = await stack.call<{ items: { id: string }[] }>('GET', '/v1/runs?limit=200', { token });
      return runs.body.items.every(({ id }) => names.every((name) => !name.includes(id)));
    });
    expect(left).toBe(true);
    expect(existsSync(stack.data_dir)).toBe(true);
  });
});

describe('output without end', () => {
  it.each(['line', 'lines'])('is capped and marked, and the worker lives: %s', async (verb) => {
    const answer = await exec(verb);
    expect({ ...answer, stdout: null, result: null }).toMatchObject({
      ok: false,
      code: 'output_limit',
      truncated: true,
    });
    expect(answer.stdout?.length).toBeLessThanOrEqual(10 * 1024 * 1024 + 1024);
    expect(answer.stdout?.length).toBeGreaterThan(1024 * 1024);
    await servesOthers();
    expect(stack.workers[0]?.output()).not.toMatch(/out of memory/i);
  });
});
