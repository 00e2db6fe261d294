import { APPROVAL_STATES, EXEC_CODES, OPERATIONS, RULE_DECISIONS } from '@hcp/core';
import { z } from 'zod';
import { ANYONE, defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, idSchema, packIdSchema, pageOf, pageQuery, timestampSchema } from './common/primitives.js';
import { principalKindSchema } from './auth.js';
import { approvalRequestSchema, execRequestSchema, previewSchema, accessSummarySchema } from './exec.js';

export const approvalStateSchema = z.enum(APPROVAL_STATES).meta({ id: 'ApprovalState' });

const decisionSchema = z
  .object({
    principal_id: idSchema,
    principal_name: z.string().nullable(),
    decision: z.enum(['approve', 'reject']),
    option: z.enum(['allow_once', 'allow_session']).nullable(),
    reason: z.string().nullable(),
    at: timestampSchema,
  })
  .meta({ id: 'ApprovalDecision' });

/** A request for a person's yes, as its requester and those who may decide see it (SPEC V). */
export const approvalSchema = z
  .object({
    id: idSchema,
    state: approvalStateSchema,
    pack_id: packIdSchema,
    pack_version: z.string(),
    verb_key: z.string(),
    operation: z.enum(OPERATIONS),
    project_id: idSchema.nullable(),
    principal_id: idSchema.describe('Who asked.'),
    principal_kind: principalKindSchema,
    principal_name: z.string().nullable().describe('Null where the principal is gone.'),
    client_name: z.string().nullable().describe('What the OAuth client called itself that asked for the principal.'),
    acts_for: idSchema.nullable(),
    acts_for_name: z.string().nullable(),
    created_at: timestampSchema,
    pending_expires_at: timestampSchema.describe('It waits for a person until then.'),
    approved_at: timestampSchema.nullable(),
    use_expires_at: timestampSchema.nullable().describe('The yes covers one run until then.'),
    run_on_approve: z.boolean().describe('The yes itself starts the run.'),
    run_id: idSchema.nullable().describe('The run that uses it.'),
    approvers: z.number().int().describe('How many different people must say yes.'),
    second_person: z.boolean().describe('Nobody approves what they or their agent asked for.'),
    reason_required: z.boolean(),
    decisions: z.array(decisionSchema),
    reason_code: z.string().describe('Why it asks.'),
    mode: z.string(),
    arg_names: z.array(z.string()).describe('Names only; the values are on the card.'),
    card: approvalRequestSchema.nullable().describe('Null once its values are no longer kept.'),
    erased_at: timestampSchema.nullable().describe('When the card was erased.'),
    card_digest: z
      .string()
      .nullable()
      .describe('Names the card in an approval. Null where the card shows a value cut: open it with full=1.'),
  })
  .meta({ id: 'Approval' });
export type Approval = z.infer<typeof approvalSchema>;

export const approvalPageSchema = pageOf(approvalSchema, 'ApprovalPage');

export const listApprovalsQuerySchema = z.strictObject({
  state: approvalStateSchema.optional(),
  limit: pageQuery.limit,
  cursor: idSchema.optional().describe('`next_cursor` of the page before.'),
});
export type ListApprovalsQuery = z.infer<typeof listApprovalsQuerySchema>;

export const getApprovalQuerySchema = z.strictObject({
  full: z.enum(['0', '1']).optional().describe('1: the card was opened in full, so that its digest is told.'),
});
export type GetApprovalQuery = z.infer<typeof getApprovalQuerySchema>;

/** What a log and a database keep as it is; may have several lines. */
const reasonSchema = z
  .string()
  .trim()
  .max(2000)
  .regex(/^[^\0\p{Cs}]*$/u, 'must be well-formed text without NUL');

export const approveSchema = z
  .strictObject({
    option: z.enum(['allow_once', 'allow_session']).optional().describe('allow_once unless said otherwise.'),
    reason: reasonSchema.optional(),
    card_digest: z.string().min(1).max(200).optional().describe('Of the card that was seen; another one is a 409.'),
  })
  .meta({ id: 'Approve' });
export type Approve = z.infer<typeof approveSchema>;

export const rejectSchema = z.strictObject({ reason: reasonSchema.optional() }).meta({ id: 'Reject' });
export type Reject = z.infer<typeof rejectSchema>;

/** SPEC C6. */
export const execPreviewSchema = z
  .object({
    decision: z.enum(RULE_DECISIONS),
    code: z.enum(EXEC_CODES).nullable(),
    error: z.string().nullable(),
    hint: z.string().nullable(),
    access: accessSummarySchema.nullable(),
    preview: previewSchema.nullable(),
    card: approvalRequestSchema.nullable().describe('What a person would be asked with; null where it is refused.'),
  })
  .meta({ id: 'ExecPreview', description: 'The card of a call; nothing was run and nothing was asked.' });
export type ExecPreview = z.infer<typeof execPreviewSchema>;

export const approvalRoutes = defineRoutes({
  exec_preview: {
    method: 'POST',
    path: '/v1/exec/preview',
    summary: 'Show the card of a call, without running it',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    body: execRequestSchema,
    response: execPreviewSchema,
  },
  approvals_list: {
    method: 'GET',
    path: '/v1/approvals',
    summary: 'List requests for approval: own ones, those of agents that act for the caller, and those to decide',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    query: listApprovalsQuerySchema,
    response: approvalPageSchema,
  },
  approvals_get: {
    method: 'GET',
    path: '/v1/approvals/:id',
    summary: 'Get a request for approval with its card',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    params: idParamsSchema,
    query: getApprovalQuerySchema,
    response: approvalSchema,
  },
  approvals_approve: {
    method: 'POST',
    path: '/v1/approvals/:id/approve',
    summary: 'Say yes to one exact call',
    requires: 'authenticated',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    body: approveSchema,
    response: approvalSchema,
  },
  approvals_reject: {
    method: 'POST',
    path: '/v1/approvals/:id/reject',
    summary: 'Say no, also after a yes that was not used yet',
    requires: 'authenticated',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    body: rejectSchema,
    response: approvalSchema,
  },
});
