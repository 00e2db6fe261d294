import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
