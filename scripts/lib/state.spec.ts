import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { State } from './state.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hcp-state-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const mode = (path: string) => statSync(path).mode & 0o777;

it('keeps everything from other users', () => {
  const state = new State(join(folder, 'state'));
  state.rootKey();
  state.write('dev.json', {});
  expect(mode(state.dir)).toBe(0o700);
  expect(mode(state.path('root.key'))).toBe(0o600);
  expect(mode(state.path('dev.json'))).toBe(0o600);
});

it('makes its secrets once, each of its own', () => {
  const state = new State(folder);
  const key = state.rootKey();
  const secrets = state.databaseSecrets();
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(Object.values(secrets)).size).toBe(4);
  expect(new State(folder).rootKey()).toBe(key);
  expect(new State(folder).databaseSecrets()).toEqual(secrets);
  expect(new State(join(folder, 'other')).rootKey()).not.toBe(key);
});

it('takes the lock of a start that is gone, and of none that runs', () => {
  const state = new State(folder);
  writeFileSync(state.path('start.pid'), '999999999');
  const unlock = state.lock();
  unlock();
  // Some process that runs, but is no start: its number was given away again.
  writeFileSync(state.path('start.pid'), String(process.ppid));
  expect(() => state.lock()).not.toThrow();
});

it('changes the rights of no folder that it did not make, and refuses what is not ours', () => {
  const given = join(folder, 'given');
  mkdirSync(given);
  chmodSync(given, 0o755);
  expect(new State(given).id).toBe(new State(given).id);
  expect(mode(given)).toBe(0o755);

  const open = join(folder, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  expect(() => new State(open)).toThrow(/HCP_STATE_DIR: .*open can be written by other users/);
  expect(mode(open)).toBe(0o777);

  const used = join(folder, 'used');
  mkdirSync(used);
  writeFileSync(join(used, 'mine.txt'), '');
  expect(() => new State(used)).toThrow(/used is not empty, and no start made it/);
  expect(() => new State(join(used, 'mine.txt'))).toThrow(/mine.txt is a file/);
  expect(() => new State(join(used, 'mine.txt', 'below'))).toThrow(/cannot be used \(ENOTDIR\)/);
});

it('names the file that is damaged', () => {
  const state = new State(join(folder, 'state'));
  writeFileSync(state.path('dev.json'), '{"url": ');
  expect(() => void state.read('dev.json')).toThrow(/dev\.json is damaged/);
  writeFileSync(state.path('root.key'), 'short');
  expect(() => state.rootKey()).toThrow(/root\.key is damaged/);
  writeFileSync(state.path('database.json'), '{}');
  expect(() => state.databaseSecrets()).toThrow(/database\.json is damaged/);
});

it('gives a state folder made anew a runtime folder of its own, and knows the one that is left', () => {
  const dir = join(folder, 'state');
  const root = join(folder, 'runtime');
  const before = new State(dir, root);
  const left = before.makeRuntimeDir();
  expect(before.orphans()).toEqual([]);
  rmSync(dir, { recursive: true });
  const after = new State(dir, root);
  expect(after.id).not.toBe(before.id);
  // Root's lies elsewhere; everybody else's went with the state folder.
  expect(after.orphans()).toEqual(existsSync(left) ? [left] : []);
});

it('makes no keys for data that was made with others', () => {
  const state = new State(join(folder, 'state'), join(folder, 'runtime'));
  const data = join(state.makeRuntimeDir(), 'postgres', 'data');
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, 'PG_VERSION'), '18');
  expect(() => state.databaseSecrets()).toThrow(`rm -rf ${state.dir}`);
  expect(() => state.rootKey()).toThrow(/root\.key is gone/);
});
