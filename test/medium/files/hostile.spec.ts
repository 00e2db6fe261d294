import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { folderSchema } from '@hcp/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RawAnswer } from '../../support/raw-http.js';
import type { Stack } from '../../support/stack.js';
import { json, placeIn, start, type Place } from './harness.js';

/** A workspace as a hostile command may leave it, and paths as a hostile caller may send them. */
let stack: Stack;
let place: Place;
/** A folder of the host that nobody may reach, with a file in it. */
let outside: string;

beforeAll(async () => {
  stack = await start();
});
afterAll(() => stack.stop());
beforeEach(async () => {
  place = await placeIn(stack);
  await place.put('seed', 'x');
  outside = await mkdtemp(join(stack.data_dir, 'outside-'));
  await writeFile(join(outside, 'secret'), 'root:canary');
});

const inside = (path: string) => join(place.dir, path);
const code = (answer: RawAnswer) => [answer.status, json(answer).code];
const CONFLICT = [409, 'conflict'];

async function untouched(): Promise<void> {
  expect(await readdir(outside)).toEqual(['secret']);
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('root:canary');
}

describe('a path that is none', () => {
  const BAD: Record<string, string> = {
    'the folder above': '..',
    'a path upwards': '../../../../../../etc/shadow',
    'a path upwards later on': 'a/../../../../../../etc/shadow',
    'an encoded folder above': '%2e%2e',
    'an encoded path upwards': '%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fshadow',
    'half encoded': '.%2e/.%2e/etc/shadow',
    'an absolute path': '/etc/shadow',
    'an encoded absolute path': '%2fetc%2fshadow',
    'a doubled slash': 'a//b',
    'a slash at the end': 'seed/',
    'the folder itself': '.',
    'the folder itself within': 'a/./b',
    'a backslash': 'a\\b',
    'an encoded path with backslashes': '..%5c..%5cetc%5cshadow',
    'a NUL': 'seed%00',
    'a NUL in front': '%00/etc/shadow',
    'a line break': 'a%0d%0aSet-Cookie:%20a=b',
    'an escape sequence': 'a%1b%5b2J',
    'bytes that are no UTF-8': '%ff%fe',
    'an overlong slash': '..%c0%af..%c0%afetc',
    'half a surrogate': '%ed%a0%80',
    'a broken escape': '%',
    'half an escape': '%e',
    'a part that is too long': 'a'.repeat(256),
    'a path that is too long': Array.from({ length: 20 }, () => 'a'.repeat(60)).join('/'),
    'a path that is too deep': Array.from({ length: 33 }, () => 'a').join('/'),
  };

  it.each(Object.entries(BAD))('finds, makes and removes nothing: %s', async (_, path) => {
    const before = await readdir(place.dir, { recursive: true });
    const beside = await readdir(join(place.dir, '..'));
    for (const answer of [await place.get(path), await place.put(path, 'y'), await place.rm(`${path}?recursive=1`)]) {
      expect([400, 404], answer.text).toContain(answer.status);
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(answer.text).not.toMatch(/root:|shadow/);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect(await readdir(place.dir, { recursive: true })).toEqual(before);
    expect(await readdir(join(place.dir, '..'))).toEqual(beside);
  });

  it('is decoded once: what is escaped twice is a name like others', async () => {
    expect((await place.put('%252e%252e%252fup', 'x')).status).toBe(200);
    expect((await readdir(place.dir)).sort()).toEqual(['%2e%2e%2fup', 'seed']);
  });
});

describe('a link', () => {
  it('to a file is shown, never read, replaced as itself, removed as itself', async () => {
    await symlink(join(outside, 'secret'), inside('link'));
    await symlink('/etc/shadow', inside('shadow'));
    expect(code(await place.get('link'))).toEqual(CONFLICT);
    expect(code(await place.get('shadow'))).toEqual(CONFLICT);
    const { items } = folderSchema.parse(json(await place.get('')));
    expect(items.filter(({ kind }) => kind === 'link')).toMatchObject([
      { name: 'link', size: null },
      { name: 'shadow', size: null },
    ]);
    expect((await place.put('link', 'mine')).status).toBe(200);
    expect((await lstat(inside('link'))).isFile()).toBe(true);
    expect((await place.rm('shadow')).status).toBe(204);
    expect(await readdir(place.dir)).toEqual(['link', 'seed']);
    await untouched();
  });

  it('to a folder leads nowhere', async () => {
    await symlink(outside, inside('way'));
    await mkdir(inside('deep'));
    await symlink('../../../../..', inside('deep/up'));
    for (const path of ['way/secret', 'way/new', 'deep/up/way', 'way/new/deeper']) {
      for (const answer of [await place.get(path), await place.put(path, 'y'), await place.rm(path)]) {
        expect([409, 404], path).toContain(answer.status);
      }
    }
    expect(code(await place.get('way'))).toEqual(CONFLICT);
    await untouched();
  });

  it('in a folder is removed with it, and what it names stays', async () => {
    await mkdir(inside('tree/in'), { recursive: true });
    await symlink(outside, inside('tree/in/way'));
    await symlink('/', inside('tree/root'));
    expect((await place.rm('tree?recursive=1')).status).toBe(204);
    expect(await readdir(place.dir)).toEqual(['seed']);
    await untouched();
  });

  it('in place of the whole workspace leads nowhere', async () => {
    await rename(place.dir, `${place.dir}-gone`);
    await symlink(outside, place.dir);
    for (const answer of [await place.get('secret'), await place.put('x', 'y'), await place.rm('secret')]) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text).not.toContain('canary');
    }
    await rm(place.dir);
    await untouched();
  });

  it('that changes places with a folder all the time never lets a look or a change out', async () => {
    // Another process, since this one waits for answers. It works on names alone and writes through none of them.
    const script = `const fs = require('fs'); process.chdir(${JSON.stringify(place.dir)}); console.log('on');
      const change = (...steps) => steps.forEach((step) => { try { step() } catch {} });
      const gone = () => fs.rmSync('now', { recursive: true, force: true });
      for (;;) change(gone, () => fs.symlinkSync(${JSON.stringify(outside)}, 'now'), gone, () => fs.mkdirSync('now'),
        () => fs.symlinkSync(${JSON.stringify(join(outside, 'secret'))}, 't'), () => fs.renameSync('t', 'leaf'),
        () => fs.writeFileSync('t', 'inner', { flag: 'wx' }), () => fs.renameSync('t', 'leaf'));`;
    const racer = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(racer, 'exit');
    await once(racer.stdout, 'data');
    const seen = new Set<string>();
    for (let round = 0; round < 100; round += 1) {
      const answers = await Promise.all([
        ...[place.get('now/secret'), place.get('leaf'), place.get('leaf')],
        ...[place.put(`now/n${String(round)}`, 'y'), place.rm('now/secret')],
      ]);
      for (const { status, text } of answers.slice(0, 3)) seen.add(status === 200 ? text : String(status));
    }
    racer.kill('SIGKILL');
    await exited;
    for (const what of seen) expect(['inner', '404', '409']).toContain(what);
    expect([...seen]).toEqual(expect.arrayContaining(['inner', '409']));
    await untouched();
  });
});

