import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dump, leakFinder, spellings } from '../support/dump.js';
import { leakyPack, WAYS } from '../support/leaky.js';
import { hostCommandLines } from '../support/probe.js';
import { eventually } from '../support/process.js';
import { install, keyFor, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** CASES 6 (static secrets), 7, 22, 23: a canary that is looked for wherever anything is kept, shown or listed. */

const random = (): string => randomBytes(9).toString('base64url').replace(/[-_]/g, 'x');
const TOKEN = `cnry-${random()}.${random()}-+/"\\&<é>%'$(id)\`{{token}}${random()}`;

let stack: Stack;
let tenant_id: string;
let owner: Person;
let agent_key: string;
let binding: { id: string };
const answers: string[] = [];

beforeAll(async () => {
  stack = await startStack({ env: { LOG_LEVEL: 'trace' } });
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  await install(stack, owner.token, await leakyPack('leaky'));
  const agent = await makeAgent(stack.database.db, tenant_id, { acts_for: owner.id });
  await makeGrant(stack.database.db, tenant_id, agent.id, 'verb.exec.read');
  agent_key = (await keyFor(stack, tenant_id, agent.id)).key;
  const made = await api('POST', '/v1/bindings', {
    pack_id: 'leaky',
    family: 'user',
    kind: 'secret',
    fields: { token: TOKEN },
  });
  expect(made.status).toBe(201);
  binding = made.body as { id: string };
}, 120_000);
afterAll(() => stack.stop());

async function api(method: string, path: string, body?: object, token = owner.token) {
  const answer = await stack.call(method, path, { token, ...(body && { body }) });
  answers.push(JSON.stringify(answer.body));
  return answer;
}

async function exec(verb_key: string, token = agent_key): Promise<ResultEnvelope> {
  const { body } = await api('POST', '/v1/exec', { pack_id: 'leaky', verb_key, args: {} }, token);
  return body as unknown as ResultEnvelope;
}

const leaksIn = leakFinder([TOKEN]);

describe('a secret', () => {
  it('reaches the child’s environment byte for byte, as the pack’s map renders it', async () => {
    expect(await exec('sum')).toMatchObject({
      ok: true,
      result: {
        sha256: createHash('sha256').update(TOKEN).digest('hex'),
        bearer: true,
        names: ['LEAK_AUTH', 'LEAK_TOKEN'],
      },
    });
  });

  it.each(WAYS)('is redacted where the child prints it: %s', async (way) => {
    const answer = await exec(way);
    const text = JSON.stringify(answer);
    expect(text).toContain('[redacted]');
    expect(leaksIn(text)).toEqual([]);
    expect(answer.code).toBe(way === 'stderr' || way === 'crash' ? 'exit_nonzero' : undefined);
    if (way === 'json') expect(answer.result).toMatchObject({ token: '[redacted]', other: 'kept' });
    if (way === 'stderr') expect(answer.error).toBe('failed with [redacted]');
  });

  it('is redacted where time or space ran out in the middle of it', async () => {
    const hung = await exec('hang');
    expect(hung).toMatchObject({ code: 'timeout', stdout: '[redacted]' });
    const flooded = await exec('flood');
    expect(flooded).toMatchObject({ code: 'output_limit', truncated: true });
    expect(flooded.stdout?.replaceAll(/\[redacted\]\n/g, '')).toMatch(/^(\[redacted\])?.{0,12}$/su);
  });

  it('does not blank short pieces of itself', async () => {
    const { stdout } = await exec('short');
    expect(stdout).toContain(TOKEN.slice(0, 5));
    expect(stdout).toContain('kept');
  });

  it('is in no command line and no environment of the host’s own processes while the run goes on', async () => {
    const running = exec('wait');
    const seen: string[] = [];
    const lines = await eventually('the program runs', async () => {
      const all = hostCommandLines();
      seen.push(...all);
      return all.some((line) => line.includes('leaky\0wait')) && all;
    });
    expect(leaksIn(lines.join('\n'))).toEqual([]);
    for (const one of [...stack.apis, ...stack.workers]) {
      expect(leaksIn(await readFile(`/proc/${String(one.pid)}/environ`, 'latin1'))).toEqual([]);
    }
    expect(await running).toMatchObject({ ok: true, result: { set: true } });
    expect(leaksIn(seen.join('\n'))).toEqual([]);
  });

  it('cannot be read back, and is not repeated where it is refused', async () => {
    const listed = await api('GET', '/v1/bindings');
    expect(listed.body.items).toMatchObject([{ id: binding.id, fields: ['token'], version: 1, state: 'active' }]);
    const wrong = [
      { fields: { token: `${TOKEN}\nLEAK_X=1` } },
      { fields: { token: `${TOKEN}\0` } },
      { fields: { token: TOKEN, other: TOKEN } },
      { fields: { other: TOKEN } },
      { fields: { token: TOKEN.slice(0, 5) } },
      { fields: { token: [TOKEN] } },
      { fields: TOKEN },
      { fields: { token: TOKEN }, expires_at: TOKEN },
    ];
    for (const body of wrong) {
      const rotated = await api('POST', `/v1/bindings/${binding.id}/rotate`, body);
      expect(rotated.status).toBe(400);
      const created = await api('POST', '/v1/bindings', { pack_id: 'leaky', family: 'user', kind: 'secret', ...body });
      expect(created.status).toBe(400);
      expect(leaksIn(JSON.stringify([rotated.body, created.body]))).toEqual([]);
    }
    const named = await api('POST', `/v1/bindings/${binding.id}/rotate`, wrong[0]);
    expect(named.body).toMatchObject({ errors: [{ path: '/fields/token', message: 'holds a line break' }] });
  });

  it('is found by this search where it is', () => {
    for (const text of spellings(TOKEN)) expect(leaksIn(`x${text}y`)).toHaveLength(1);
  });

  it('is nowhere: no table, no log, no answer, no file', async () => {
    for (const way of ['/v1/runs', '/v1/audit', '/v1/bindings', '/v1/commands', '/v1/packs/leaky'])
      await api('GET', way);
    const { items } = (await api('GET', '/v1/runs')).body as { items: { id: string }[] };
    for (const { id } of items) await api('GET', `/v1/runs/${id}`);
    const rows = [...(await dump(stack.database.superuser_url))];
    expect(rows.find(([table]) => table.endsWith('.bindings'))?.[1]).toHaveLength(1);
    for (const [table, all] of rows) expect({ table, found: all.flatMap(leaksIn) }).toEqual({ table, found: [] });
    for (const one of [...stack.apis, ...stack.workers]) expect(leaksIn(one.output())).toEqual([]);
    expect(answers.flatMap(leaksIn)).toEqual([]);
    for (const entry of await readdir(stack.data_dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = await readFile(join(entry.parentPath, entry.name), 'latin1');
      expect({ file: entry.name, found: leaksIn(text) }).toEqual({ file: entry.name, found: [] });
    }
  });

  it('is told of by field and version in the audit, never by value', async () => {
    const { body } = await api('GET', '/v1/audit?limit=200');
    const events = body.items as Record<string, unknown>[];
    const identity = `user:${binding.id}@1`;
    expect(events.find((event) => event.action === 'binding.create')).toMatchObject({
      subject: `binding:${binding.id}`,
      binding: identity,
      pack_id: 'leaky',
    });
    const ran = events.filter((event) => event.action === 'exec.completion');
    expect(ran.length).toBeGreaterThan(10);
    for (const event of ran) expect(event.binding).toBe(identity);
  });
});
