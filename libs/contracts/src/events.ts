import { APPROVAL_STATES, RUN_STATUSES, SENSE_SEVERITIES } from '@hcp/core';
import { z } from 'zod';
import { ANYONE, defineRoutes } from './common/route.js';
import { idSchema, packIdSchema, timestampSchema } from './common/primitives.js';

/** What of a tenant can be followed. */
export const TENANT_EVENT_TYPES = ['run.updated', 'approval.requested', 'approval.decided', 'sense.changed'] as const;
export type TenantEventType = (typeof TENANT_EVENT_TYPES)[number];

const call = {
  pack_id: packIdSchema,
  verb_key: z.string(),
  project_id: idSchema.nullable(),
  principal_id: idSchema.describe('Who asked.'),
  acts_for: idSchema.nullable(),
  at: timestampSchema,
};
const approval = { approval_id: idSchema, state: z.enum(APPROVAL_STATES), run_id: idSchema.nullable(), ...call };

/**
 * Data of one server-sent event; the SSE `event` field repeats `type`, `id` is the resume point. Ids and states alone:
 * whoever wants more asks for the thing itself (SPEC V5).
 */
export const tenantEventSchema = z
  .discriminatedUnion('type', [
    z
      .object({ type: z.literal('ready'), at: timestampSchema })
      .describe('First where the reader did not come back: what happens from now on follows.'),
    z
      .object({ type: z.literal('reset'), at: timestampSchema })
      .describe('First where Last-Event-ID lies too far back, or is none: fetch anew, then go on from here.'),
    z.object({ type: z.literal('ping'), at: timestampSchema }).describe('Nothing happened that the caller may see.'),
    z.object({ type: z.literal('run.updated'), run_id: idSchema, status: z.enum(RUN_STATUSES), ...call }),
    z.object({ type: z.literal('approval.requested'), ...approval }),
    z.object({ type: z.literal('approval.decided'), ...approval }),
    z.object({
      type: z.literal('sense.changed'),
      sense_id: idSchema,
      state: z.enum(['open', 'cleared']),
      kind: z.string(),
      severity: z.enum(SENSE_SEVERITIES),
      pack_id: packIdSchema,
      project_id: idSchema.nullable(),
      principal_id: idSchema.nullable(),
      at: timestampSchema,
    }),
  ])
  .meta({ id: 'TenantEvent' });
export type TenantEvent = z.infer<typeof tenantEventSchema>;

export const eventRoutes = defineRoutes({
  events_follow: {
    method: 'GET',
    path: '/v1/events',
    summary:
      'Follow the tenant: runs, approvals and Sense events that the caller may see (server-sent events, resumable by Last-Event-ID for a day)',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    response: 'event-stream',
  },
});
