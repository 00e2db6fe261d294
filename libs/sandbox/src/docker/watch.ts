import type { RunOptions, SandboxOutcome, SandboxSpec } from '../port.js';
import { notRun } from '../process/outcome.js';
import { type Ended, supervise } from '../process/supervise.js';
import { at, type Engine } from './engine.js';
import { launchErrno, LAUNCH_FAILED } from './launcher.js';
import type { Started } from './start.js';
import { execFailure } from './start-failure.js';

export interface Watch {
  engine: Engine;
  name: string;
  started: Started;
  spec: Pick<SandboxSpec, 'bin' | 'limits'>;
  options: RunOptions;
  /** Kills and removes the container; goes on by itself where it is not waited for. */
  remove: () => Promise<void>;
  /** When the run began, by `performance.now`. */
  began: number;
}

/** Waits for the end of a container that was started, under time-out, cancel and output cap, and says how it ended. */
export async function watchContainer(watch: Watch): Promise<SandboxOutcome> {
  const { engine, name, started, spec, options, remove, began } = watch;
  const state = { exit_code: null as number | null, oom: false };
  let killed = false;
  const result = await supervise({
    ended: endOfContainer(engine, name, state),
    stdout: started.stdout,
    stderr: started.stderr,
    limits: spec.limits,
    options,
    launcher_words: [started.mark],
    killNow: () => {
      killed = true;
      void engine.call('POST', `/containers/${name}/kill?signal=KILL`).catch(() => undefined);
    },
    destroyTree: async () => {
      // What ended by itself is removed while the caller goes on; for what did not the caller waits.
      const removal = remove();
      if (state.exit_code === null || killed) await removal;
    },
  });
  started.connection.destroy();
  const { stdout, stderr, truncated, stopped } = result;
  const { exit_code, oom } = state;
  const common = { oom, stdout, stderr, truncated, duration_ms: performance.now() - began };
  if (stopped !== null) return { kind: stopped, exit_code: null, ...common };
  if (exit_code === null) {
    return { kind: 'lost', exit_code, ...common, error: 'sandbox: the docker daemon was lost during the run' };
  }
  const errno = exit_code === LAUNCH_FAILED ? launchErrno(started.mark, stderr) : null;
  if (errno === null) return { kind: 'exited', exit_code, ...common };
  return notRun('failed_to_start', execFailure(spec.bin, errno), common.duration_ms);
}

/** Never rejects: `state` keeps no exit code where the daemon cannot say how it ended. */
async function endOfContainer(
  engine: Engine,
  name: string,
  state: { exit_code: number | null; oom: boolean },
): Promise<Ended> {
  try {
    await engine.call('POST', `/containers/${name}/wait`, undefined, null);
    const { body } = await engine.call('GET', `/containers/${name}/json`);
    const code = at(body, 'State', 'ExitCode');
    if (typeof code === 'number' && at(body, 'State', 'Running') === false) state.exit_code = code;
    state.oom = at(body, 'State', 'OOMKilled') === true;
  } catch {
    // The daemon is gone.
  }
  return { exit_code: state.exit_code, signal: null, spawn_error: null };
}
