import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashFiles, insideWorkspace, onThisMachine } from './named-files.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hcp-named-'));
  await mkdir(join(dir, 'sub'));
  await writeFile(join(dir, 'bill.json'), 'one');
  await symlink('/workspace/bill.json', join(dir, 'absolute'));
  await symlink('../bill.json', join(dir, 'sub/relative'));
  await symlink('/proc/self/cwd', join(dir, 'round'));
  await symlink('/etc/hostname', join(dir, 'away'));
  await symlink('loop', join(dir, 'loop'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const inside = async (text: string) => Object.keys(await hashFiles([text], insideWorkspace(dir))).length > 0;

describe('a file of the workspace', () => {
  it.each([
    'bill.json',
    './/bill.json',
    'sub/../bill.json',
    '../workspace/bill.json',
    '/workspace/bill.json',
    '//workspace/./bill.json',
    '/workspace/../workspace/bill.json',
    '/tmp/../workspace/bill.json',
    '/proc/self/cwd/bill.json',
    '/proc/../proc//self/./cwd/bill.json',
    '/proc/thread-self/root/workspace/bill.json',
    '/proc/1/task/1/cwd/bill.json',
    'absolute',
    'sub/relative',
    'round/bill.json',
    '/workspace/round/round/absolute',
    // Many programs take the dots away before they look.
    'nothing/../bill.json',
    '/workspace/bill.json/../bill.json',
  ])('is found by %s', async (text) => {
    expect(await inside(text)).toBe(true);
    const before = await hashFiles([text], insideWorkspace(dir));
    await writeFile(join(dir, 'bill.json'), 'two');
    expect(await hashFiles([text], insideWorkspace(dir))).not.toEqual(before);
    await writeFile(join(dir, 'bill.json'), 'one');
    expect(await hashFiles([text], insideWorkspace(dir))).toEqual(before);
  });

  it.each(['none', 'sub', '/bill.json', '..', '/', 'away', '/etc/hostname', 'loop', `${'../'.repeat(20)}etc/hostname`])(
    'is not %s',
    async (text) => expect(await inside(text)).toBe(false),
  );
});

it('on this machine any file is one, by a path from the working directory where there is one', async () => {
  const names = async (text: string, cwd: string | null) =>
    Object.keys(await hashFiles([text], onThisMachine(cwd))).length > 0;
  expect(await names('bill.json', dir)).toBe(true);
  expect(await names('sub/relative', dir)).toBe(true);
  expect(await names(join(dir, 'bill.json'), null)).toBe(true);
  expect(await names('bill.json', null)).toBe(false);
  expect(await names('sub', dir)).toBe(false);
});
