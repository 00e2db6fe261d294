import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, ROOT } from './lib/build.mjs';
import { missingParts } from './lib/parts.mjs';
import { Stop, step } from './lib/progress.mjs';
import { readResults, triedAgain } from './lib/results.mjs';

/** `npm test` (SPEC O1): every test there is. The last line is the sum; with CI=true what had to be skipped fails. */

const PROJECTS = ['unit', 'medium', 'security', 'chaos', 'e2e'];
const strict = process.env.CI === 'true';

/**
 * Where processes, containers and a browser take part, a machine can be too busy for once: so few files that failed are tried
 * again, once, and the sum says which. Unit tests have no such excuse.
 */
const TRIED_AGAIN = 2;

/** @returns {Promise<number>} */
function vitest(project, report, files = []) {
  const args = ['run', ...files, '--project', project, '--passWithNoTests', '--reporter=default', '--reporter=json'];
  const child = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args, `--outputFile.json=${report}`],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

const reports = mkdtempSync(join(tmpdir(), 'hcp-test-'));
let failed = 0;
let passed = 0;
const lines = [];

try {
  await step('building', build);
  const missing = await missingParts();
  for (const project of PROJECTS) {
    const report = join(reports, `${project}.json`);
    const first = readResults(report, await vitest(project, report));
    let result = first;
    const { failed_files } = first;
    if (project !== 'unit' && failed_files.length > 0 && failed_files.length <= TRIED_AGAIN) {
      const second = join(reports, `${project}-again.json`);
      result = triedAgain(first, readResults(second, await vitest(project, second, failed_files)));
    }
    passed += result.passed;
    failed += result.failed + (strict ? result.skipped.length : 0);
    lines.push(
      `${project.padEnd(9)} ${result.passed} passed, ${result.failed} failed, ${result.skipped.length} skipped`,
    );
    for (const failure of first.failures.filter((one) => !result.failures.includes(one)))
      lines.push(`  failed at first: ${failure}`);
    for (const failure of result.failures) lines.push(`  failed: ${failure}`);
    for (const name of result.skipped) lines.push(`  skipped: ${name}`);
  }
  for (const part of missing) lines.push(`missing part of the system: ${part.name} (${part.how})`);
  if (strict) failed += missing.length;
} catch (error) {
  process.stderr.write(`${error instanceof Stop ? error.message : error.stack}\n`);
  failed += 1;
} finally {
  rmSync(reports, { recursive: true, force: true });
}

process.stdout.write(`\n${lines.join('\n')}\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
