import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRealPack, type RealPack } from './workspace.js';

let jq: RealPack;

beforeAll(async () => {
  jq = await startRealPack('jq');
  await writeFile(
    join(jq.dir, 'people.json'),
    JSON.stringify({ people: [{ name: 'Ann' }, { name: "O'Neil; $(id)" }] }),
  );
  await writeFile(join(jq.dir, 'lines.json'), '{"n":1}\n{"n":2}\n');
  await writeFile(join(jq.dir, 'evil.jq'), 'def evil: "from a module";');
}, 120_000);
afterAll(() => jq.stack.stop());

const query = (filter: string, more: object = {}) => jq.exec('query', { filter, file: 'people.json', ...more });

describe('jq', () => {
  it('filters a file of the workspace', async () => {
    expect(await query('.people | length')).toMatchObject({ ok: true, result: 2 });
    expect(await jq.exec('text', { filter: '.people[0].name', file: 'people.json' })).toMatchObject({
      result: 'Ann\n',
    });
    expect(await jq.exec('slurp', { filter: 'map(.n) | add', file: 'lines.json' })).toMatchObject({ result: 3 });
  });

  it('takes texts beside the filter, whatever they hold', async () => {
    const a = "O'Neil; $(id)";
    const found = await query('[.people[] | select(.name == $ARGS.positional[0])]', { a });
    expect(found).toMatchObject({ ok: true, result: [{ name: a }] });
    expect(await query('$ARGS.positional', { a: '") | env | ("', b: 'two' })).toMatchObject({
      result: ['") | env | ("', 'two'],
    });
  });

  it.each([
    ['--help', {}],
    ['-L/workspace', {}],
    ['-1', {}],
    ['.', { file: '-n' }],
    ['.', { file: '/etc/passwd' }],
    ['.', { file: 'a/../../b.json' }],
    ['.', { a: '--rawfile' }],
    ['.', { b: 'without a' }],
    ['include "evil"; evil', {}],
    [' \n import "evil" as e; e::evil', {}],
    ['# a comment\ninclude "evil"; evil', {}],
    ['module {}; .', {}],
  ])('refuses %j with %j before anything runs', async (filter, more) => {
    expect(await query(filter, more)).toMatchObject({ ok: false, code: 'invalid_args' });
  });

  it('loads no module from anywhere further in', async () => {
    const hidden = await query('. | include "evil" {search: "/workspace"}; evil');
    expect(hidden).toMatchObject({ ok: false, code: 'exit_nonzero' });
    expect(JSON.stringify(hidden)).not.toContain('from a module');
  });

  it("shows no variable but the sandbox's own", async () => {
    const { result } = await query('env, $ENV | keys');
    const names = String(result)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string[]);
    for (const list of names) expect(list).toEqual(['HCP_SANDBOX', 'HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR']);
  });

  it('says why a filter fails', async () => {
    expect(await query('.people |')).toMatchObject({ ok: false, code: 'exit_nonzero', exit_code: 3 });
    expect(await query('.', { file: 'absent.json' })).toMatchObject({ ok: false, code: 'exit_nonzero', exit_code: 2 });
  });
});
