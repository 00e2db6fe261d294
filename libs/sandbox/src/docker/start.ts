import type { Duplex, Readable } from 'node:stream';
import { type Engine, messageOf } from './engine.js';
import { makeLaunch } from './launcher.js';
import { splitStreams } from './streams.js';

/** What every program gets besides its own; HCP_SANDBOX cannot be changed. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp/home', TMPDIR: '/tmp', LANG: 'C.UTF-8' };

export interface Started {
  ok: true;
  /** Holds the container's stdin; its end is the container's end. */
  connection: Duplex;
  stdout: Readable;
  stderr: Readable;
  mark: string;
}

/**
 * Makes a container, connects to its streams, starts it and gives the launcher the environment. After a failure the
 * container may be there and is the caller's to remove; `why` is the daemon's own text or `cancelled`.
 */
export async function startContainer(
  engine: Engine,
  name: string,
  body: unknown,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Started | { ok: false; why: string }> {
  let connection: Duplex | null = null;
  const failed = (why: string): { ok: false; why: string } => {
    connection?.destroy();
    return { ok: false, why };
  };
  try {
    if (signal.aborted) return failed('cancelled');
    let made = await engine.call('POST', `/containers/create?name=${name}`, body);
    if (made.status === 409) {
      // An earlier attempt of the same run by this worker, whose removal is under way.
      await engine.call('DELETE', `/containers/${name}?force=1&v=1`);
      made = await engine.call('POST', `/containers/create?name=${name}`, body);
    }
    if (made.status !== 201) return failed(messageOf(made));
    connection = await engine.attach(name);
    connection.on('error', () => undefined);
    if (signal.aborted) return failed('cancelled');
    const { stdout, stderr } = splitStreams(connection);
    const launch = makeLaunch({ ...ENVIRONMENT, ...env, HCP_SANDBOX: 'sandbox' });
    const started = await engine.call('POST', `/containers/${name}/start`);
    if (started.status !== 204) return failed(messageOf(started));
    connection.write(launch.header);
    return { ok: true, connection, stdout, stderr, mark: launch.mark };
  } catch (error) {
    return failed(error instanceof Error ? `the daemon was not reached: ${error.message}` : 'unknown');
  }
}
