import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPoorHelp, listedCommands, MAX_DRAFTED, type ProgramHelp } from '@hcp/core';

/** One call for help. */
const TIMEOUT_MS = 10_000;
/** Bytes of one help text. */
const MAX_BYTES = 512 * 1024;
/** Programs that run at once. */
const AT_ONCE = 4;

export interface Program {
  /** Absolute. */
  readonly path: string;
  readonly search_path: string;
  readonly user_home: string;
  readonly signal: AbortSignal;
}

/**
 * Asks a program of this machine for its help, and each command that it lists for its own: `BIN --help`, `BIN SUB --help`,
 * with `-h` where that says more. It runs as the person who asked, in an empty folder, without a terminal, without standard
 * input and with few variables; none of them is one of hcpx's own.
 */
export async function programHelp(program: Program): Promise<ProgramHelp> {
  const cwd = await mkdtemp(join(tmpdir(), 'hcpx-wrap-'));
  try {
    const ask = async (words: readonly string[]): Promise<string> => {
      const long = await run(program, [...words, '--help'], cwd);
      if (!isPoorHelp(long)) return long;
      const short = await run(program, [...words, '-h'], cwd);
      return isPoorHelp(short) ? long : short;
    };
    const text = await ask([]);
    const commands = new Map<string, string>();
    const waiting = listedCommands(text).slice(0, MAX_DRAFTED);
    const worker = async (): Promise<void> => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        program.signal.throwIfAborted();
        const help = await ask([name]);
        if (help.trim() !== '') commands.set(name, help);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return { text, commands };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

/** What it prints, on standard output or else on standard error; what it printed until then where it does not end. */
async function run(
  { path, search_path, user_home, signal }: Program,
  words: readonly string[],
  cwd: string,
): Promise<string> {
  signal.throwIfAborted();
  const child = spawn(path, words, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: search_path,
      HOME: user_home,
      LC_ALL: 'C.UTF-8',
      TERM: 'dumb',
      NO_COLOR: '1',
      // Wide, so that rows are not broken.
      COLUMNS: '200',
      // A pager would wait for a person.
      ...{ PAGER: 'cat', MANPAGER: 'cat', GIT_PAGER: 'cat' },
      ...{ CI: '1', DO_NOT_TRACK: '1', NPM_CONFIG_UPDATE_NOTIFIER: 'false' },
    },
  });
  const kill = (): void => {
    try {
      // With whatever it started.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  };
  const timer = setTimeout(kill, TIMEOUT_MS);
  signal.addEventListener('abort', kill);
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      texts[name] += chunk;
      if (texts[name].length > MAX_BYTES) kill();
    });
  }
  try {
    // The main program's end, not that of its pipes: a grandchild may hold them.
    await new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
      child.once('exit', () => setTimeout(resolve, 200));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    kill();
  }
  const text = texts.stdout.trim() === '' ? texts.stderr : texts.stdout;
  return text.slice(0, MAX_BYTES);
}
