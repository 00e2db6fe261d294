import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ExampleCli } from './cli.js';

let notes: ExampleCli;
beforeEach(async () => {
  notes = await ExampleCli.start('notes');
  await notes.run('add', '--title=Milk', '--text=two bottles', '--tag=shop');
  await notes.run('add', '--title=-Rent', '--text=due on the 1st');
});
afterEach(() => notes.end());

const ids = async (...argv: string[]) =>
  ((await notes.run(...argv)).out['notes'] as { id: string }[]).map(({ id }) => id);

it('lists, filters, searches and shows', async () => {
  expect(await ids('list')).toEqual(['n-2', 'n-1']);
  expect(await ids('list', '--tag=shop')).toEqual(['n-1']);
  expect(await ids('search', '--query=DUE')).toEqual(['n-2']);
  expect(await ids('search', '--query=milk')).toEqual(['n-1']);
  expect((await notes.run('show', 'n-2')).out).toMatchObject({
    note: { title: '-Rent', text: 'due on the 1st', tag: null },
  });
});

it('deletes for good, once it is confirmed, and uses no id twice', async () => {
  expect(await notes.run('delete', 'n-2')).toMatchObject({ exit: 1, out: { code: 'confirm_required' } });
  expect((await notes.run('delete', 'n-2', '--confirm')).out).toMatchObject({ deleted: { id: 'n-2' } });
  expect(await notes.run('show', 'n-2')).toMatchObject({ exit: 1, out: { code: 'unknown_note' } });
  expect((await notes.run('add', '--title=New')).out).toMatchObject({ note: { id: 'n-3' } });
});

it('exports', async () => {
  expect((await notes.run('export')).out).toMatchObject({ format: 'json', notes: [{ id: 'n-1' }, { id: 'n-2' }] });
  expect((await notes.run('export', '--format=markdown')).out).toMatchObject({
    markdown: '# Milk\n\ntwo bottles\n\n# -Rent\n\ndue on the 1st\n',
  });
  expect(await notes.run('export', '--format=pdf')).toMatchObject({ exit: 2 });
});

it('touches no state that is damaged', async () => {
  await writeFile(join(notes.workspace, 'notes.json'), '{"next":1,"notes":[{"id":1}]}');
  expect(await notes.run('add', '--title=x')).toMatchObject({ exit: 1, out: { code: 'corrupt_state' } });
});
