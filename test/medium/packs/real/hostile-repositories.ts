import { appendFile, cp, mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** What a trap does: leaves a file where the command that sprang it ran. */
const SPRING = 'touch owned;';

export const git = async (cwd: string, ...args: string[]): Promise<string> => {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@example.com',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.com',
  };
  const { stdout } = await execa('git', args, { cwd, env, extendEnv: false, reject: false, stdin: 'ignore' });
  return stdout;
};

/** Two commits; the second changes file.txt. */
export async function makeRepository(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await git(dir, 'init', '--quiet', '--initial-branch=main');
  await writeFile(join(dir, 'file.txt'), 'one\n');
  await git(dir, 'add', '.');
  await git(dir, 'commit', '--quiet', '--message', 'First');
  await writeFile(join(dir, 'file.txt'), 'two\n');
  await git(dir, 'commit', '--quiet', '--all', '--message', 'Second\n\nWith a body.');
}

interface Trap {
  readonly name: string;
  readonly set: (dir: string) => Promise<unknown>;
  /** A command of plain git that springs it; none where git only does so on a terminal or by writing. */
  readonly sprung_by?: readonly string[];
}

const config = (text: string) => (dir: string) => appendFile(join(dir, '.git/config'), `\n${text}\n`);
const attributes = (text: string) => async (dir: string) => {
  await writeFile(join(dir, '.gitattributes'), `${text}\n`);
};
const both =
  (...steps: ((dir: string) => Promise<unknown>)[]) =>
  async (dir: string) => {
    for (const step of steps) await step(dir);
  };
/** The file looks changed, so that git reads it again. */
const touched = (dir: string) => utimes(join(dir, 'file.txt'), new Date(0), new Date(0));

const SIGNED = `tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904
author Ann <ann@example.com> 1700000000 +0000
committer Ann <ann@example.com> 1700000000 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 
 AAAA
 -----END PGP SIGNATURE-----

Signed
`;

async function signed(dir: string): Promise<void> {
  await git(dir, 'mktree');
  await writeFile(join(dir, 'commit'), SIGNED);
  const id = await git(dir, 'hash-object', '-t', 'commit', '-w', 'commit');
  await git(dir, 'reset', '--quiet', '--hard', id.trim());
}

/** A history with a hole, which git would fill from the remote. */
async function hole(dir: string): Promise<void> {
  const id = await git(dir, 'rev-parse', 'HEAD:file.txt');
  await rm(join(dir, '.git/objects', id.slice(0, 2), id.slice(2)));
}
const promisor = (remote: string) =>
  both(
    hole,
    config(
      `[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n[remote "origin"]\npromisor = true\n${remote}`,
    ),
  );

async function nested(dir: string): Promise<void> {
  await makeRepository(join(dir, 'sub'));
  await git(dir, 'add', 'sub');
  await config(`[core]\nfsmonitor = "touch ../owned; false"`)(join(dir, 'sub'));
}

async function conflictMerge(dir: string): Promise<void> {
  await git(dir, 'checkout', '--quiet', '-b', 'other', 'HEAD~1');
  await writeFile(join(dir, 'file.txt'), 'three\n');
  await writeFile(join(dir, '.gitattributes'), '* merge=evil\n');
  await git(dir, 'add', '.');
  await git(dir, 'commit', '--quiet', '--message', 'Other');
  await git(dir, 'merge', '--quiet', '--strategy=ours', '--message', 'Merge', 'main');
}

