import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * What one run of vitest came to. A run that ended badly without a failed test (a file that does not load, a set-up that
 * fails) counts as one failure. `failures` says each in one line: which file, which test, and how it failed first;
 * `failed_files` are where they are.
 * @param {string} report  vitest's JSON report
 * @param {number} exit_code
 */
export function readResults(report, exit_code) {
  const none = { passed: 0, failed: 0, skipped: [], failures: [], failed_files: [], files: new Map() };
  if (!existsSync(report)) return { ...none, failed: 1, failures: ['vitest wrote no report'] };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const files = new Map(testResults.map((file) => [relative(process.cwd(), file.name), readFile(file)]));
  const result = sum(files);
  if (result.failed > 0 || exit_code === 0) return result;
  return { ...result, failed: 1, failures: [`vitest ended with ${exit_code}, and no test had failed`] };
}

function readFile({ name, status, message, assertionResults }) {
  const path = relative(process.cwd(), name);
  const failures = assertionResults
    .filter((one) => one.status === 'failed')
    .map((one) => `${path} > ${one.fullName}: ${firstLine(one.failureMessages?.[0])}`);
  if (status === 'failed' && failures.length === 0) failures.push(`${path}: ${firstLine(message)}`);
  return {
    passed: assertionResults.filter((one) => one.status === 'passed').length,
    skipped: assertionResults.filter((one) => !['passed', 'failed'].includes(one.status)).map((one) => one.fullName),
    failures,
  };
}

const firstLine = (text) => (text ?? '').trim().split('\n')[0] || 'it did not say why';

function sum(files) {
  const all = [...files.values()];
  const failures = all.flatMap((file) => file.failures);
  return {
    passed: all.reduce((total, { passed }) => total + passed, 0),
    failed: failures.length,
    skipped: all.flatMap((file) => file.skipped),
    failures,
    failed_files: [...files].filter(([, file]) => file.failures.length > 0).map(([path]) => path),
    files,
  };
}

/**
 * The run with those of its files that were tried again as they came out then.
 * @param {ReturnType<typeof readResults>} first
 * @param {ReturnType<typeof readResults>} again
 */
export function triedAgain(first, again) {
  // A second try that tells nothing of a file mends nothing.
  if (first.failed_files.some((path) => !again.files.has(path))) return first;
  return sum(new Map([...first.files, ...again.files]));
}
