import { randomUUID } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResultEnvelope } from '@hcp/core';
import { Prisma } from '@hcp/database';
import { takeLock } from '@hcp/workspaces';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packArchive } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import { install, type Stack } from '../../support/stack.js';
import { json, placeIn, start, type Place } from './harness.js';

/** What the files API and the commands of a project do to one workspace, with a real worker and its sandbox. */
const BIN = `#!/usr/bin/env node
const fs = require('node:fs');
const [verb, name] = process.argv.slice(2);
if (verb === 'cat') console.log(JSON.stringify({ text: fs.readFileSync(name, 'utf8') }));
if (verb === 'change') {
  fs.appendFileSync(name, '+run');
  fs.mkdirSync(require('node:path').dirname(name) + '/made', { recursive: true });
  console.log(JSON.stringify({ text: fs.readFileSync(name, 'utf8') }));
}
if (verb === 'plant') {
  fs.symlinkSync('/etc/shadow', 'shadow');
  fs.symlinkSync('/', 'root');
  fs.symlinkSync('../../../..', 'up');
  console.log('{}');
}
if (verb === 'hold') {
  fs.writeFileSync('held', '');
  const timer = setInterval(() => { if (fs.existsSync('go')) { clearInterval(timer); console.log('{}'); } }, 50);
}
`;

let stack: Stack;
let place: Place;
let session: string;

beforeAll(async () => {
  stack = await start({ workers: 1 });
}, 120_000);
afterAll(() => stack.stop());
beforeEach(async () => {
  place = await placeIn(stack);
  const args = { type: 'object', properties: { name: { type: 'string' } } } as const;
  const command = (verb: string, named = true) => ({
    description: 'Works in the project.',
    cli: ['desk', verb, ...(named ? ['{{name}}'] : [])],
    args: named ? args : { type: 'object' as const },
    policy: { operation: 'write' as const, privacy: { land: 'local' as const } },
  });
  const archive = await packArchive({
    pack_id: 'desk',
    bin: BIN,
    binding: { family: 'local' },
    wrap: { workspace: { mode: 'project' } },
    commands: {
      cat: command('cat'),
      change: command('change'),
      plant: command('plant', false),
      hold: command('hold', false),
    },
  });
  const { token } = place.owner;
  await install(stack, token, archive);
  const opened = await stack.call('POST', '/v1/sessions', { token, body: { project_id: place.project_id } });
  session = String(opened.body.id);
});

async function exec(verb_key: string, args: object = {}, wait_ms = 60_000): Promise<ResultEnvelope> {
  const { body } = await stack.call<ResultEnvelope>('POST', '/v1/exec', {
    token: place.owner.token,
    headers: { 'hcp-session': session },
    body: { pack_id: 'desk', verb_key, args, wait_ms },
  });
  return body;
}

const ended = (run_id: string | null) =>
  eventually('the run has ended', async () => {
    const { body } = await stack.call('GET', `/v1/runs/${String(run_id)}`, { token: place.owner.token });
    return body.status === 'succeeded';
  });

describe('a command of the project', () => {
  it('finds what was put there, and what it makes is found over the API', async () => {
    await place.put('in/doc.txt', 'put');
    expect((await exec('cat', { name: 'in/doc.txt' })).result).toEqual({ text: 'put' });
    expect((await exec('change', { name: 'in/doc.txt' })).result).toEqual({ text: 'put+run' });
    expect((await place.get('in/doc.txt')).text).toBe('put+run');
    // The workspace is a run's user's by now: what is put there later is that user's too, folders above all.
    await place.put('in/later/doc.txt', 'put');
    expect((await exec('change', { name: 'in/later/doc.txt' })).result).toEqual({ text: 'put+run' });
    const owner = async (path: string) => (await lstat(join(place.dir, path))).uid;
    expect(await owner('in/later')).toBe(await owner('.'));
    expect(await owner('in/later/doc.txt')).toBe(await owner('.'));
    expect((await place.rm('in?recursive=1')).status).toBe(204);
  });

  it('that leaves links leads nobody out', async () => {
    expect(await exec('plant')).toMatchObject({ ok: true });
    for (const path of ['shadow', 'root', 'root/etc/shadow', 'up', 'up/etc/shadow']) {
      const answer = await place.get(path);
      expect([answer.status, json(answer).code]).toEqual([409, 'conflict']);
      expect(answer.text).not.toContain('root:');
    }
    expect((await place.put('root/tmp/x', 'x')).status).toBe(409);
  });

  it('has the workspace for itself while it runs; reading is free', async () => {
    await place.put('doc', 'before');
    const run = await exec('hold', {}, 0);
    await eventually('the command runs', async () => (await place.get('held')).status === 200);
    for (const answer of [await place.put('doc', 'meanwhile'), await place.rm('doc'), await place.put('new', 'x')]) {
      expect([answer.status, json(answer).code]).toEqual([409, 'workspace_busy']);
      expect(json(answer).retry_after_ms).toBe(1000);
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect((await place.get('doc')).text).toBe('before');
    const elsewhere = await placeIn(stack);
    expect((await elsewhere.put('doc', 'x')).status).toBe(200);
    const { token } = place.owner;
    await stack.call('POST', `/v1/runs/${String(run.run_id)}/cancel`, { token });
    await eventually('the workspace is free', async () => (await place.put('doc', 'after')).status === 200);
    expect((await place.get('doc')).text).toBe('after');
  });

  it('waits while a change over the API holds the workspace', async () => {
    const { tenant_id, project_id } = place;
    await place.put('doc', 'put');
    const lock = {
      tenant_id,
      workspace: `project/${project_id}`,
      holder: randomUUID(),
      run_id: null,
      lease_ms: 60_000,
    };
    const { db } = stack.database;
    expect(await db.tenant(tenant_id, (tx) => takeLock(tx, lock))).toBe(true);
    expect((await place.put('doc', 'x')).status).toBe(409);
    const run = await exec('change', { name: 'doc' }, 1500);
    expect(run.code).toBe('still_running');
    // A process that died: its lease runs out.
    await db.tenant(tenant_id, (tx) =>
      tx.$executeRaw(Prisma.sql`update workspace_locks set lease_until = clock_timestamp() - interval '1 second'`),
    );
    await ended(run.run_id);
    expect((await place.get('doc')).text).toBe('put+run');
    expect((await place.put('doc', 'x')).status).toBe(200);
  });
});

describe('changes at one moment', () => {
  it('come one by one or are told to wait, and none is half there', async () => {
    const contents = Array.from({ length: 12 }, (_, index) => String(index).repeat(200_000));
    const answers = await Promise.all(contents.map((content) => place.put('doc', content)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    for (const status of statuses) expect([200, 409]).toContain(status);
    expect(contents).toContain((await place.get('doc')).text);
  });
});
