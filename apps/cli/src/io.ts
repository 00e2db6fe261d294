import { createInterface } from 'node:readline/promises';
import { Writable, type Readable } from 'node:stream';
import { homedir } from 'node:os';
import { type Env, readEnv } from './env.js';
import { openBrowser } from './open-browser.js';

/** Everything that a command touches of its process, so that a test can stand in for it. */
export interface Io {
  readonly env: Env;
  /** The folder that it was started in. */
  readonly cwd: string;
  readonly out: Sink;
  readonly err: Sink;
  /** A person can be asked. */
  readonly interactive: boolean;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  readStdin(): Promise<string>;
  /** The bare streams, for what speaks a protocol on them. */
  stdio(): { readonly input: Readable; readonly output: Writable };
  ask(question: string, options: { hidden: boolean }): Promise<string>;
  /** Shows a page to the person, where that can be done. */
  openBrowser(address: string): void;
  now(): Date;
}

export interface Sink {
  readonly terminal: boolean;
  readonly columns: number;
  write(text: string): void;
}

/** The real process. */
export function processIo(): Io {
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  for (const stream of [process.stdout, process.stderr]) {
    // A reader that closed early (`| head`) is no error.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
    });
  }
  return {
    env: readEnv(process.env, homedir()),
    cwd: process.cwd(),
    out: sink(process.stdout),
    err: sink(process.stderr),
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    signal: abort.signal,
    readStdin: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString('utf8');
    },
    stdio: () => ({ input: process.stdin, output: process.stdout }),
    ask: async (question, { hidden }) => ask(question, hidden, abort.signal),
    openBrowser,
    now: () => new Date(),
  };
}

function sink(stream: NodeJS.WriteStream): Sink {
  return { terminal: stream.isTTY === true, columns: stream.columns ?? 80, write: (text) => void stream.write(text) };
}

/** Asks on standard error, so that standard output stays clean; a hidden answer is not echoed. */
async function ask(question: string, hidden: boolean, signal: AbortSignal): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (hidden) process.stderr.write(question);
  const line = createInterface({ input: process.stdin, output: hidden ? silent : process.stderr, terminal: true });
  const interrupt = new AbortController();
  line.once('SIGINT', () => interrupt.abort());
  try {
    return await line.question(hidden ? '' : question, { signal: AbortSignal.any([signal, interrupt.signal]) });
  } finally {
    line.close();
    if (hidden) process.stderr.write('\n');
  }
}
