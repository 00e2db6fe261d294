import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A process of the product, started for a test. */
export interface Started {
  readonly pid: number;
  /** All it has printed so far. */
  output(): string;
  readonly exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, then SIGKILL where it does not end. */
  stop(): Promise<void>;
}

/**
 * Starts `node <script> <args>` with exactly this environment.
 * @param within a program and its arguments that then becomes node, such as `unshare`
 */
export function startNode(
  script: string,
  env: Record<string, string>,
  args: readonly string[] = [],
  within: readonly string[] = [],
): Started {
  const [program = process.execPath, ...words] = [...within, process.execPath, script, ...args];
  const child: ChildProcess = spawn(program, words, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-2_000_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  return {
    pid: child.pid ?? -1,
    output: () => text,
    exited,
    kill: (signal) => void child.kill(signal),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await exited;
      clearTimeout(late);
    },
  };
}

/** Calls `look` until it answers something truthy; fails with `what` when it never does. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  within_ms = 20_000,
): Promise<T> {
  const deadline = Date.now() + within_ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
