import { parentPort, workerData } from 'node:worker_threads';
import type { ApartInput } from './compile-apart.js';
import { compileOpenapi } from './compile.js';

/** The thread of `compileApart`: one document, one answer. */
const { surface, text } = workerData as ApartInput;
parentPort?.postMessage(await compileOpenapi({ surface }, text));
