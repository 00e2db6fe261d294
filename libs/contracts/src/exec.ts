import {
  type CardStep,
  EXEC_CODES,
  MAX_WAIT_MS,
  OPERATIONS,
  type ResultEnvelope,
  ruleSchema,
  RUN_STATUSES,
  VIEW_KINDS,
} from '@hcp/core';
import { z } from 'zod';
import { ANYONE, defineRoutes } from './common/route.js';
import { idSchema, timestampSchema } from './common/primitives.js';

/** SPEC E6. */
export const DEFAULT_WAIT_MS = 30_000;

/**
 * The envelope as it is documented and typed (SPEC E1). The API itself decides by core's `parseEnvelope` on the raw text,
 * which also refuses duplicate keys. Ids are plain strings here: an odd one is an unknown pack, not a bad request.
 */
export const execRequestSchema = z
  .strictObject({
    pack_id: z.string().min(1).optional(),
    surface_id: z.string().min(1).optional().describe('Legacy alias of pack_id.'),
    verb_key: z.string().min(1),
    args: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Arguments. `confirm`, `apply` and `mode` are control words.'),
    approval_id: z.string().min(1).optional(),
    approval: z
      .strictObject({ by: z.literal('human'), id: z.string().min(1) })
      .optional()
      .describe('Accepted only from a service with `approval.attest`.'),
    run_on_approve: z.boolean().optional(),
    idempotency_key: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Makes a repeat answer the first run, for 24 hours.'),
    wait_ms: z
      .number()
      .int()
      .min(0)
      .max(MAX_WAIT_MS)
      .optional()
      .describe('How long to wait for the result; 30000 by default, 0 returns at once.'),
  })
  .meta({ id: 'ExecRequest', description: 'One call of one command. Exactly one of pack_id and surface_id is given.' });
export type ExecRequest = z.infer<typeof execRequestSchema>;

export const runStatusSchema = z.enum(RUN_STATUSES).meta({ id: 'RunStatus' });

export const accessSummarySchema = z
  .object({ mode: z.string(), reason: z.string(), reason_code: z.string(), approvals: z.string() })
  .meta({ id: 'AccessSummary' });

export const previewSchema = z
  .object({ command: z.string(), args: z.record(z.string(), z.unknown()), cli: z.string() })
  .meta({ id: 'Preview', description: 'The exact command, without control words and JSON flag.' });

const viewFieldSchema = z.object({
  name: z.string(),
  value: z.string().describe('Characters that cannot be seen are written as escapes.'),
  cut: z.literal(true).optional().describe('The value did not fit whole.'),
});

/** SPEC C1. */
export const viewSchema = z
  .object({
    kind: z.enum(VIEW_KINDS),
    title: z.string(),
    fields: z.array(viewFieldSchema).readonly(),
    rest: z.array(viewFieldSchema).readonly().describe('Every argument that no field shows.'),
    signals: z.array(z.object({ id: z.string(), text: z.string() })).readonly(),
    sources: z.record(z.string(), z.array(z.string()).readonly()).describe('The arguments behind each field.'),
    complete: z.boolean().describe('False where some value is cut.'),
  })
  .meta({ id: 'View', description: 'What a person sees of a call, built from the pack and the real arguments.' });

/** Pack, command and arguments, as every card and every step of one shows them. */
const shownCommand = {
  pack_id: z.string(),
  pack_name: z.string(),
  pack_version: z.string(),
  command: z.string(),
  summary: z.string(),
  operation: z.enum(OPERATIONS),
  args: z.array(z.object({ name: z.string(), value: z.unknown(), description: z.string().optional() })).readonly(),
  cli: z.string().describe('The exact command line, or the exact request.'),
  view: viewSchema,
};

const cardStepSchema: z.ZodType<CardStep> = z
  .object({
    name: z.string(),
    ...shownCommand,
    later: z.boolean().describe('True where arguments are parts of an earlier result: they are judged with it.'),
    steps: z.lazy(() => z.array(cardStepSchema).readonly()).optional(),
  })
  .meta({ id: 'CardStep', description: 'One step of a composite, with the pack and the command that it comes to.' });

/** SPEC C5. */
export const approvalRequestSchema = z
  .object({
    ...shownCommand,
    confirm: z.union([z.boolean(), z.literal('always')]),
    steps: z.array(cardStepSchema).readonly().optional().describe('Of a composite: what it runs, in this order.'),
    reason: z.string(),
    reason_code: z.string().nullable().describe('Null where it would run without asking.'),
    mode: z.string(),
    approvals: z.string(),
    options: z
      .array(
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('allow_once') }),
          z.object({ kind: z.literal('allow_session'), rule: ruleSchema }),
          z.object({ kind: z.literal('deny') }),
        ]),
      )
      .readonly()
      .describe('The answers that a host may offer; it sends back only the kind.'),
    approval_id: idSchema.optional(),
    expires_at: z.string().optional(),
    rejected_at: timestampSchema
      .optional()
      .describe('When a person last said no to exactly this call, where that is no longer ago than a request waits.'),
  })
  .meta({ id: 'ApprovalRequest', description: 'Everything that a host needs to ask a person.' });

/** SPEC E5. */
export const resultEnvelopeSchema = z
  .object({
    ok: z.boolean(),
    pack_id: z.string().nullable(),
    verb_key: z.string().nullable(),
    result: z.unknown().describe('Standard output as one JSON document, else as text; null where nothing ran.'),
    error: z.string().optional(),
    code: z.enum(EXEC_CODES).optional(),
    hint: z.string().optional().describe('What to do next.'),
    stdout: z.string().optional(),
    stderr: z.string().optional(),
    exit_code: z.number().int().optional(),
    run_id: idSchema.nullable(),
    duration_ms: z.number().nonnegative(),
    truncated: z.boolean().optional(),
    status: runStatusSchema.optional().describe('Present while the run has not ended.'),
    access: accessSummarySchema.optional(),
    preview: previewSchema.optional(),
    approval: approvalRequestSchema.optional().describe('With `confirm_required`.'),
    approval_id: idSchema.optional().describe('The request that waits, or the one that the run used.'),
    output_erased_at: timestampSchema.optional().describe('Of a run whose result is no longer kept.'),
    retry_after_ms: z.number().int().nonnegative().optional(),
  })
  .meta({ id: 'ResultEnvelope' });

type Parsed = z.infer<typeof resultEnvelopeSchema>;
type SameShape = [Parsed] extends [ResultEnvelope] ? ([ResultEnvelope] extends [Parsed] ? true : false) : false;
/** Fails to compile when the schema and core's type part. */
const sameShape: SameShape = true;
void sameShape;

export const execRoutes = defineRoutes({
  exec: {
    method: 'POST',
    path: '/v1/exec',
    summary: 'Run a command',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    body: execRequestSchema,
    response: resultEnvelopeSchema,
  },
});
