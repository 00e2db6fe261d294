// The same file lies in the packs ledger, notes and transit: a pack holds all that it runs, so none can share it.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';

/** A failure that the caller can act on: printed as JSON, exit 1. */
export class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Reads the state from the working directory; `initial()` where there is none yet. */
export function readState(file, initial, isValid) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return initial();
    throw new Failure('state_unreadable', `${file} cannot be read (${error.code})`);
  }
  let state;
  try {
    state = JSON.parse(text);
  } catch {
    throw corrupt(file);
  }
  if (!isValid(state)) throw corrupt(file);
  return state;
}

/** Replaces the state in one step: whoever reads meanwhile, and a crash, see the old or the new one whole. */
export function writeState(file, state) {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(descriptor, `${JSON.stringify(state, null, 2)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new Failure('state_unwritable', `${file} cannot be written (${error.code})`);
  }
}

function corrupt(file) {
  return new Failure('corrupt_state', `${file} is damaged; restore it or remove it to start anew`);
}
