import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, Run } from '@hcp/database';
import type { Bus } from '@hcp/queue';
import { Heartbeat } from './heartbeat.js';

const LEASE_MS = 10_000;
const run = { id: 'r', tenant_id: 't' } as Run;
const bus = { subscribe: () => Promise.resolve(() => undefined) } as unknown as Bus;

/** A heartbeat on a database whose every transaction answers like this. */
function heartbeat(tenant: () => Promise<unknown>): Heartbeat {
  const db = { tenant } as unknown as Database;
  return new Heartbeat({ db, bus, lease_ms: LEASE_MS, onError: () => undefined }, run, 'attempt');
}

describe('a heartbeat', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each<[string, () => Promise<unknown>]>([
    ['never answers', () => new Promise(() => undefined)],
    ['fails', () => Promise.reject(new Error('gone'))],
  ])('gives the run up with its lease when the database %s', async (_how, tenant) => {
    const beat = heartbeat(tenant);
    await beat.start();
    await vi.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(beat.reason).toBeNull();
    await vi.advanceTimersByTimeAsync(2);
    expect(beat.reason).toBe('lease_lost');
    beat.end();
  });

  it('keeps the run for as long as the lease is renewed', async () => {
    const beat = heartbeat(() => Promise.resolve({ held: true, cancel_requested: false }));
    await beat.start();
    await vi.advanceTimersByTimeAsync(10 * LEASE_MS);
    expect(beat.reason).toBeNull();
    beat.end();
    await vi.advanceTimersByTimeAsync(10 * LEASE_MS);
    expect(beat.reason).toBeNull();
  });

  it.each([
    [{ held: false, cancel_requested: false }, 'lease_lost'],
    [{ held: true, cancel_requested: true }, 'cancelled'],
  ])('stops the run when the database says %o', async (renewal, reason) => {
    const beat = heartbeat(() => Promise.resolve(renewal));
    await beat.start();
    await vi.advanceTimersByTimeAsync(2001);
    expect(beat.reason).toBe(reason);
    beat.end();
  });
});
