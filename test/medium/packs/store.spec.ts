import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPack, PackStore, type InstalledPack } from '@hcp/packs';
import { createTestDatabase, type TestDatabase } from '@hcp/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeWorld, type World } from './support/caller.js';
import { toolArchive } from './support/drafts.js';

let test: TestDatabase;
let world: World;
let cache_dir: string;
let pack: InstalledPack;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.close());
beforeEach(async () => {
  world = await makeWorld(test.db);
  cache_dir = await mkdtemp(join(tmpdir(), 'packs-'));
  const done = await installPack(test.db, world.owner, await toolArchive(), new Date());
  if (!done.ok) throw new Error(done.detail);
  pack = done;
});
afterEach(() => rm(cache_dir, { recursive: true, force: true }));

const store = () => new PackStore({ cache_dir, db: test.db });
const dir = (from = store()) => from.dir(world.tenant_id, pack.version_id, pack.digest);
const mode = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);

it('unpacks a version read-only, its programs executable', async () => {
  const root = await dir();
  expect(root).toBe(join(cache_dir, pack.digest.slice('sha256:'.length)));
  expect((await readdir(root)).sort()).toEqual(['SKILL.md', 'bin', 'manifest.json', 'policy.json', 'surface.json']);
  expect(await mode(root)).toBe('555');
  expect(await mode(join(root, 'bin'))).toBe('555');
  expect(await mode(join(root, 'bin/tool'))).toBe('555');
  expect(await mode(join(root, 'manifest.json'))).toBe('444');
});

it('is safe when several processes and calls ask at once', async () => {
  const stores = Array.from({ length: 8 }, store);
  const roots = await Promise.all(stores.flatMap((each) => [dir(each), dir(each)]));
  expect(new Set(roots).size).toBe(1);
  // Nothing half done is left beside it.
  expect(await readdir(cache_dir)).toHaveLength(1);
});

it('mends a directory that is not what the digest says', async () => {
  const root = await dir();
  const file = join(root, 'bin/tool');
  const good = await readFile(file);
  await chmod(file, 0o755);
  await writeFile(file, 'something else');
  expect(await dir()).toBe(root);
  expect(await readFile(file)).toEqual(good);
  await chmod(root, 0o755);
  await writeFile(join(root, 'extra'), 'x');
  await dir();
  expect(await readdir(root)).not.toContain('extra');
  expect(await readdir(cache_dir)).toHaveLength(1);
});

it('refuses what is not installed in that tenant, and tries again the next time', async () => {
  const elsewhere = await makeWorld(test.db);
  const one = store();
  await expect(one.dir(elsewhere.tenant_id, pack.version_id, pack.digest)).rejects.toThrow('not installed');
  expect(await readdir(cache_dir)).toEqual([]);
  await expect(dir(one)).resolves.toContain(cache_dir);
});

it('refuses a digest that is none, or another than the archive has', async () => {
  const { tenant_id } = world;
  await expect(store().dir(tenant_id, pack.version_id, '../../etc')).rejects.toThrow('sha256:');
  const other = `sha256:${'0'.repeat(64)}`;
  await expect(store().dir(tenant_id, pack.version_id, other)).rejects.toThrow('does not match its digest');
  expect(await readdir(cache_dir)).toEqual([]);
});