describe('what is no file', () => {
  it('is not opened: a pipe nobody writes to, a socket, a device', async () => {
    spawn('mkfifo', [inside('pipe')]);
    await expect.poll(() => readdir(place.dir)).toContain('pipe');
    // The address of a socket is short, so it is made elsewhere.
    const server = createServer().listen(join(outside, 's'));
    await once(server, 'listening');
    await rename(join(outside, 's'), inside('socket'));
    for (const name of ['pipe', 'socket']) {
      expect(code(await place.get(name))).toEqual(CONFLICT);
      expect(code(await place.get(`${name}/x`))).toEqual(CONFLICT);
    }
    const { items } = folderSchema.parse(json(await place.get('')));
    expect(items.filter(({ kind }) => kind === 'other').map(({ name }) => name)).toEqual(['pipe', 'socket']);
    expect((await place.put('pipe', 'now a file')).status).toBe(200);
    expect((await place.get('pipe')).text).toBe('now a file');
    expect((await place.rm('socket')).status).toBe(204);
    server.close();
  });

  it('has names that only a listing shows', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${place.dir}/`), Buffer.from([0xff, 0x41])]), 'x');
    await writeFile(inside('a\u001b[2Jb'), 'x');
    await writeFile(inside('a\\b'), 'x');
    const { items } = folderSchema.parse(json(await place.get('')));
    expect(items.map(({ name, addressable }) => [name, addressable])).toEqual([
      ['a\u001b[2Jb', false],
      ['a\\b', false],
      ['seed', true],
      ['\ufffdA', false],
    ]);
  });

  it('and modes that keep others out are no obstacle to removing it', async () => {
    await mkdir(inside('shut/inner'), { recursive: true });
    await writeFile(inside('shut/inner/file'), 'x', { mode: 0o000 });
    await chmod(inside('shut/inner'), 0o000);
    await chmod(inside('shut'), 0o500);
    expect((await place.rm('shut?recursive=1')).status).toBe(204);
    expect(await readdir(place.dir)).toEqual(['seed']);
  });

  it('and a nesting deeper than any path is removed too, while nothing more is put there', async () => {
    const child = spawn('sh', [
      '-c',
      'cd "$1"; for i in $(seq 600); do mkdir dddddddddd && cd dddddddddd; done',
      '-',
      place.dir,
    ]);
    await once(child, 'exit');
    expect(code(await place.put('more', 'x'))).toEqual([409, 'quota_exceeded']);
    expect((await place.rm('dddddddddd?recursive=1')).status).toBe(204);
    expect(await readdir(place.dir)).toEqual(['seed']);
    expect((await place.put('more', 'x')).status).toBe(200);
  });

  it('hard links stay what they are: a new file takes the name alone', async () => {
    await writeFile(inside('one'), 'one');
    await link(inside('one'), inside('two'));
    expect((await place.put('two', 'changed')).status).toBe(200);
    expect((await place.get('one')).text).toBe('one');
  });

  it('links within are not followed either', async () => {
    await symlink('seed', inside('alias'));
    expect(code(await place.get('alias'))).toEqual(CONFLICT);
    expect(await readlink(inside('alias'))).toBe('seed');
  });
});
