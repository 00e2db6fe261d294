import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Stop } from './progress.mjs';

/** The demo's accounts; the one file here that a start can make anew. */
export const DEV_JSON = 'dev.json';
const MARKER = 'state.json';
const RUNTIME_MARKER = 'belongs-to.json';
const RUNTIME_ROOT = '/var/lib/hcp';

/** What stays between two starts, all of it for its owner's eyes only. */
export class State {
  /**
   * Makes the folder where there is none. An existing one has to be empty or ours: its rights are never changed.
   * @param {string} dir
   * @param {string} [runtime_root]  below which root's runtime folders lie
   */
  constructor(dir, runtime_root = RUNTIME_ROOT) {
    this.dir = resolve(dir);
    this.runtime_root = runtime_root;
    claim(this.dir);
    this.id = this.#id();
  }

  /**
   * Where PostgreSQL's data, the packs and the workspaces lie. Root starts them under other users, which cannot enter
   * the state folder, so there they lie below /var/lib, under an id that the state folder keeps: a fresh state folder
   * never meets data whose keys are gone.
   */
  get runtime_dir() {
    return process.getuid?.() === 0 ? join(this.runtime_root, this.id) : join(this.dir, 'runtime');
  }

  /** The command that removes everything a start left. */
  get removal() {
    const dirs = this.runtime_dir.startsWith(`${this.dir}/`) ? [this.dir] : [this.dir, this.runtime_dir];
    return `rm -rf ${dirs.map(shellWord).join(' ')}`;
  }

  /** Makes the runtime folder, which says whose it is. */
  makeRuntimeDir() {
    mkdirSync(this.runtime_dir, { recursive: true, mode: 0o755 });
    writeFileSync(join(this.runtime_dir, RUNTIME_MARKER), `${JSON.stringify({ state_dir: this.dir })}\n`);
    return this.runtime_dir;
  }

  /**
   * Root's runtime folders of earlier state folders at this place: nothing can open them any more.
   * @returns {string[]}
   */
  orphans() {
    if (process.getuid?.() !== 0 || !existsSync(this.runtime_root)) return [];
    return readdirSync(this.runtime_root)
      .map((name) => join(this.runtime_root, name))
      .filter((dir) => dir !== this.runtime_dir && ownerOf(dir) === this.dir);
  }

  /** @param {string} name */
  path(name) {
    return join(this.dir, name);
  }

  /** @param {string} name */
  read(name) {
    if (!existsSync(this.path(name))) return null;
    try {
      return JSON.parse(readFileSync(this.path(name), 'utf8'));
    } catch {
      throw this.damaged(name);
    }
  }

  /** @param {string} name */
  damaged(name) {
    const remedy =
      name === DEV_JSON
        ? 'Remove it, and the next start makes new passwords and keys.'
        : `Put it right, or start afresh, without the demo's data: ${this.removal}`;
    return new Stop(`${this.path(name)} is damaged. ${remedy}`);
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
    if (!existsSync(this.path(name))) this.#put(name, `${this.#fresh(name, 32)}\n`);
    const key = readFileSync(this.path(name), 'utf8').trim();
    if (!/^[0-9a-f]{64}$/.test(key)) throw this.damaged(name);
    return key;
  }

  /**
   * Passwords of the database's roles; made once.
   * @returns {Record<'superuser' | 'owner' | 'app' | 'queue', string>}
   */
  databaseSecrets() {
    const name = 'database.json';
    const roles = ['superuser', 'owner', 'app', 'queue'];
    const present = this.read(name);
    if (present !== null) {
      if (!roles.every((role) => typeof present[role] === 'string')) throw this.damaged(name);
      return present;
    }
    const made = Object.fromEntries(roles.map((role) => [role, this.#fresh(name, 24)]));
    this.write(name, made);
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

  #id() {
    const present = this.read(MARKER);
    if (present === null) {
      const id = randomBytes(8).toString('hex');
      this.write(MARKER, { id });
      return id;
    }
    if (!/^[0-9a-f]{16}$/.test(present.id)) {
      throw new Stop(`${this.path(MARKER)} is damaged: set HCP_STATE_DIR to another folder, or remove this one`);
    }
    return present.id;
  }

  /** A secret, unless there is data that was made with another one. */
  #fresh(name, bytes) {
    if (existsSync(join(this.runtime_dir, 'postgres', 'data', 'PG_VERSION'))) {
      throw new Stop(
        `${this.path(name)} is gone, and without it the data in ${this.runtime_dir} cannot be opened. ` +
          `Put the file back, or start afresh, without that data: ${this.removal}`,
      );
    }
    return randomBytes(bytes).toString('hex');
  }

  #put(name, text) {
    const partial = this.path(`.${name}.partial`);
    writeFileSync(partial, text, { mode: 0o600 });
    renameSync(partial, this.path(name));
  }
}

/** Makes the folder for our eyes only, or makes sure that an existing one may be used as it is. */
function claim(dir) {
  const refused = (why) =>
    new Stop(`HCP_STATE_DIR: ${dir} ${why}. Name a folder that is new, empty or of an earlier start.`);
  try {
    if (!existsSync(dir)) {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      return;
    }
    const stats = statSync(dir);
    if (!stats.isDirectory()) throw refused('is a file');
    if (process.getuid && stats.uid !== process.getuid()) throw refused('belongs to another user');
    if ((stats.mode & 0o022) !== 0) throw refused('can be written by other users');
    if (!existsSync(join(dir, MARKER)) && readdirSync(dir).length > 0) {
      throw refused('is not empty, and no start made it');
    }
  } catch (error) {
    if (error instanceof Stop) throw error;
    throw refused(`cannot be used (${error.code ?? 'unknown'})`);
  }
}

/** The state folder that a runtime folder names, or null. */
function ownerOf(runtime_dir) {
  try {
    return JSON.parse(readFileSync(join(runtime_dir, RUNTIME_MARKER), 'utf8')).state_dir;
  } catch {
    return null;
  }
}

const shellWord = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

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
