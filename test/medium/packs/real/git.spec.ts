import { cp, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packArchive } from '../../../support/packs.js';
import { git, isSprung, makeRepository, springs, TRAPS } from './hostile-repositories.js';
import { startRealPack, type RealPack } from './workspace.js';

let pack: RealPack;

beforeAll(async () => {
  pack = await startRealPack('git');
  const at = (name: string) => join(pack.dir, name);
  await makeRepository(pack.dir);
  await writeFile(at('new file.txt'), 'new\n');
  for (const trap of [...TRAPS, { ...TRAPS[0], name: 'control' } as const]) {
    await makeRepository(at(trap.name));
    await trap.set?.(at(trap.name));
  }
  await mkdir(at('bare'));
  await git(at('bare'), 'init', '--quiet', '--bare');
  await makeRepository(at('elsewhere'));
  await rename(at('elsewhere/.git'), at('elsewhere/hidden'));
  await writeFile(at('elsewhere/.git'), 'gitdir: hidden\n');
  await cp(at('fsmonitor/.git'), at('broken/.git'), { recursive: true });
  await writeFile(at('broken/.git/HEAD'), 'ref: ../../outside\n');
}, 180_000);
afterAll(() => pack.stack.stop());

describe('git', () => {
  it('lists commits, by path and range too', async () => {
    expect(await pack.exec('log')).toMatchObject({
      ok: true,
      result: { commits: [{ subject: 'Second', author: 'Ann', email: 'ann@example.com' }, { subject: 'First' }] },
    });
    expect(await pack.exec('log', { limit: 1 })).toMatchObject({ result: { commits: [{ subject: 'Second' }] } });
    expect(await pack.exec('log', { ref: 'HEAD~1..main', path: 'file.txt' })).toMatchObject({
      result: { commits: [{ subject: 'Second' }] },
    });
    expect(await pack.exec('log', { path: '*' })).toMatchObject({ result: { commits: [] } });
  });

  it('shows a commit with its message and patch', async () => {
    const { result } = await pack.exec('show', { ref: 'main' });
    expect(result).toMatchObject({ commit: { subject: 'Second', body: 'With a body.' } });
    expect((result as { patch: string }).patch).toContain('-one\n+two\n');
  });

  it('tells the branch and what changed', async () => {
    const { result } = await pack.exec('status');
    expect(result).toMatchObject({ branch: { name: 'main' }, clean: false, changes: [] });
    expect((result as { untracked: string[] }).untracked).toContain('new file.txt');
  });

  it.each([
    ['log', { ref: '--output=/workspace/owned' }],
    ['log', { path: '--ext-diff' }],
    ['log', { ref: 'HEAD:file.txt' }],
    ['show', { ref: '-c' }],
    ['status', { repository: '/etc' }],
    ['status', { repository: '../other' }],
  ])('refuses %s %j before anything runs', async (verb_key, args) => {
    expect(await pack.exec(verb_key, args)).toMatchObject({ ok: false, code: 'invalid_args' });
  });

  it.each([
    ['log', { ref: 'no-such-branch' }, 'unknown_ref'],
    ['status', { repository: 'a/../../x' }, 'no_repository'],
    ['status', { repository: 'bare' }, 'no_repository'],
    ['status', { repository: 'broken' }, 'no_repository'],
    ['status', { repository: 'elsewhere' }, 'unsupported'],
  ])('%s %j fails with %s', async (verb_key, args, code) => {
    const answer = await pack.exec(verb_key, args);
    expect(answer).toMatchObject({ ok: false, code: 'exit_nonzero', exit_code: 1 });
    expect(JSON.parse(answer.error ?? '')).toMatchObject({ code });
  });
});

describe('a repository whose code git runs', () => {
  it.each(TRAPS)('$name runs none of it under the pack', async ({ name, sprung_by }) => {
    // Else the trap would prove nothing.
    if (sprung_by) expect(await springs(join(pack.dir, name), sprung_by)).toBe(true);
    for (const [verb_key, args] of [
      ['status', {}],
      ['log', { path: 'file.txt' }],
      ['log', {}],
      ['show', { ref: 'HEAD' }],
    ] as const) {
      const answer = await pack.exec(verb_key, { ...args, repository: name });
      // A hole in the history stays one; everything else is answered.
      if (!answer.ok) expect(answer).toMatchObject({ code: 'exit_nonzero', exit_code: 1 });
    }
    expect(await isSprung(join(pack.dir, name))).toBe(false);
  });

  it('would run in this very sandbox if git were called plainly', async () => {
    const bin = '#!/bin/sh\nexec git -C control status\n';
    const commands = { status: { description: 'Status.', policy: { privacy: { land: 'local' } } } } as const;
    await pack.add(
      await packArchive({
        pack_id: 'naive',
        bin,
        binding: { family: 'local' },
        wrap: { workspace: { mode: 'project' }, argv_template: [] },
        commands,
      }),
    );
    expect(await pack.exec('status', {}, 'naive')).toMatchObject({ ok: true });
    expect(await isSprung(join(pack.dir, 'control'))).toBe(true);
  });
});
