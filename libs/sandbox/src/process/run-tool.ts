import { spawn } from 'node:child_process';

/** Runs a small program of the host with an empty environment; rejects unless it exits with 0. */
export async function runTool(path: string, argv: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, argv, { env: {}, cwd: '/', stdio: 'ignore' });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${path} ended with ${code}`))));
  });
}
