import { spawnSync } from 'node:child_process';
import { Failure } from './failure.mjs';

const LARGEST = 4 * 1024 * 1024;

/** Nothing of the machine's or a user's settings, no way to fetch, to ask or to write. */
const ENV = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_DISCOVERY_ACROSS_FILESYSTEM: '0',
};

/** For every command that shows a diff: only git's own, compared with the first parent. */
export const PLAIN_DIFF = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--diff-merges=first-parent',
  '--submodule=short',
];

/** Runs the installed git on a view (see view.mjs) and gives its standard output. */
export function git({ git_dir, work_tree }, args) {
  const { PATH, HOME, LANG } = process.env;
  const options = [`--git-dir=${git_dir}`, `--work-tree=${work_tree}`, '--no-pager', '--literal-pathspecs'];
  const { status, stdout, stderr, error } = spawnSync('git', [...options, ...args], {
    cwd: work_tree,
    env: { PATH, HOME, LANG, ...ENV },
    encoding: 'utf8',
    maxBuffer: LARGEST,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error?.code === 'ENOBUFS') throw new Failure('too_large', 'more than 4 MiB; name a path');
  if (error?.code === 'ENOENT') throw new Failure('git_failed', 'git is not installed here');
  if (error) throw error;
  if (status === 0) return stdout;
  const unknown = /unknown revision|bad revision|ambiguous argument|does not have any commits/.test(stderr);
  throw new Failure(
    unknown ? 'unknown_ref' : 'git_failed',
    stderr.trim().split('\n')[0]?.slice(0, 500) || `git ended with ${status}`,
  );
}
