import { chmod, chown, copyFile, type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EgressPolicy } from '@hcp/egress';
import type { EgressFacts } from './ledger.js';
import { EgressProxy } from './proxy.js';
import { EgressRules } from './rules.js';

/** Where things are inside. */
const INSIDE_SOCKET = '/run/hcp/egress.sock';
const INSIDE_PROGRAM = '/run/hcp/egress.cjs';
const INSIDE_NODE = '/usr/local/bin/node';
/** The namespace is the run's own, so the port is free. */
const INSIDE_PORT = 3128;

/** What a driver does for a run that may reach hosts; it calls `close` however the run ends. */
export interface RunEgress {
  /** Files of the host to mount, read-only. */
  mounts: readonly { source: string; target: string }[];
  /** Set for the program, over whatever it has of these names. */
  env: Readonly<Record<string, string>>;
  /** The command that brings the way out up, then runs `command` with its exit code. */
  wrap(command: readonly string[]): string[];
  /** Ends all connections. May be called again. */
  close(): Promise<EgressFacts>;
}

/** Makes the proxies of a driver's runs, below a folder that the uids of runs may enter. */
export class EgressHost {
  private constructor(
    private readonly folder: string,
    private readonly handle: FileHandle,
    private readonly policy: EgressPolicy,
    private readonly node: string,
  ) {}

  /** `node` is Node's path inside; `folder` goes away with the driver. */
  static async create(folder: string, policy: EgressPolicy, node = INSIDE_NODE): Promise<EgressHost> {
    await mkdir(folder, { recursive: true });
    // Others pass through to a file that they know, and list nothing.
    await chmod(folder, 0o711);
    const program = join(folder, 'egress.cjs');
    await copyFile(fileURLToPath(new URL('./inside/main.cjs', import.meta.url)), program);
    await chmod(program, 0o644);
    return new EgressHost(folder, await open(folder, 'r'), policy, node);
  }

  /**
   * `name` is unique among the runs under way; only `uid` (null: our own) may use the socket.
   * @throws when `declared` cannot be read (`refuseSpec` said so before) or the socket cannot be made
   */
  async open(name: string, uid: number | null, declared: readonly string[]): Promise<RunEgress> {
    const rules = EgressRules.parse(declared);
    if (typeof rules === 'number') throw new Error(`network[${rules}] is not a host`);
    const proxy = new EgressProxy(rules, this.policy);
    const source = join(this.folder, `${name}.sock`);
    await rm(source, { force: true });
    // A socket's path has 107 bytes at most; this one is short wherever the folder is.
    await proxy.listen(`/proc/self/fd/${this.handle.fd}/${name}.sock`);
    let closed: Promise<EgressFacts> | null = null;
    const close = (): Promise<EgressFacts> =>
      (closed ??= proxy.close().finally(() => rm(source, { force: true }).catch(() => undefined)));
    try {
      await chmod(source, 0o600);
      if (uid !== null) await chown(source, uid, uid);
    } catch (error) {
      await close();
      throw error;
    }
    const url = `http://127.0.0.1:${INSIDE_PORT}`;
    const direct = 'localhost,127.0.0.1,::1';
    return {
      mounts: [
        { source, target: INSIDE_SOCKET },
        { source: join(this.folder, 'egress.cjs'), target: INSIDE_PROGRAM },
      ],
      env: {
        HTTP_PROXY: url,
        HTTPS_PROXY: url,
        ALL_PROXY: url,
        NO_PROXY: direct,
        http_proxy: url,
        https_proxy: url,
        all_proxy: url,
        no_proxy: direct,
        // Node heeds the others only then.
        NODE_USE_ENV_PROXY: '1',
      },
      wrap: (command) => [this.node, INSIDE_PROGRAM, INSIDE_SOCKET, String(INSIDE_PORT), ...command],
      close,
    };
  }

  async close(): Promise<void> {
    await this.handle.close().catch(() => undefined);
  }
}
