import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readResults } from './results.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hcp-results-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function report(passed: number, failed: number, testResults: unknown[] = []): string {
  const path = join(folder, 'report.json');
  writeFileSync(path, JSON.stringify({ numPassedTests: passed, numFailedTests: failed, testResults }));
  return path;
}

describe('what a test run came to', () => {
  it('counts passed and failed tests', () => {
    expect(readResults(report(3, 2), 1)).toMatchObject({ passed: 3, failed: 2, skipped: [] });
  });

  it('counts a file that did not load as failed', () => {
    const files = [
      { name: `${process.cwd()}/a.spec.ts`, status: 'failed', message: 'no module b\n  at c', assertionResults: [] },
    ];
    expect(readResults(report(3, 0, files), 1)).toMatchObject({
      passed: 3,
      failed: 1,
      failures: ['a.spec.ts: no module b'],
    });
  });

  it('counts a run that ended badly for another reason as failed', () => {
    expect(readResults(report(3, 0), 1)).toMatchObject({ passed: 3, failed: 1 });
    expect(readResults(join(folder, 'none.json'), 0)).toMatchObject({ passed: 0, failed: 1 });
  });

  it('names what was skipped', () => {
    const files = [
      {
        name: `${process.cwd()}/a.spec.ts`,
        status: 'passed',
        assertionResults: [
          { status: 'passed', fullName: 'runs' },
          { status: 'pending', fullName: 'needs a sandbox' },
        ],
      },
    ];
    expect(readResults(report(1, 0, files), 0)).toEqual({
      passed: 1,
      failed: 0,
      skipped: ['needs a sandbox'],
      failures: [],
    });
  });

  it('names what failed, and how', () => {
    const files = [
      {
        name: `${process.cwd()}/a.spec.ts`,
        status: 'failed',
        assertionResults: [{ status: 'failed', fullName: 'runs once', failureMessages: ['Error: ran twice\n  at b'] }],
      },
    ];
    expect(readResults(report(0, 1, files), 1).failures).toEqual(['a.spec.ts > runs once: Error: ran twice']);
  });
});
