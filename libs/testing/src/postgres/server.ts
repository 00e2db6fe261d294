import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { postgresAccount, type Account } from './account.js';
import { postgresBinaries, type Binaries } from './binaries.js';

export interface ServerOptions {
  /** Folder for the cluster, entered by PostgreSQL's user; kept on stop. Without it a temporary one, removed on stop. */
  readonly dir?: string;
  /** Where the cluster is new, its superuser's password; for an old one the same as then. Fresh by default. */
  readonly password?: string;
  /** Fixed port; a free one by default. */
  readonly port?: number;
  /** Called when the server ends without `stop`. */
  readonly onExit?: (log: string) => void;
}

export interface PostgresServer {
  readonly port: number;
  /** Where the cluster lies. */
  readonly dir: string;
  /** Connection string of the superuser, who bypasses row-level security: for roles and databases only. */
  superuserUrl(database?: string): string;
  /** Fast shutdown; resolves when the process is gone. */
  stop(): Promise<void>;
}

/** Only on the loopback and with a password; the socket's folder would need a path that both users can enter. */
const ALWAYS = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'max_connections=200'];
/** A temporary cluster need not survive a power cut. */
const TEMPORARY = ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'];
const LOG_KEPT = 8_000;

/** Starts PostgreSQL from npm's binaries, as root too; makes the cluster where there is none. */
export async function startPostgresServer(options: ServerOptions = {}): Promise<PostgresServer> {
  const account = postgresAccount();
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'hcp-postgres-'));
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  own(dir, account);
  const binaries = await postgresBinaries(dir, account !== null);
  const data = join(dir, 'data');
  const password = options.password ?? randomBytes(24).toString('hex');

  if (existsSync(join(data, 'PG_VERSION'))) await stopLeftover(binaries, account, data);
  else await initialise(binaries, account, dir, data, password);

  const flags = options.dir === undefined ? [...ALWAYS, ...TEMPORARY] : ALWAYS;
  const { child, port, log } = await startOnFreePort(binaries, account, data, flags, options.port);
  let stopping = false;
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      if (!stopping) options.onExit?.(log());
      resolve();
    });
  });
  return {
    port,
    dir,
    superuserUrl: (database = 'postgres') => `postgresql://postgres:${password}@127.0.0.1:${String(port)}/${database}`,
    async stop() {
      stopping = true;
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT');
      await gone;
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A TCP port that was free a moment ago on the loopback. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('no port'));
      });
    });
  });
}

function own(path: string, account: Account | null): void {
  if (account) chownSync(path, account.uid, account.gid);
}

/**
 * As PostgreSQL's user, in a process group of its own (a Ctrl-C is for us: we stop it last), and told to stop by the
 * kernel when we die without a chance to.
 */
function run(file: string, args: string[], account: Account | null): ChildProcess {
  const env = { LC_ALL: 'C', PATH: process.env.PATH };
  const setpriv = '/usr/bin/setpriv';
  if (process.platform !== 'linux' || !existsSync(setpriv)) {
    return spawn(file, args, { ...account, env, cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  }
  const as = account ? ['--reuid', String(account.uid), '--regid', String(account.gid), '--clear-groups'] : [];
  return spawn(setpriv, [...as, '--pdeathsig', 'INT', '--', file, ...args], {
    env,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function collect(child: ChildProcess): () => string {
  let log = '';
  const add = (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-LOG_KEPT);
  };
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return () => log;
}

async function initialise(b: Binaries, account: Account | null, dir: string, data: string, password: string) {
  const password_file = join(dir, 'initial-password');
  writeFileSync(password_file, `${password}\n`, { mode: 0o600 });
  own(password_file, account);
  const args = [`--pgdata=${data}`, '--auth=scram-sha-256', '--username=postgres', `--pwfile=${password_file}`];
  const child = run(b.initdb, [...args, '--encoding=UTF8', '--locale=C', '--no-sync'], account);
  const log = collect(child);
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`PostgreSQL's initdb failed: ${log()}`));
      });
    });
  } catch (error) {
    rmSync(data, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(password_file, { force: true });
  }
}

/** A server that outlived its starter still holds the cluster. */
async function stopLeftover(binaries: Binaries, account: Account | null, data: string): Promise<void> {
  if (!existsSync(join(data, 'postmaster.pid'))) return;
  const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const alive = existsSync(`/proc/${String(pid)}/cmdline`)
    ? readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').includes(data)
    : false;
  if (!alive) return;
  await new Promise<void>((resolve) => {
    execFile(binaries.pg_ctl, ['stop', '-m', 'fast', '-w', '-D', data], { ...account, cwd: '/' }, () => {
      // Whatever it says, the start that follows fails with PostgreSQL's own words when the cluster is still held.
      resolve();
    });
  });
}

async function startOnFreePort(b: Binaries, account: Account | null, data: string, flags: string[], fixed?: number) {
  for (let attempt = 1; ; attempt++) {
    const port = fixed ?? (await freePort());
    const child = run(b.postgres, ['-D', data, '-p', String(port), ...flags], account);
    const log = collect(child);
    const ready = await new Promise<boolean>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => {
        resolve(false);
      });
      child.stderr?.on('data', () => {
        if (log().includes('ready to accept connections')) resolve(true);
      });
    });
    if (ready) return { child, port, log };
    // Somebody took the port between our look and PostgreSQL's.
    if (fixed === undefined && attempt < 5 && log().includes('Address already in use')) continue;
    throw new Error(`PostgreSQL did not start: ${log()}`);
  }
}
