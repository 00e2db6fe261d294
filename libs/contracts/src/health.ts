import { z } from 'zod';
import { ANYONE, defineRoutes } from './common/route.js';

export const healthSchema = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
export type Health = z.infer<typeof healthSchema>;

const part = z.enum(['ok', 'failed']);

/** 200 when `status` is ready, else 503 with the same body (SPEC O3, S1). */
export const readinessSchema = z
  .object({
    status: z.enum(['ready', 'not_ready']),
    database: part,
    queue: part,
    sandbox: z.object({
      driver: z.string().nullable().describe('The driver in use; null: wraps do not run.'),
      detail: z.string().describe('Why this driver, or how to get one.'),
    }),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof readinessSchema>;

export const healthRoutes = defineRoutes({
  healthz: {
    method: 'GET',
    path: '/healthz',
    summary: 'The process is up',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    response: healthSchema,
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    summary: 'The parts it needs are up',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    response: readinessSchema,
  },
});