export const TRAPS: readonly Trap[] = [
  { name: 'fsmonitor', set: config(`[core]\nfsmonitor = "${SPRING} false"`), sprung_by: ['status'] },
  { name: 'pager', set: config(`[core]\npager = "${SPRING} cat"\n[pager]\nlog = "${SPRING} cat"\nshow = true`) },
  {
    name: 'diff-external',
    set: config(`[diff]\nexternal = "${SPRING} true"`),
    sprung_by: ['diff', 'HEAD~1'],
  },
  {
    name: 'diff-driver',
    set: both(attributes('* diff=evil'), config(`[diff "evil"]\ncommand = "${SPRING} true"`)),
    sprung_by: ['diff', 'HEAD~1'],
  },
  {
    name: 'textconv',
    set: both(attributes('* diff=evil'), config(`[diff "evil"]\ntextconv = "${SPRING} cat"`)),
    sprung_by: ['show'],
  },
  {
    name: 'filters',
    set: both(
      attributes('* filter=evil'),
      config(`[filter "evil"]\nclean = "${SPRING} cat"\nsmudge = "${SPRING} cat"`),
      touched,
    ),
    sprung_by: ['status'],
  },
  {
    name: 'filter-process',
    set: both(attributes('* filter=evil'), config(`[filter "evil"]\nprocess = "${SPRING} false"`), touched),
    sprung_by: ['status'],
  },
  {
    name: 'info-attributes',
    set: both(
      (dir) => writeFile(join(dir, '.git/info/attributes'), '* filter=evil\n'),
      config(`[filter "evil"]\nclean = "${SPRING} cat"`),
      touched,
    ),
    sprung_by: ['status'],
  },
  {
    name: 'hooks',
    set: both(
      async (dir) => {
        await mkdir(join(dir, 'hooks'));
        await writeFile(join(dir, 'hooks/post-index-change'), `#!/bin/sh\n${SPRING}\n`, { mode: 0o755 });
      },
      config('[core]\nhooksPath = hooks'),
      touched,
    ),
    sprung_by: ['status'],
  },
  {
    name: 'alias',
    set: config(`[alias]\nlog = "!${SPRING}"\nshow = "!${SPRING}"\nstatus = "!${SPRING}"\nll = "!${SPRING}"`),
    sprung_by: ['ll'],
  },
  {
    name: 'include',
    set: both(
      (dir) => writeFile(join(dir, 'more.config'), `[core]\nfsmonitor = "${SPRING} false"\n`),
      config('[include]\npath = ../more.config'),
    ),
    sprung_by: ['status'],
  },
  {
    name: 'worktree-config',
    set: both(
      (dir) => writeFile(join(dir, '.git/config.worktree'), `[core]\nfsmonitor = "${SPRING} false"\n`),
      config('[core]\nrepositoryformatversion = 1\n[extensions]\nworktreeConfig = true'),
    ),
    sprung_by: ['status'],
  },
  {
    name: 'signature-program',
    set: both(signed, config(`[log]\nshowSignature = true\n[gpg]\nprogram = "./evil"`), (dir) =>
      writeFile(join(dir, 'evil'), `#!/bin/sh\n${SPRING}\n`, { mode: 0o755 }),
    ),
    sprung_by: ['log'],
  },
  {
    name: 'lazy-fetch',
    set: promisor(`url = /nowhere\nuploadpack = "${SPRING} false"`),
    sprung_by: ['show'],
  },
  {
    name: 'ssh-command',
    set: both(promisor('url = ssh://nowhere.example/x'), config(`[core]\nsshCommand = "${SPRING} false"`)),
    sprung_by: ['show'],
  },
  { name: 'submodule', set: nested, sprung_by: ['status'] },
  {
    name: 'merge-driver',
    set: both(conflictMerge, config(`[log]\ndiffMerges = remerge\n[merge "evil"]\ndriver = "${SPRING} false"`)),
    sprung_by: ['log', '-1', '-p', '-m'],
  },
];

export const isSprung = (dir: string): Promise<boolean> =>
  stat(join(dir, 'owned')).then(
    () => true,
    () => false,
  );

/** Whether plain git, given the trap's own command, runs the repository's code: else the trap proves nothing. */
export async function springs(dir: string, command: readonly string[]): Promise<boolean> {
  const copy = join(await mkdtemp(join(tmpdir(), 'trap-')), 'repository');
  await cp(dir, copy, { recursive: true, preserveTimestamps: true });
  await git(copy, ...command);
  const sprung = await isSprung(copy);
  await rm(join(copy, '..'), { recursive: true, force: true });
  return sprung;
}
