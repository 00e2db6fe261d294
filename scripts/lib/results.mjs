import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * What one run of vitest came to. A run that ended badly without a failed test (a file that does not load, a set-up that
 * fails) counts as one failure. `failures` says each in one line: which file, which test, and how it failed first.
 * @param {string} report  vitest's JSON report
 * @param {number} exit_code
 */
export function readResults(report, exit_code) {
  const none = { passed: 0, failed: 0, skipped: [], failures: [] };
  if (!existsSync(report)) return { ...none, failed: 1 };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const broken = testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((one) => one.status !== 'failed'),
  );
  const skipped = testResults.flatMap((file) =>
    file.assertionResults.filter((one) => !['passed', 'failed'].includes(one.status)).map((one) => one.fullName),
  );
  const failed = numFailedTests + broken.length;
  const failures = testResults.flatMap((file) =>
    file.assertionResults
      .filter((one) => one.status === 'failed')
      .map((one) => `${relative(process.cwd(), file.name)} > ${one.fullName}: ${firstLine(one.failureMessages?.[0])}`),
  );
  for (const file of broken) failures.push(`${relative(process.cwd(), file.name)}: ${firstLine(file.message)}`);
  return { passed: numPassedTests, failed: failed === 0 && exit_code !== 0 ? 1 : failed, skipped, failures };
}

const firstLine = (text) => (text ?? '').trim().split('\n')[0] || 'it did not say why';
