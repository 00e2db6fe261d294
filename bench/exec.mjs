import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inTurn, throughput } from './lib/measure.mjs';
import { startProduct } from './lib/product.mjs';
import { staticBinary } from './lib/static-binary.mjs';

/**
 * What a call costs over what it runs: `POST /v1/exec` of a static binary (sign-in check, decision, run row, audit events, queue,
 * fence, sandbox, result) beside a bare bubblewrap of the same binary, in turn on the same machine.
 */
const execute = promisify(execFile);
const rounds = Number(process.env.ROUNDS ?? 200);

const dir = mkdtempSync(join(tmpdir(), 'hcp-bench-bin-'));
const bin = join(dir, 'bench');
writeFileSync(bin, staticBinary());
chmodSync(bin, 0o755);

const product = await startProduct();
try {
  const call = (verb_key) => async () => {
    const answer = await product.owner.post('/v1/exec', { pack_id: 'bench', verb_key, args: {} });
    if (!answer.ok || answer.result.ok !== true) throw new Error(`exec failed: ${answer.code}`);
  };
  const exec = call('run');
  // The same command with a stored credential: opened, lent, looked for in the output.
  const minted = call('minted');
  const bwrap = () =>
    execute('bwrap', [
      '--unshare-all',
      '--die-with-parent',
      '--ro-bind',
      dir,
      '/pack',
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--',
      '/pack/bench',
    ]);
  const spawn = () => execute(bin, []);

  const result = await inTurn({ exec, minted, bwrap, spawn }, { rounds, warm_up: 20 });
  const parallel = 8;
  const calls = Math.max(parallel, rounds);
  const report = {
    cores: cpus().length,
    node: process.version,
    milliseconds: result,
    ratios: {
      exec_to_bwrap_p50: ratio(result.exec.p50, result.bwrap.p50),
      exec_to_bwrap_p95: ratio(result.exec.p95, result.bwrap.p95),
      minted_to_exec_p50: ratio(result.minted.p50, result.exec.p50),
    },
    calls_per_second: {
      parallel,
      exec: await throughput(exec, { parallel, calls }),
      bwrap: await throughput(bwrap, { parallel, calls }),
    },
  };
  const out = join(import.meta.dirname, 'results');
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'exec.json'), `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
} finally {
  await product.end();
  rmSync(dir, { recursive: true, force: true });
}

function ratio(a, b) {
  return Number((a / b).toFixed(2));
}
