import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readResults, triedAgain } from './results.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hcp-results-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const one = (status: string, fullName: string, failureMessages?: string[]) => ({ status, fullName, failureMessages });
const file = (name: string, assertionResults: object[], more: object = {}) => ({
  name: `${process.cwd()}/${name}`,
  status: 'passed',
  assertionResults,
  ...more,
});

function report(testResults: unknown[]): string {
  const path = join(folder, 'report.json');
  writeFileSync(path, JSON.stringify({ testResults }));
  return path;
}

const MIXED = [
  file('a.spec.ts', [one('passed', 'starts'), one('failed', 'runs once', ['Error: ran twice\n  at b'])]),
  file('b.spec.ts', [one('passed', 'ends')]),
];

describe('what a test run came to', () => {
  it('counts passed and failed tests, and says how those failed', () => {
    expect(readResults(report(MIXED), 1)).toMatchObject({
      passed: 2,
      failed: 1,
      skipped: [],
      failures: ['a.spec.ts > runs once: Error: ran twice'],
      failed_files: ['a.spec.ts'],
    });
  });

  it('counts a file that did not load as failed', () => {
    const broken = file('a.spec.ts', [], { status: 'failed', message: 'no module b\n  at c' });
    const expected = { passed: 1, failed: 1, failures: ['a.spec.ts: no module b'], failed_files: ['a.spec.ts'] };
    expect(readResults(report([broken, MIXED[1]]), 1)).toMatchObject(expected);
  });

  it('counts a run that ended badly for another reason as failed', () => {
    expect(readResults(report([MIXED[1]]), 1)).toMatchObject({ passed: 1, failed: 1, failed_files: [] });
    expect(readResults(join(folder, 'none.json'), 0)).toMatchObject({ passed: 0, failed: 1 });
  });

  it('names what was skipped', () => {
    const files = [file('a.spec.ts', [one('passed', 'runs'), one('pending', 'needs a sandbox')])];
    expect(readResults(report(files), 0)).toMatchObject({ passed: 1, failed: 0, skipped: ['needs a sandbox'] });
  });
});

describe('files that were tried again', () => {
  const first = () => readResults(report(MIXED), 1);

  it('count as they came out then', () => {
    const well = readResults(report([file('a.spec.ts', [one('passed', 'starts'), one('passed', 'runs once')])]), 0);
    expect(triedAgain(first(), well)).toMatchObject({ passed: 3, failed: 0, failures: [], failed_files: [] });
    expect(triedAgain(first(), first())).toMatchObject({ passed: 2, failed: 1 });
  });

  it('count as before where the second try did not come to them', () => {
    expect(triedAgain(first(), readResults(join(folder, 'none.json'), 1))).toMatchObject({ passed: 2, failed: 1 });
    expect(triedAgain(first(), readResults(report([MIXED[1]]), 0))).toMatchObject({ passed: 2, failed: 1 });
  });
});
