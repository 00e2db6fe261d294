import { spawn } from 'node:child_process';
import { Stop } from './progress.mjs';

/**
 * Runs a program to its end and gives its output; a failure carries it.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal }} [options]
 * @returns {Promise<string>}
 */
export async function run(file, args, options = {}) {
  const { ok, output } = await attempt(file, args, options);
  if (!ok) throw new Stop(`${file} ${args.join(' ')} failed:\n${output.trim()}`);
  return output;
}

/**
 * The same, for programs whose failure is an answer.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal }} [options]
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
export function attempt(file, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const add = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', add);
    child.stderr.setEncoding('utf8').on('data', add);
    child.once('error', (error) => resolve({ ok: false, output: `${output}${error.message}` }));
    child.once('close', (code) => resolve({ ok: code === 0, output }));
  });
}
