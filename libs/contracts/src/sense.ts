import { SENSE_KIND, SENSE_SEVERITIES } from '@hcp/core';
import { z } from 'zod';
import { idSchema, packIdSchema, pageOf, pageQuery, timestampSchema } from './common/primitives.js';
import { ANYONE, defineRoutes, NO_AGENTS } from './common/route.js';

export const senseEventSchema = z
  .object({
    id: idSchema,
    kind: z.string().describe('credential_stale, pack_unavailable, approval_waiting, or the word of a source.'),
    severity: z.enum(SENSE_SEVERITIES),
    subject: z.string().describe('What it is about, such as binding:<id>.'),
    message: z.string().describe('Of a source: whatever its program says; escape it where it is shown.'),
    pack_id: packIdSchema,
    verb_key: z.string().nullable().describe('The command of the source that saw it; null: the product itself.'),
    project_id: idSchema.nullable(),
    principal_id: idSchema.nullable().describe('Whose alone it is, or who asks.'),
    count: z.number().int().describe('How often it was seen.'),
    opened_at: timestampSchema,
    last_seen_at: timestampSchema,
    cleared_at: timestampSchema.nullable().describe('When it was mended.'),
  })
  .meta({ id: 'SenseEvent' });
export type SenseEvent = z.infer<typeof senseEventSchema>;

export const senseEventPageSchema = pageOf(senseEventSchema, 'SenseEventPage');

export const listSenseQuerySchema = z.strictObject({
  open: z
    .enum(['0', '1'])
    .optional()
    .describe('1, the default: what is not mended; 0: what was in the last month, too.'),
  kind: z.string().regex(SENSE_KIND).optional(),
  severity: z.enum(SENSE_SEVERITIES).optional(),
  pack_id: packIdSchema.optional(),
  limit: pageQuery.limit,
  cursor: idSchema.optional().describe('`next_cursor` of the page before.'),
});
export type ListSenseQuery = z.infer<typeof listSenseQuerySchema>;

/** Seconds between two looks. */
export const SENSE_EVERY_S = { min: 60, max: 86_400, fallback: 300 } as const;

export const setSenseSourceSchema = z
  .strictObject({
    enabled: z.boolean(),
    every_s: z
      .number()
      .int()
      .min(SENSE_EVERY_S.min)
      .max(SENSE_EVERY_S.max)
      .optional()
      .describe(`Seconds between two looks, ${String(SENSE_EVERY_S.fallback)} by default.`),
    project_id: idSchema.optional().describe('Where its commands run; omitted: in no project.'),
  })
  .meta({ id: 'SetSenseSource' });
export type SetSenseSource = z.infer<typeof setSenseSourceSchema>;

export const senseSourceSchema = z
  .object({
    id: idSchema,
    pack_id: packIdSchema,
    project_id: idSchema.nullable(),
    enabled: z.boolean(),
    every_s: z.number().int(),
    enabled_by: idSchema.describe('Its looks run on the rights of this person or service.'),
    enabled_at: timestampSchema,
    next_at: timestampSchema.nullable().describe('null: it is off or paused.'),
    paused_at: timestampSchema.nullable().describe('When it stopped because it may not run any more.'),
    paused_reason: z.string().nullable().describe('The code of the refusal; whoever may enables it anew.'),
  })
  .meta({ id: 'SenseSource' });
export type SenseSource = z.infer<typeof senseSourceSchema>;

export const senseSourcePageSchema = pageOf(senseSourceSchema, 'SenseSourcePage');

export const senseSourceParamsSchema = z.strictObject({ pack_id: packIdSchema });

export const listSenseSourcesQuerySchema = z.strictObject({
  limit: pageQuery.limit,
  cursor: idSchema.optional().describe('`next_cursor` of the page before.'),
});
export type ListSenseSourcesQuery = z.infer<typeof listSenseSourcesQuerySchema>;

/** SPEC N1, W8. Whose sources a caller may turn on is the use case's to decide: `sense.enable` for the pack and the project. */
export const senseRoutes = defineRoutes({
  sense_list: {
    method: 'GET',
    path: '/v1/sense',
    summary: 'List what should be known of and is not mended, newest first, as far as the caller may see it',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    query: listSenseQuerySchema,
    response: senseEventPageSchema,
  },
  sense_sources_list: {
    method: 'GET',
    path: '/v1/sense/sources',
    summary: 'List packs that are looked at on schedule, of those that the caller may enable',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    query: listSenseSourcesQuerySchema,
    response: senseSourcePageSchema,
  },
  sense_sources_set: {
    method: 'PUT',
    path: '/v1/sense/sources/:pack_id',
    summary: 'Have a sense_only pack looked at on schedule, on the caller’s rights, or no more',
    requires: 'authenticated',
    refuses: NO_AGENTS,
    status: 200,
    params: senseSourceParamsSchema,
    body: setSenseSourceSchema,
    response: senseSourceSchema,
  },
});
