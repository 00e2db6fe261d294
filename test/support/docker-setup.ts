import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the first test that needs a docker daemon starts one. */
    hcp_docker: string;
  }
}

/** Gives tests a place for a docker daemon of their own, and ends the daemon that they started there, if they did. */
export default function setup(project: TestProject): () => Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'hcp-docker-'));
  project.provide('hcp_docker', dir);
  return async () => {
    const pid = Number(readIfThere(join(dir, 'daemon.pid')));
    if (pid > 0) {
      process.kill(pid, 'SIGTERM');
      for (let tries = 0; tries < 300 && alive(pid); tries += 1) await sleep(100);
    }
    rmSync(dir, { recursive: true, force: true });
  };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
