import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './lib/build.mjs';
import { State } from './lib/state.mjs';

/** Tries `npm start` as a stranger would, on an empty state folder: ready, one call with the agent's key, gone. */

const READY_MS = 180_000;
const STOP_MS = 60_000;

const state = new State(join(mkdtempSync(join(tmpdir(), 'hcp-smoke-')), 'state'));

function fail(what) {
  throw new Error(what);
}

function start() {
  const env = { ...process.env, HCP_STATE_DIR: state.dir, PORT: '0' };
  const child = spawn('npm', ['start'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    process.stdout.write(text.replace(/^/gm, '    '));
  });
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)));
  return { child, ended, output: () => output };
}

const within = (promise, ms, what) =>
  Promise.race([promise, new Promise((_, reject) => setTimeout(() => reject(new Error(what)), ms).unref())]);

async function ready({ ended, output }) {
  const poll = (async () => {
    while (!output().includes('Ctrl-C stops everything')) await new Promise((resolve) => setTimeout(resolve, 100));
    return null;
  })();
  const code = await within(Promise.race([poll, ended]), READY_MS, `not ready after ${READY_MS / 1000} s`);
  if (code !== null) fail(`npm start ended with ${code} before it was ready`);
}

function checkDevJson() {
  const path = state.path('dev.json');
  if ((statSync(path).mode & 0o777) !== 0o600) fail('dev.json can be read by others');
  if ((statSync(state.dir).mode & 0o777) !== 0o700) fail('the state folder can be entered by others');
  const dev = JSON.parse(readFileSync(path, 'utf8'));
  const shape = Object.keys(dev).sort().join(' ');
  if (shape !== 'agent approver operator owner project_id service tenant_id url') fail(`dev.json has ${shape}`);
  return dev;
}

async function checkExec(dev) {
  const response = await fetch(`${dev.url}/v1/exec`, {
    method: 'POST',
    headers: { authorization: `Bearer ${dev.agent.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ pack_id: 'ledger', verb_key: 'balance', args: {} }),
  });
  const answer = await response.json();
  if (response.status !== 200 || answer.ok !== true)
    fail(`exec answered ${response.status}: ${JSON.stringify(answer)}`);
}

/** The payment that waits for a person is there for whom the start told of it. */
async function checkPayment(dev, output) {
  const id = /\/approvals\/([0-9a-f-]{36})/.exec(output)?.[1];
  if (!id) fail('the start names no payment that waits');
  const signed = await fetch(`${dev.url}/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(dev.owner),
  });
  const { access_token } = await signed.json();
  const response = await fetch(`${dev.url}/v1/approvals/${id}`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  const { state, card } = await response.json();
  if (state !== 'pending' || !card) fail(`the payment is ${state}`);
}

/** Processes that name the state or its runtime folder in their command line or environment. */
function leftovers() {
  const words = [state.dir, state.runtime_dir];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const text = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join('\0');
        return words.some((word) => text.includes(word)) ? [`${pid} ${text.split('\0').slice(0, 3).join(' ')}`] : [];
      } catch {
        return [];
      }
    });
}

async function stop({ child, ended }) {
  child.kill('SIGTERM');
  const code = await within(ended, STOP_MS, `still there ${STOP_MS / 1000} s after SIGTERM`);
  if (code !== 0) fail(`npm start ended with ${code} after SIGTERM`);
  const left = existsSync('/proc/self') ? leftovers() : [];
  if (left.length > 0) fail(`left behind:\n${left.join('\n')}`);
}

try {
  const first = start();
  await ready(first);
  const dev = checkDevJson();
  await checkExec(dev);
  await checkPayment(dev, first.output());
  await stop(first);

  const second = start();
  await ready(second);
  const again = checkDevJson();
  if (again.agent.api_key !== dev.agent.api_key) fail('a second start made new keys');
  await checkExec(again);
  await stop(second);
  process.stdout.write('smoke test passed\n');
} catch (error) {
  process.stdout.write(`smoke test failed: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(join(state.dir, '..'), { recursive: true, force: true });
  if (state.runtime_dir.startsWith('/var/lib/hcp/')) rmSync(state.runtime_dir, { recursive: true, force: true });
}
process.exit();
