import { z } from 'zod';
import { idSchema } from './common/primitives.js';

/** Codes of problem details, outside exec (SPEC I1, E7). */
export const PROBLEM_CODES = [
  'invalid_request',
  'invalid_credentials',
  'unauthenticated',
  'tenant_required',
  'forbidden',
  'missing_capability',
  'human_only',
  'not_found',
  'method_not_allowed',
  'conflict',
  'version_conflict',
  'idempotency_conflict',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_pack',
  'rate_limited',
  'workspace_busy',
  'quota_exceeded',
  'unavailable',
  'internal',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** Which field is wrong and why; never the value. */
export const fieldErrorSchema = z
  .object({ path: z.string().describe('JSON pointer, e.g. /grants/0/capability.'), message: z.string() })
  .meta({ id: 'FieldError' });
export type FieldError = z.infer<typeof fieldErrorSchema>;

/** RFC 9457 problem details. `code` is stable, `title` and `detail` are for people. */
export const problemSchema = z
  .object({
    type: z.string().describe('`about:blank` or a page about the code.'),
    title: z.string(),
    status: z.number().int().min(400).max(599),
    detail: z.string().optional(),
    code: z.enum(PROBLEM_CODES),
    errors: z.array(fieldErrorSchema).optional(),
    tenants: z
      .array(z.object({ id: idSchema, name: z.string() }))
      .optional()
      .describe('With `tenant_required`: name one of them as tenant_id.'),
    retry_after_ms: z.number().int().nonnegative().optional().describe('With `rate_limited` and `workspace_busy`.'),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details.' });
export type Problem = z.infer<typeof problemSchema>;
