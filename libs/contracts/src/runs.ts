import { EXEC_CODES, LANDS, OPERATIONS } from '@hcp/core';
import { z } from 'zod';
import { ANYONE, defineRoutes } from './common/route.js';
import {
  idParamsSchema,
  idSchema,
  packIdSchema,
  pageOf,
  pageQuery,
  timestampSchema,
  verbKeySchema,
} from './common/primitives.js';
import { principalKindSchema } from './auth.js';
import { runStatusSchema } from './exec.js';

const runSummaryShape = {
  id: idSchema,
  status: runStatusSchema,
  pack_id: packIdSchema,
  verb_key: z.string(),
  operation: z.enum(OPERATIONS),
  land: z.enum(LANDS),
  principal_id: idSchema,
  principal_kind: principalKindSchema,
  principal_name: z.string().nullable().describe('Null where the principal is gone.'),
  acts_for: idSchema.nullable(),
  acts_for_name: z.string().nullable(),
  project_id: idSchema.nullable(),
  pack_version: z.string(),
  pack_digest: z.string(),
  created_at: timestampSchema,
  started_at: timestampSchema.nullable(),
  finished_at: timestampSchema.nullable(),
  duration_ms: z.number().int().nonnegative().nullable(),
  timeout_ms: z.number().int().positive().describe('How long the command may run once it has started.'),
  ok: z.boolean().nullable().describe('Null until the run has ended.'),
  code: z.enum(EXEC_CODES).nullable(),
  exit_code: z.number().int().nullable(),
  truncated: z.boolean(),
  attempts: z.number().int().nonnegative(),
  arg_names: z.array(z.string()).describe('Names only; values are never listed.'),
  output_erased_at: timestampSchema
    .nullable()
    .describe('When the arguments and the outcome were erased; null while they are kept.'),
};

/** Metadata of a run, as lists show it. */
export const runSummarySchema = z.object(runSummaryShape).meta({ id: 'RunSummary' });
export type RunSummary = z.infer<typeof runSummarySchema>;

const portSchema = z.number().int().nonnegative();
const countSchema = z.number().int().nonnegative();

/** Which hosts a command asked for; the names are its own, with secrets hidden. */
export const runEgressSchema = z
  .object({
    contacted: z.array(
      z.object({
        host: z.string(),
        port: portSchema,
        connections: countSchema,
        bytes_sent: countSchema,
        bytes_received: countSchema,
      }),
    ),
    refused: z.array(
      z.object({
        host: z.string(),
        port: portSchema.nullable(),
        code: z.string().describe('`not_declared`, or why its address is none that may be reached.'),
        count: countSchema,
      }),
    ),
    more: z.boolean().describe('There were more than are listed.'),
  })
  .meta({ id: 'RunEgress' });

/** A run; the outcome is there for who may read it and as long as it is kept (SPEC G4, R5). */
export const runSchema = z
  .object({
    ...runSummaryShape,
    waiting_for: z.string().optional().describe('What a queued run waits for.'),
    result: z.unknown().optional(),
    error: z.string().optional(),
    stdout: z.string().optional(),
    stderr: z.string().optional(),
    egress: runEgressSchema.optional().describe('Of a command whose pack declares hosts.'),
  })
  .meta({ id: 'Run' });
export type Run = z.infer<typeof runSchema>;

export const runPageSchema = pageOf(runSummarySchema, 'RunPage');

export const listRunsQuerySchema = z.strictObject({
  status: runStatusSchema.optional(),
  pack_id: packIdSchema.optional(),
  verb_key: verbKeySchema.optional(),
  principal_id: idSchema.optional().describe('Of whom the run is.'),
  project_id: idSchema.optional(),
  limit: pageQuery.limit,
  cursor: idSchema.optional().describe('`next_cursor` of the page before.'),
});
export type ListRunsQuery = z.infer<typeof listRunsQuerySchema>;

const attemptSchema = z
  .number()
  .int()
  .nonnegative()
  .describe('Which start of the command; 0 before the first. What an earlier one printed does not count any more.');

/** Data of one server-sent event; the SSE `event` field repeats `type`, `id` is the resume point (SPEC R5). */
export const runEventSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('state'),
      run_id: idSchema,
      status: runStatusSchema,
      attempt: attemptSchema,
      at: timestampSchema,
    }),
    z
      .object({
        type: z.literal('output'),
        run_id: idSchema,
        attempt: attemptSchema,
        stream: z.enum(['stdout', 'stderr']),
        text: z.string(),
      })
      .describe('The next part of a stream, while the command runs or at its end; in order and without holes.'),
    z.object({
      type: z.literal('end'),
      run_id: idSchema,
      status: runStatusSchema,
      ok: z.boolean().nullable(),
      code: z.enum(EXEC_CODES).nullable(),
      exit_code: z.number().int().nullable(),
    }),
  ])
  .meta({ id: 'RunEvent' });
export type RunEvent = z.infer<typeof runEventSchema>;

export const runRoutes = defineRoutes({
  runs_list: {
    method: 'GET',
    path: '/v1/runs',
    summary: 'List runs: own ones and those of agents that act for the caller, or all with run.read',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    query: listRunsQuerySchema,
    response: runPageSchema,
  },
  runs_get: {
    method: 'GET',
    path: '/v1/runs/:id',
    summary: 'Get a run and its outcome',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    params: idParamsSchema,
    response: runSchema,
  },
  runs_cancel: {
    method: 'POST',
    path: '/v1/runs/:id/cancel',
    summary: 'Cancel a queued or running run',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    params: idParamsSchema,
    response: runSchema,
  },
  runs_events: {
    method: 'GET',
    path: '/v1/runs/:id/events',
    summary: 'Follow a run: state, output, end (server-sent events, resumable by Last-Event-ID)',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    params: idParamsSchema,
    response: 'event-stream',
  },
});
