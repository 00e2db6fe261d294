import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const KEPT_LINES = 30;
const STOP_MS = 40_000;

/** The processes of the stack. When one ends by itself, `onCrash` hears of it with its last words. */
export class Children {
  #running = new Map();
  #stopping = false;

  /**
   * @param {string} log_dir
   * @param {(name: string, how: string, last_lines: string[]) => void} onCrash
   */
  constructor(log_dir, onCrash) {
    this.log_dir = log_dir;
    this.onCrash = onCrash;
    mkdirSync(log_dir, { recursive: true, mode: 0o700 });
  }

  /**
   * @param {string} name
   * @param {string} file
   * @param {readonly string[]} args
   * @param {NodeJS.ProcessEnv} env  the whole of it
   */
  start(name, file, args, env) {
    const [program, argv] = diesWithUs(file, args);
    // A process group of its own: a Ctrl-C is ours to pass on, in order.
    const child = spawn(program, argv, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const log = createWriteStream(join(this.log_dir, `${name}.log`), { flags: 'a', mode: 0o600 });
    const last = [];
    const gone = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(signal ? `was ended by ${signal}` : `exited with ${code}`));
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        log.write(text);
        last.push(...text.split('\n').filter((line) => line.trim() !== ''));
        last.splice(0, last.length - KEPT_LINES);
      });
    }
    this.#running.set(name, { child, gone });
    void gone.then((how) => {
      log.end();
      this.#running.delete(name);
      if (!this.#stopping) this.onCrash(name, how, last);
    });
  }

  /** Asks each to end, waits, and ends what does not. */
  async stop() {
    this.#stopping = true;
    await Promise.all(
      [...this.#running.values()].map(async ({ child, gone }) => {
        child.kill('SIGTERM');
        const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
        await gone;
        clearTimeout(timer);
      }),
    );
  }
}

/** On Linux the kernel ends a child whose parent died without a chance to. */
function diesWithUs(file, args) {
  const setpriv = '/usr/bin/setpriv';
  if (process.platform !== 'linux' || !existsSync(setpriv)) return [file, args];
  return [setpriv, ['--pdeathsig', 'TERM', '--', file, ...args]];
}
