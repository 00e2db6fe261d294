import { closeSync, constants, openSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { runTool } from '../process/run-tool.js';

/** Both ends of one output stream. */
export interface OutputPipe {
  /** For the child's stdio; close it once the child has it. */
  write_fd: number;
  reader: Readable;
}

/**
 * The named pipes that carry a slot's output. Node's own "pipes" are socket pairs, and a socket cannot be opened again
 * through /dev/stdout or /dev/stderr, as many scripts do; a named pipe that belongs to the slot's uid can. They are made
 * once: a pipe that nobody has open is empty, and a slot whose tree could not be ended is never used again.
 */
export class Fifos {
  private constructor(private readonly folder: string) {}

  /** Makes the pipes of `slots` slots; `uidOf` says who owns them, null for ourselves. */
  static async create(
    mkfifo: string,
    folder: string,
    slots: number,
    uidOf: (slot: number) => number | null,
  ): Promise<Fifos> {
    const fifos = new Fifos(folder);
    const all = Array.from({ length: slots }, (_, slot) => [fifos.#path(slot, 'out'), fifos.#path(slot, 'err')]);
    await runTool(mkfifo, ['-m', '600', '--', ...all.flat()]);
    for (const [slot, paths] of all.entries()) {
      const uid = uidOf(slot);
      if (uid !== null) for (const path of paths) await chown(path, uid, uid);
    }
    return fifos;
  }

  open(slot: number, which: 'out' | 'err'): OutputPipe {
    const path = this.#path(slot, which);
    // The reader first and without waiting for a writer; the writer then finds it there.
    const read_fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const write_fd = openSync(path, constants.O_WRONLY);
      return { write_fd, reader: new Socket({ fd: read_fd, readable: true, writable: false }) };
    } catch (error) {
      closeSync(read_fd);
      throw error;
    }
  }

  #path(slot: number, which: 'out' | 'err'): string {
    return join(this.folder, `${slot}.${which}`);
  }
}
