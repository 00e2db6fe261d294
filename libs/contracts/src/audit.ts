import { z } from 'zod';
import { ANYONE, defineRoutes } from './common/route.js';
import {
  idParamsSchema,
  idSchema,
  lineSchema,
  packIdSchema,
  pageOf,
  pageQuery,
  timestampSchema,
} from './common/primitives.js';

/** Media type of lines of JSON. */
export const LINES_TYPE = 'application/x-ndjson';

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

const auditFilters = {
  pack_id: packIdSchema.optional(),
  principal_id: idSchema.optional(),
  action: lineSchema.min(1).max(100).optional(),
  decision: decisionSchema.optional(),
  run_id: idSchema.optional(),
  from: timestampSchema.optional().describe('Inclusive.'),
  to: timestampSchema.optional().describe('Exclusive.'),
};

export const listAuditQuerySchema = z.strictObject({ ...auditFilters, ...pageQuery });
export type ListAuditQuery = z.infer<typeof listAuditQuerySchema>;

/** Places in a log count from 0. By its digits: a number made of nothing would be the first place. */
const placeSchema = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,14})$/, 'must be a whole number')
  .transform(Number);

export const exportAuditQuerySchema = z.strictObject({
  ...auditFilters,
  start: placeSchema.optional().describe('Place of the first event, counted from 0.'),
  end: placeSchema.optional().describe('Place after the last event.'),
});
export type ExportAuditQuery = z.infer<typeof exportAuditQuerySchema>;

const hashSchema = z.string().length(44).describe('SHA-256 in base 64.');
const sizeSchema = z.number().int().nonnegative();

export const auditCheckpointSchema = z
  .object({
    origin: z.string().describe('Names the log: the installation and the tenant.'),
    size: sizeSchema.describe('Events in the log.'),
    root: hashSchema.describe('Root of the Merkle tree over them (RFC 6962).'),
    signed_at: timestampSchema,
    checkpoint: z
      .string()
      .describe('The signed note (C2SP tlog-checkpoint). Keep it, and later logs can be held to it.'),
    key: z.string().describe('The key that verifies it, as C2SP signed-note writes keys.'),
  })
  .meta({ id: 'AuditCheckpoint' });
export type AuditCheckpoint = z.infer<typeof auditCheckpointSchema>;

export const auditProofSchema = z
  .object({
    event_id: idSchema,
    index: sizeSchema.describe('Place of the event in the log, counted from 0.'),
    leaf: hashSchema.describe('Hash of the event: of a zero byte and its canonical JSON (RFC 8785) without nulls.'),
    path: z.array(hashSchema).describe('Hashes that lead from the leaf to the root (RFC 6962, 2.1.1).'),
    checkpoint: auditCheckpointSchema,
  })
  .meta({ id: 'AuditProof' });
export type AuditProof = z.infer<typeof auditProofSchema>;

export const auditConsistencyQuerySchema = z.strictObject({
  from: placeSchema.describe('Size of the older log.'),
  to: placeSchema.optional().describe('Size of the newer one; the current by default.'),
});
export type AuditConsistencyQuery = z.infer<typeof auditConsistencyQuerySchema>;

export const auditConsistencySchema = z
  .object({
    from: sizeSchema,
    to: sizeSchema,
    from_root: hashSchema,
    to_root: hashSchema,
    path: z.array(hashSchema).describe('Shows that the newer log begins with the older one (RFC 6962, 2.1.2).'),
  })
  .meta({ id: 'AuditConsistency' });
export type AuditConsistency = z.infer<typeof auditConsistencySchema>;

export const auditKeySchema = z
  .object({
    log_name: z.string().describe('The installation, with which the origin of each of its logs begins.'),
    public_key: z.string().length(44).describe('The last part of the key that checkpoints are verified with.'),
  })
  .meta({ id: 'AuditKey' });
export type AuditKey = z.infer<typeof auditKeySchema>;

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
  audit_export: {
    method: 'GET',
    path: '/v1/audit/export',
    summary: 'Get the audit log as lines of JSON that can be verified',
    requires: 'audit.read',
    refuses: ANYONE,
    status: 200,
    query: exportAuditQuerySchema,
    response: 'ndjson',
  },
  audit_checkpoint: {
    method: 'GET',
    path: '/v1/audit/checkpoint',
    summary: 'Get what the audit log is now, signed',
    requires: 'audit.read',
    refuses: ANYONE,
    status: 200,
    response: auditCheckpointSchema,
  },
  audit_consistency: {
    method: 'GET',
    path: '/v1/audit/consistency',
    summary: 'Get the proof that the audit log only grew',
    requires: 'audit.read',
    refuses: ANYONE,
    status: 200,
    query: auditConsistencyQuerySchema,
    response: auditConsistencySchema,
  },
  audit_key: {
    method: 'GET',
    path: '/v1/audit/key',
    summary: 'Get the public key of the audit logs of this installation',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    response: auditKeySchema,
  },
  audit_get: {
    method: 'GET',
    path: '/v1/audit/events/:id',
    summary: 'Get one audit event',
    requires: 'audit.read',
    refuses: ANYONE,
    status: 200,
    params: idParamsSchema,
    response: auditEventSchema,
  },
  audit_proof: {
    method: 'GET',
    path: '/v1/audit/events/:id/proof',
    summary: 'Get the proof that an event is in the audit log',
    requires: 'audit.read',
    refuses: ANYONE,
    status: 200,
    params: idParamsSchema,
    response: auditProofSchema,
  },
});
