import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const HCPX = fileURLToPath(new URL('../../apps/cli/bin/hcpx.js', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Terminal {
  /** Runs `hcpx …` with this terminal's own credentials folder. */
  hcpx(args: readonly string[], options?: { stdin?: string; env?: Record<string, string> }): Promise<Ran>;
  readonly home: string;
}

/** A person's or a program's terminal: an empty home of its own. */
export async function terminal(base_env: Record<string, string> = {}): Promise<Terminal> {
  const home = await mkdtemp(join(tmpdir(), 'hcpx-'));
  return {
    home,
    async hcpx(args, { stdin = '', env = {} } = {}) {
      const child = spawn(process.execPath, [HCPX, ...args], {
        env: { PATH: process.env.PATH ?? '', HCP_HOME: home, ...base_env, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      child.stdin.end(stdin);
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
    },
  };
}
