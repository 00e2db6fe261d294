import { describe } from 'vitest';
import { HAS_REDIS } from './redis.js';

/** What the queue and the bus may be on (SPEC R1). */
export type QueueKind = 'postgres' | 'redis';

/** `HCP_TEST_QUEUE=redis` or `postgres` narrows a run by hand to one of them. */
const KINDS = (['postgres', 'redis'] as const).filter((kind) => (process.env.HCP_TEST_QUEUE ?? kind) === kind);

/** The same tests on every backend. */
export function onEveryQueue(tests: (kind: QueueKind) => void): void {
  for (const kind of KINDS) {
    describe.skipIf(kind === 'redis' && !HAS_REDIS)(`queue on ${kind}`, () => tests(kind));
  }
}
