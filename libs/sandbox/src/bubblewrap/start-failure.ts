import type { Supervised } from '../process/supervise.js';

/** How the tools begin that start a program, each of which becomes the next one. */
export const LAUNCHER_WORDS = ['prlimit: ', 'setpriv: ', 'bwrap: '];

/** Words for a run that did not begin, from what bubblewrap printed; without paths of the host. */
export function startFailure(bin: string, result: Pick<Supervised, 'stderr' | 'spawn_error'>): string {
  return `sandbox: cannot start "${bin}": ${reasonOf(result)}`;
}

function reasonOf({ stderr, spawn_error }: Pick<Supervised, 'stderr' | 'spawn_error'>): string {
  if (spawn_error !== null) return `spawn failed (${spawn_error})`;
  const line = stderr.trimEnd().split('\n').at(-1) ?? '';
  const exec = /^bwrap: execvp .*: ([A-Z][A-Za-z ]+)$/.exec(line)?.[1];
  if (exec === 'No such file or directory') return 'its file or its interpreter is not there';
  if (exec !== undefined) return exec.toLowerCase();
  if (line === '') return 'no reason given';
  return line.replaceAll(/(?<![\w.])\/(?!pack\b|workspace\b)[^\s:,'"]*/g, '<path>').slice(0, 300);
}
