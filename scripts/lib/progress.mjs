/** What a person sees of a long step: its name, a sign of life, how long it took. */

const SIGN_OF_LIFE_MS = 5_000;

const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);

/**
 * Runs one step.
 * @template T
 * @param {string} label
 * @param {() => Promise<T> | T} work
 * @returns {Promise<T>}
 */
export async function step(label, work) {
  const began = performance.now();
  process.stdout.write(`${label} ...\n`);
  const timer = setInterval(() => {
    process.stdout.write(`  still ${label}: ${seconds(began)} s\n`);
  }, SIGN_OF_LIFE_MS);
  try {
    const result = await work();
    process.stdout.write(`  done in ${seconds(began)} s\n`);
    return result;
  } finally {
    clearInterval(timer);
  }
}

/** A failure that needs no stack trace: its message says what to do. */
export class Stop extends Error {
  name = 'Stop';
}
