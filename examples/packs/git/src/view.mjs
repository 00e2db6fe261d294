import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { Failure } from './failure.mjs';

/**
 * What git may see of a repository: its data. `config`, `config.worktree`, `hooks`, `info/attributes` and `modules` are
 * what can name programs (filters, text converters, file monitors, pagers, remote helpers, signature checkers, …), and git
 * has no switch to leave them unread. So it is given a folder of our own that links to the data and has a config of ours.
 */
const DATA = /^(objects|refs|packed-refs|index|sharedindex\.[0-9a-f]+|shallow)$/;

/** Opens the repository in `folder`, gives `{ git_dir, work_tree }` to `use`, and removes the view again. */
export function withView(folder, use) {
  const work_tree = inside(folder);
  const source = join(work_tree, '.git');
  const info = lstatSync(source, { throwIfNoEntry: false });
  if (!info) throw new Failure('no_repository', 'there is no .git folder');
  if (!info.isDirectory())
    throw new Failure('unsupported', '.git is not a folder: worktrees and submodules are not read');
  const git_dir = mkdtempSync(join(tmpdir(), 'git-view-'));
  try {
    fill(git_dir, source);
    return use({ git_dir, work_tree });
  } finally {
    rmSync(git_dir, { recursive: true, force: true });
  }
}

function inside(folder) {
  const root = process.cwd();
  const path = resolve(root, folder);
  if (path !== root && !path.startsWith(root + sep))
    throw new Failure('no_repository', 'the folder leads out of the workspace');
  return path;
}

function fill(git_dir, source) {
  for (const name of readdirSync(source)) {
    if (DATA.test(name)) symlinkSync(join(source, name), join(git_dir, name));
  }
  for (const name of ['objects', 'refs']) {
    if (!existsSync(join(git_dir, name))) throw new Failure('no_repository', `.git has no ${name}`);
  }
  const exclude = join(source, 'info', 'exclude');
  mkdirSync(join(git_dir, 'info'));
  if (existsSync(exclude)) symlinkSync(exclude, join(git_dir, 'info', 'exclude'));
  writeFileSync(join(git_dir, 'HEAD'), head(join(source, 'HEAD')));
  writeFileSync(join(git_dir, 'config'), config(textOf(join(source, 'config'))));
}

function head(path) {
  const text = textOf(path).trimEnd();
  if (!/^(ref: refs\/[^\s\\]+|[0-9a-f]{40}|[0-9a-f]{64})$/.test(text))
    throw new Failure('no_repository', '.git/HEAD cannot be read');
  return `${text}\n`;
}

/** Of the repository's own config one fact counts: how long its object names are. */
function config(theirs) {
  if (/^\s*refstorage\s*=\s*"?reftable/im.test(theirs))
    throw new Failure('unsupported', 'reftable storage is not read');
  const sha256 = /^\s*objectformat\s*=\s*"?sha256"?\s*$/im.test(theirs);
  return [
    '[core]',
    `repositoryformatversion = ${sha256 ? 1 : 0}`,
    'bare = false',
    'fsmonitor = false',
    'hooksPath = /dev/null',
    'attributesFile = /dev/null',
    ...(sha256 ? ['[extensions]', 'objectFormat = sha256'] : []),
    '',
  ].join('\n');
}

/** Regular files alone: a pipe would wait for a writer for ever. */
function textOf(path) {
  const info = lstatSync(path, { throwIfNoEntry: false });
  return info?.isFile() && info.size < 1024 * 1024 ? readFileSync(path, 'utf8') : '';
}
