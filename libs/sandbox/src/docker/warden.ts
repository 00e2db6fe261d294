import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** Slower than this, a warden that cannot live is not started again and again. */
const AGAIN_MS = 1000;

/**
 * Keeps `warden/main.ts` running for as long as the driver lives. It has its own session, so what ends the worker by a signal
 * to its group does not end it.
 */
export class Warden {
  #child: ChildProcess | null = null;
  #closed = false;

  constructor(
    private readonly node_bin: string,
    private readonly socket: string,
    private readonly owner: string,
  ) {
    this.#start();
  }

  /** Tells it that all runs are over and it may go. */
  close(): void {
    this.#closed = true;
    this.#child?.stdin?.end('closed\n');
  }

  #start(): void {
    const program = fileURLToPath(new URL('./warden/main.js', import.meta.url));
    const child = spawn(this.node_bin, [program, this.socket, this.owner], {
      cwd: '/',
      detached: true,
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', () => undefined);
    child.stdin.on('error', () => undefined);
    child.once('close', () => {
      if (!this.#closed) setTimeout(() => this.#closed || this.#start(), AGAIN_MS).unref();
    });
    // Neither it nor the pipe keeps a worker alive that is done.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    this.#child = child;
  }
}
