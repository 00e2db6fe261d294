import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { FileLock } from './file-lock.js';
import { openFolder } from './runtime.js';

/** First uid of sandboxes: above what distributions, systemd's dynamic users and most subordinate ranges start with. */
const FIRST_UID = 200_000;
const BLOCK = 64;
const BLOCKS = 64;

/**
 * A range of uids that no other worker uses, one for each slot, because limits and ownership count by uid. It is claimed
 * twice. A lock on a file of the data folder holds among workers that share it, also from one container to the next:
 * they write in the same workspaces. An abstract socket holds among workers of one network namespace with other data
 * folders. The kernel gives up either with the process, so none is ever stale.
 */
export class UidRange {
  private constructor(
    readonly first: number,
    private readonly socket: Server,
    private readonly lock: FileLock,
  ) {}

  /** Null where every range is taken. @throws where the data folder cannot be locked */
  static async claim(data_dir: string): Promise<UidRange | null> {
    const folder = join(data_dir, 'runtime', 'uids');
    await openFolder(folder);
    for (let block = 0; block < BLOCKS; block += 1) {
      const first = FIRST_UID + block * BLOCK;
      const socket = await listen(`\0hcp-sandbox-uids-${first}`);
      if (socket === null) continue;
      try {
        const lock = await FileLock.take(join(folder, String(first)));
        if (lock !== null) return new UidRange(first, socket, lock);
      } catch (error) {
        socket.close();
        throw error;
      }
      socket.close();
    }
    return null;
  }

  static readonly size = BLOCK;

  async release(): Promise<void> {
    this.socket.close();
    await this.lock.release();
  }
}

function listen(name: string): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', () => resolve(null));
    server.listen(name, () => resolve(server));
  });
}

/** Hands out slot numbers, at most `size` at once, in the order of asking. */
export class Slots {
  readonly #free: number[];
  readonly #waiting: ((slot: number) => void)[] = [];

  constructor(size: number) {
    this.#free = Array.from({ length: size }, (_, slot) => slot);
  }

  /** Null when `signal` aborts first. `preferred` is taken when it is free (its uid may own the workspace already). */
  async acquire(signal: AbortSignal, preferred?: number): Promise<number | null> {
    if (signal.aborted) return null;
    const at = preferred === undefined ? -1 : this.#free.indexOf(preferred);
    const slot = at >= 0 ? this.#free.splice(at, 1)[0] : this.#free.shift();
    if (slot !== undefined) return slot;
    return new Promise((resolve) => {
      const take = (granted: number): void => {
        signal.removeEventListener('abort', leave);
        resolve(granted);
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        resolve(null);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(take);
    });
  }

  release(slot: number): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(slot);
    else next(slot);
  }
}
