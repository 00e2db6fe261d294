import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Caller } from '@hcp/core';
import { createTestDatabase, type TestDatabase } from '@hcp/testing';
import { ProjectFiles, Workspaces } from '@hcp/workspaces';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeCaller, makeWorld, type World } from '../packs/support/caller.js';

let test: TestDatabase;
let root: string;
let world: World;
let member: Caller;
let files: ProjectFiles;
const now = new Date();

beforeAll(async () => {
  test = await createTestDatabase();
  root = await mkdtemp(join(tmpdir(), 'workspaces-'));
});
afterAll(async () => {
  await test.close();
  await rm(root, { recursive: true, force: true });
});
beforeEach(async () => {
  world = await makeWorld(test.db);
  member = await makeCaller(test.db, world.tenant_id, { member_of: [world.project_id] });
  const limits = { file_bytes: 100, total_bytes: 250, entries: 5 };
  files = new ProjectFiles({ db: test.db, workspaces: new Workspaces(root), limits });
});

const put = (path: string, bytes: number) =>
  files.write(member, world.project_id, path, Readable.from([Buffer.alloc(bytes)]), now);
const dir = () => new Workspaces(root).project(world.tenant_id, world.project_id).dir;

describe("a project's workspace", () => {
  it('takes files up to their limit and the limit of all', async () => {
    expect(await put('a', 101)).toMatchObject({ ok: false, code: 'too_large' });
    for (const name of ['a', 'b']) expect(await put(name, 100)).toMatchObject({ ok: true });
    expect(await put('c', 51)).toMatchObject({ ok: false, code: 'quota_exceeded' });
    expect(await put('c', 50)).toMatchObject({ ok: true });
    // What is replaced makes room.
    expect(await put('a', 99)).toMatchObject({ ok: true, created: false });
    expect(await put('d', 2)).toMatchObject({ ok: false, code: 'quota_exceeded' });
    expect(await put('d', 1)).toMatchObject({ ok: true });
  });

  it('takes so many files and folders', async () => {
    expect(await put('1/2/3/file', 1)).toMatchObject({ ok: true });
    expect(await put('4/file', 1)).toMatchObject({ ok: false, code: 'quota_exceeded' });
    expect(await put('4', 1)).toMatchObject({ ok: true });
    expect(await put('5', 1)).toMatchObject({ ok: false, code: 'quota_exceeded' });
    expect(await put('4', 2)).toMatchObject({ ok: true });
  });

  it('counts what a program left there, by its size and not by what it takes', async () => {
    await put('a', 1);
    await writeFile(join(dir(), 'sparse'), '');
    await truncate(join(dir(), 'sparse'), 300);
    expect(await put('b', 1)).toMatchObject({ ok: false, code: 'quota_exceeded' });
    const removed = await files.remove(member, world.project_id, 'sparse', { recursive: false }, now);
    expect(removed).toEqual({ ok: true });
    expect(await put('b', 1)).toMatchObject({ ok: true });
  });

  it('is no other tenant’s, whatever ids a caller names', async () => {
    await put('a', 1);
    const elsewhere = await makeWorld(test.db);
    const other = await makeCaller(test.db, elsewhere.tenant_id, { member_of: [elsewhere.project_id] });
    expect(await files.read(other, world.project_id, 'a', now)).toMatchObject({ ok: false, code: 'not_found' });
    const claims = { ...other, authority: { ...other.authority, member_of: [world.project_id] } };
    expect(await files.read(claims, world.project_id, 'a', now)).toMatchObject({ ok: false, code: 'not_found' });
  });
});

describe('the audit', () => {
  it('comes first: without it nothing is put or read', async () => {
    await put('a', 1);
    const broken = { ...member, session: { ...member.session, id: 'no uuid' } };
    await expect(files.write(broken, world.project_id, 'a', Readable.from([Buffer.alloc(9)]), now)).rejects.toThrow();
    await expect(files.read(broken, world.project_id, 'a', now)).rejects.toThrow();
    const found = await files.read(member, world.project_id, 'a', now);
    expect(found).toMatchObject({ ok: true, kind: 'file', size: 1 });
    if (found.ok && found.kind === 'file') await found.handle.close();
    // The lock is free again.
    expect(await put('a', 2)).toMatchObject({ ok: true });
  });
});
