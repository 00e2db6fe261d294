import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

const NAME = 'postgres';

function find(): Account | null {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${NAME}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}

/**
 * Who PostgreSQL runs as. It refuses to run as root, so there a system user `postgres` is taken, and made where it is
 * missing; null: whoever we are.
 */
export function postgresAccount(): Account | null {
  if (process.getuid?.() !== 0) return null;
  const present = find();
  if (present) return present;
  execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', NAME], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const made = find();
  if (!made) throw new Error('could not create the system user "postgres", which PostgreSQL needs when we are root');
  return made;
}
