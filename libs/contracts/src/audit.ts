import { z } from 'zod';
import { ANYONE, defineRoutes } from './common/route.js';
import { idSchema, lineSchema, packIdSchema, pageOf, pageQuery, timestampSchema } from './common/primitives.js';

const decisionSchema = z.enum(['allow', 'ask', 'deny']);
const text = z.string().nullable();

/** SPEC U1, U2: the attribution tuple. Never an argument's value or a secret. */
export const auditEventSchema = z
  .object({
    id: idSchema,
    seq: z.string().regex(/^\d+$/).describe('Order within the log; a 64-bit number as a string.'),
    at: timestampSchema,
    action: z.string().describe('exec.decision, exec.completion or an administrative act such as api_key.create.'),
    principal_id: idSchema.nullable(),
    principal_kind: text,
    acts_for: idSchema.nullable(),
    session_id: idSchema.nullable(),
    project_id: idSchema.nullable(),
    binding: text,
    pack_id: text,
    verb_key: text,
    operation: text,
    pack_version: text,
    land: text,
    decision: decisionSchema.nullable(),
    code: text,
    reason: text,
    mode: text,
    approved_by: text,
    run_id: idSchema.nullable(),
    ran: z.boolean().nullable(),
    exit_code: z.number().int().nullable(),
    duration_ms: z.number().int().nullable(),
    arg_names: z.array(z.string()),
    args_digest: text,
    subject: text.describe('What an administrative act touched, `<kind>:<id>`.'),
    details: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEvent = z.infer<typeof auditEventSchema>;

export const auditPageSchema = pageOf(auditEventSchema, 'AuditPage');

export const listAuditQuerySchema = z.strictObject({
  pack_id: packIdSchema.optional(),
  principal_id: idSchema.optional(),
  action: lineSchema.min(1).max(100).optional(),
  decision: decisionSchema.optional(),
  run_id: idSchema.optional(),
  from: timestampSchema.optional().describe('Inclusive.'),
  to: timestampSchema.optional().describe('Exclusive.'),
  ...pageQuery,
});
export type ListAuditQuery = z.infer<typeof listAuditQuerySchema>;

export const auditRoutes = defineRoutes({
  audit_list: {
    method: 'GET',
    path: '/v1/audit',
    summary: 'Read the audit log, newest first',
    requires: 'audit.read',
    refuses: ANYONE,
    status: 200,
    query: listAuditQuerySchema,
    response: auditPageSchema,
  },
});
