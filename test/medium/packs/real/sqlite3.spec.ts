import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRealPack, type RealPack } from './workspace.js';

let sqlite: RealPack;
let before: Buffer;

beforeAll(async () => {
  sqlite = await startRealPack('sqlite3');
  const build = `
    CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO people (name) VALUES ('Ann'), ('O''Neil');
    CREATE VIEW trap AS SELECT writefile('/workspace/owned', 'x');
    CREATE VIEW load AS SELECT load_extension('/workspace/evil.so');`;
  await execa('sqlite3', ['-batch', join(sqlite.dir, 'data.db'), build]);
  before = await readFile(join(sqlite.dir, 'data.db'));
}, 120_000);
afterAll(() => sqlite.stack.stop());

const query = (sql: string, file = 'data.db') => sqlite.exec('query', { file, sql });

describe('sqlite3', () => {
  it('gives rows as JSON', async () => {
    expect(await query('SELECT id, name FROM people ORDER BY id')).toMatchObject({
      ok: true,
      result: [
        { id: 1, name: 'Ann' },
        { id: 2, name: "O'Neil" },
      ],
    });
    expect(await query('SELECT 1 WHERE 0')).toMatchObject({ ok: true, result: '' });
    const { result } = await sqlite.exec('schema', { file: 'data.db' });
    expect(result).toContainEqual(expect.objectContaining({ type: 'table', name: 'people' }));
  });

  it.each([
    '.shell touch /workspace/owned',
    ' .system touch /workspace/owned',
    'SELECT 1;\n.once /workspace/owned\nSELECT 2',
    '-cmd',
    '-unsafe-testing',
  ])('refuses %j before anything runs', async (sql) => {
    expect(await query(sql)).toMatchObject({ ok: false, code: 'invalid_args' });
  });

  it.each(['--help', 'file:new.db?mode=rwc', ':memory:', '/etc/passwd', '../data.db'])(
    'refuses the file %j',
    async (file) => {
      expect(await query('SELECT 1', file)).toMatchObject({ ok: false, code: 'invalid_args' });
    },
  );

  it.each([
    "ATTACH '/workspace/owned' AS other",
    "VACUUM INTO '/workspace/owned'",
    "SELECT load_extension('/workspace/evil.so')",
    "SELECT writefile('/workspace/owned', 'x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT edit('x', 'touch /workspace/owned')",
    "SELECT fts3_tokenizer('simple')",
    'SELECT * FROM trap',
    'SELECT * FROM load',
    "DELETE FROM people; SELECT 'gone'",
    'PRAGMA writable_schema = ON; DELETE FROM sqlite_master',
    'CREATE TABLE more (x)',
    "UPDATE people SET name = 'x'",
    'SELECT 1 FROM nowhere',
  ])('fails on %j and changes nothing', async (sql) => {
    expect(await query(sql)).toMatchObject({ ok: false, code: 'exit_nonzero' });
    expect(await readdir(sqlite.dir)).toEqual(['data.db']);
    expect(await readFile(join(sqlite.dir, 'data.db'))).toEqual(before);
  });

  it('makes no file where none is', async () => {
    expect(await query('SELECT 1', 'absent.db')).toMatchObject({ ok: false, code: 'exit_nonzero' });
    expect(await readdir(sqlite.dir)).toEqual(['data.db']);
  });
});
