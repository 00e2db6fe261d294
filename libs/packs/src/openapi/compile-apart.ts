import { Worker } from 'node:worker_threads';
import { finding, type Pack } from '@hcp/core';
import type { Compiled } from './compile.js';

/** What one document may take. */
export interface ReadingLimits {
  readonly ms: number;
  readonly megabytes: number;
}

/** The largest public documents need a tenth. */
const LIMITS: ReadingLimits = { ms: 30_000, megabytes: 1024 };
/** Documents that are read at once. */
const MAX_AT_ONCE = 2;

/** What the thread is given. */
export interface ApartInput {
  readonly surface: Pack['surface'];
  readonly text: string;
}

let free = MAX_AT_ONCE;
const waiting: (() => void)[] = [];

/**
 * `compileOpenapi` in a thread of its own, which is ended where it takes too long or too much: a tenant writes the document,
 * and references of a few kilobytes can stand for more than any memory holds. Whoever else this process serves goes on.
 */
export async function compileApart(
  { surface }: Pick<Pack, 'surface'>,
  text: string,
  limits = LIMITS,
): Promise<Compiled> {
  if (free > 0) free -= 1;
  else await new Promise<void>((go) => waiting.push(go));
  try {
    return await compileInThread({ surface, text }, limits);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }
}

function compileInThread(input: ApartInput, limits: ReadingLimits): Promise<Compiled> {
  const worker = new Worker(new URL('./compile-thread.js', import.meta.url), {
    workerData: input,
    // It needs no secret of this process.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: limits.megabytes },
  });
  return new Promise<Compiled>((resolve) => {
    const give = (compiled: Compiled): void => {
      clearTimeout(timer);
      resolve(compiled);
      void worker.terminate();
    };
    const timer = setTimeout(() => give(TOO_MUCH), limits.ms);
    worker.once('message', give);
    // Out of memory, or out of stack in the parser: the document is not for us.
    worker.once('error', () => give(TOO_MUCH));
    worker.once('exit', () => give(TOO_MUCH));
  });
}

const TOO_MUCH: Compiled = {
  findings: [
    finding(
      'M030',
      'openapi.json',
      [],
      'takes too much time or memory to read',
      'Leave out the operations and schemas that no command needs.',
    ),
  ],
  surface: null,
};
