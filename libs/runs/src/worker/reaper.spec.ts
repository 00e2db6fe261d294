import { describe, expect, it } from 'vitest';
import type { Run, Tx } from '@hcp/database';
import { reap, type ReaperDeps } from './reaper.js';

const stuck = (tenant_id: string): Run =>
  ({ id: `run-of-${tenant_id}`, tenant_id, status: 'queued', attempts: 0, created_at: new Date(0) }) as Run;

describe('the reaper', () => {
  it('ends the other runs when one cannot be ended', async () => {
    const answers = [[stuck('bad'), stuck('good')], [{ tenant_id: 'good', id: 'waiting', attempts: 0 }]];
    const ended: string[] = [];
    const queued: string[] = [];
    const errors: Error[] = [];
    await reap({
      db: {
        reaper: () => Promise.resolve(answers.shift()),
        tenant: (tenant_id: string, fn: (tx: Tx) => Promise<unknown>) => {
          const tx = {
            $executeRaw: () => Promise.resolve(0),
            $queryRaw: () => Promise.resolve([]),
            run: { updateMany: () => Promise.resolve({ count: 1 }) },
            workspaceLock: { deleteMany: () => Promise.resolve() },
            auditEvent: { create: () => Promise.resolve(ended.push(tenant_id)) },
          };
          return fn(tx as unknown as Tx);
        },
      },
      keys: (tenant_id: string) =>
        tenant_id === 'bad' ? Promise.reject(new Error('no key')) : Promise.resolve({ seal: (plain: Buffer) => plain }),
      queue: { enqueue: ({ run_id }: { run_id: string }) => Promise.resolve(queued.push(run_id)) },
      bus: { publish: () => Promise.resolve() },
      onError: (error: Error) => errors.push(error),
    } as unknown as ReaperDeps);
    expect(ended).toEqual(['good']);
    expect(queued).toEqual(['waiting']);
    expect(errors).toHaveLength(1);
  });
});
