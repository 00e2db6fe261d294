import { z } from 'zod';
import { timestampSchema } from './common/primitives.js';
import { ANYONE, defineRoutes } from './common/route.js';

const countSchema = z.number().int().nonnegative();

/** Numbers of what the caller may see, for one look at the whole. */
export const overviewSchema = z
  .object({
    approvals: z.object({
      waiting: countSchema.describe('Requests whose clock still runs.'),
      to_decide: countSchema.describe('Those of them that the caller’s rights reach to decide.'),
    }),
    runs: z.object({
      queued: countSchema,
      running: countSchema,
      failed: countSchema.describe('Of those asked for in the hours below: failed, timed out or unknown.'),
    }),
    bindings: z
      .object({ stale: countSchema.describe('Expired ones too: whatever a person has to connect again.') })
      .nullable()
      .describe('Null for agents, who see no bindings.'),
    hours: z
      .array(
        z.object({
          from: timestampSchema,
          total: countSchema.describe('Runs asked for in this hour.'),
          failed: countSchema.describe('Those of them that failed, timed out or are unknown.'),
        }),
      )
      .describe('The last 24 hours of the clock, in UTC, this one last; hours without runs too.'),
  })
  .meta({ id: 'Overview' });
export type Overview = z.infer<typeof overviewSchema>;

export const overviewRoutes = defineRoutes({
  overview: {
    method: 'GET',
    path: '/v1/overview',
    summary: 'What waits, runs, failed and is stale, in numbers, as far as the caller may see it',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    response: overviewSchema,
  },
});
