import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Capture } from '../output/capture.js';
import { Secrets } from '../output/redact/redactor.js';
import type { Limits, RunOptions } from '../port.js';
import { withoutLauncher } from './launcher-words.js';

/** How long a killed tree may take to end before it is left to `destroyTree` and to `reap`. */
const KILL_DEADLINE_MS = 2000;
/** How long output may still come after the tree is gone; only something that escaped can hold a pipe open. */
const DRAIN_DEADLINE_MS = 1000;

export interface Supervised {
  /** Why we ended it; null when it ended by itself. */
  stopped: 'timeout' | 'cancelled' | 'output_limit' | null;
  exit_code: number | null;
  signal: NodeJS.Signals | null;
  /** It could not be spawned at all. */
  spawn_error: string | null;
  stdout: string;
  stderr: string;
  truncated: boolean;
}

/** How the main program ended. */
export type Ended = Pick<Supervised, 'exit_code' | 'signal' | 'spawn_error'>;

export interface Supervision {
  ended: Promise<Ended>;
  stdout: Readable;
  stderr: Readable;
  limits: Pick<Limits, 'timeout_ms' | 'output_bytes'>;
  options: RunOptions;
  /** With what standard error begins where the program could not be started. */
  launcher_words: readonly string[];
  /** Sends SIGKILL at once; must not throw. */
  killNow: () => void;
  /** Ends whatever is left of the tree, after the child ended or could not be ended. */
  destroyTree: () => Promise<void>;
}

/** The end of a child; call it before anything that waits, so that none is missed. */
export function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    child.once('exit', (exit_code, signal) => resolve({ exit_code, signal, spawn_error: null }));
    child.once('error', (error) => resolve({ exit_code: null, signal: null, spawn_error: codeOf(error) }));
  });
}

/**
 * Waits for a program under time-out, cancel and output cap, and never on a grandchild (SPEC S3): after a kill it has its own
 * deadline, and pipes that someone still holds are destroyed.
 */
export async function supervise(supervision: Supervision): Promise<Supervised> {
  const { ended, limits, options } = supervision;
  let stopped: Supervised['stopped'] = null;
  let over = false;
  const deadline = new AbortController();
  let passed: () => void = () => undefined;
  const killed = new Promise<'killed'>((resolve) => (passed = () => resolve('killed')));
  const stop = (why: NonNullable<Supervised['stopped']>): void => {
    if (stopped !== null) return;
    stopped = why;
    if (over) return;
    supervision.killNow();
    sleep(KILL_DEADLINE_MS, undefined, { signal: deadline.signal }).then(passed, () => undefined);
  };
  const secrets = new Secrets(options.secrets ?? []);
  const onOutput = withoutLauncher(supervision.launcher_words, options.onOutput);
  const capture = (stream: Readable, name: 'stdout' | 'stderr'): Capture =>
    new Capture(
      stream,
      limits.output_bytes,
      (text) => onOutput(name, text),
      () => stop('output_limit'),
      secrets,
    );
  const stdout = capture(supervision.stdout, 'stdout');
  const stderr = capture(supervision.stderr, 'stderr');
  const timer = setTimeout(() => stop('timeout'), limits.timeout_ms);
  const cancel = (): void => stop('cancelled');
  options.signal.addEventListener('abort', cancel, { once: true });
  if (options.signal.aborted) cancel();

  const end = await Promise.race([ended, killed]);
  clearTimeout(timer);
  options.signal.removeEventListener('abort', cancel);
  deadline.abort();
  over = true;
  await supervision.destroyTree();
  const drain = new AbortController();
  await Promise.race([
    Promise.all([stdout.closed, stderr.closed]),
    sleep(DRAIN_DEADLINE_MS, undefined, { signal: drain.signal }).catch(() => undefined),
  ]);
  drain.abort();
  return {
    stopped,
    ...(end === 'killed' ? { exit_code: null, signal: 'SIGKILL', spawn_error: null } : end),
    stdout: stdout.finish(),
    stderr: stderr.finish(),
    truncated: stdout.truncated || stderr.truncated,
  };
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
