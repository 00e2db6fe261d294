import { describe, expect, it } from 'vitest';
import { judgeAttempt, RETRY_WAITS_S } from './attempts.js';

describe('judgeAttempt', () => {
  it.each([200, 202, 204, 299])('takes %s as delivered', (status) => {
    expect(judgeAttempt({ status }, 1, 0)).toEqual({ kind: 'delivered' });
  });

  it.each([100, 301, 307, 400, 404, 429, 500])('tries again after %s', (status) => {
    expect(judgeAttempt({ status }, 1, 0)).toMatchObject({ kind: 'again', wait_ms: 5000 });
  });

  it('leaves an endpoint that is gone alone', () => {
    expect(judgeAttempt({ status: 410 }, 1, 0)).toEqual({ kind: 'gone' });
  });

  it('waits longer each time, somewhat apart, and gives up after the last wait', () => {
    const waits = [...RETRY_WAITS_S.keys()].map((done) => judgeAttempt({ error: 'timeout' }, done + 1, 0.5));
    expect(waits).toEqual(
      RETRY_WAITS_S.map((wait) => ({ kind: 'again', error: 'timeout', wait_ms: Math.round(wait * 1100) })),
    );
    expect(judgeAttempt({ error: 'timeout' }, RETRY_WAITS_S.length + 1, 0.5)).toEqual({
      kind: 'dead',
      error: 'timeout',
    });
  });
});
