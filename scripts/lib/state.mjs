import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Stop } from './progress.mjs';

/** What stays between two starts, all of it for its owner's eyes only. */
export class State {
  /** @param {string} dir */
  constructor(dir) {
    this.dir = resolve(dir);
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    chmodSync(this.dir, 0o700);
  }

  /**
   * Where PostgreSQL's data, the packs and the workspaces lie. Root starts them under other users, which cannot enter
   * the state folder, so there they lie below /var/lib.
   */
  get runtime_dir() {
    if (process.getuid?.() !== 0) return join(this.dir, 'runtime');
    const name = createHash('sha256').update(this.dir).digest('hex').slice(0, 16);
    return join('/var/lib/hcp', name);
  }

  /** @param {string} name */
  path(name) {
    return join(this.dir, name);
  }

  /** @param {string} name */
  read(name) {
    return existsSync(this.path(name)) ? JSON.parse(readFileSync(this.path(name), 'utf8')) : null;
  }

  /**
   * Whole or not at all.
   * @param {string} name
   * @param {unknown} value
   */
  write(name, value) {
    this.#put(name, `${JSON.stringify(value, null, 2)}\n`);
  }

  /** The key that wraps all others, as 64 hex digits; made once, in a file of its own. */
  rootKey() {
    const name = 'root.key';
    if (!existsSync(this.path(name))) this.#put(name, `${randomBytes(32).toString('hex')}\n`);
    return readFileSync(this.path(name), 'utf8').trim();
  }

  /**
   * Passwords of the database's roles; made once.
   * @returns {Record<'superuser' | 'owner' | 'app' | 'queue', string>}
   */
  databaseSecrets() {
    const present = this.read('database.json');
    if (present) return present;
    const secret = () => randomBytes(24).toString('hex');
    const made = { superuser: secret(), owner: secret(), app: secret(), queue: secret() };
    this.write('database.json', made);
    return made;
  }

  /** Refuses a second start on the same folder while the first one runs. */
  lock() {
    const name = 'start.pid';
    const pid = existsSync(this.path(name)) ? readFileSync(this.path(name), 'utf8').trim() : '';
    if (pid !== '' && pid !== String(process.pid) && isStart(pid)) {
      throw new Stop(`already running on ${this.dir} as process ${pid}; stop that first, or set HCP_STATE_DIR`);
    }
    this.#put(name, String(process.pid));
    return () => rmSync(this.path(name), { force: true });
  }

  #put(name, text) {
    const partial = this.path(`.${name}.partial`);
    writeFileSync(partial, text, { mode: 0o600 });
    renameSync(partial, this.path(name));
  }
}

/** @param {string} pid */
function isStart(pid) {
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  const cmdline = `/proc/${pid}/cmdline`;
  return existsSync(cmdline) ? readFileSync(cmdline, 'utf8').includes('start.mjs') : true;
}
