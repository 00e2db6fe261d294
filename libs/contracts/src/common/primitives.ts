import { ARG_NAME, PACK_ID, SEMVER, VERB_KEY } from '@hcp/core';
import { z } from 'zod';

/** Identifiers are UUIDs; an id of another tenant and an id that does not exist answer the same 404. */
export const idSchema = z.uuid();

const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00Z');

/** RFC 3339, always with a zone. A database has no year 0. */
export const timestampSchema = z.iso
  .datetime({ offset: true })
  .refine((text) => !(Date.parse(text) < FIRST_MOMENT), 'must not be before the year 1');

export const packIdSchema = z.string().regex(PACK_ID);
export const verbKeySchema = z.string().regex(VERB_KEY);
export const versionSchema = z.string().max(100).regex(SEMVER);
export const argNameSchema = z.string().regex(ARG_NAME);
export const digestSchema = z.string().regex(/^sha256:[0-9a-f]{64}$/);
/** What a database keeps as it is and a log shows on one line: no NUL or other controls, no half surrogate. */
const LINE = /^[^\p{Cc}\p{Cs}]*$/u;
export const lineSchema = z.string().regex(LINE, 'must be one line of well-formed text without control characters');
export const nameSchema = lineSchema.trim().min(1).max(100);

/** A part of what is looked for. */
export const searchSchema = lineSchema.trim().min(1).max(100);

/** Cursor and page size of every list (SPEC I1). Query values arrive as strings. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(200).optional().describe('Items per page, 50 by default.'),
  cursor: z.string().min(1).max(512).optional().describe('`next_cursor` of the page before; opaque.'),
};

export const pageQuerySchema = z.strictObject(pageQuery);
export type PageQuery = z.infer<typeof pageQuerySchema>;

export const DEFAULT_PAGE_SIZE = 50;

/** A list answer: `next_cursor` is null on the last page. */
export function pageOf<T extends z.ZodType>(item: T, id: string) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() }).meta({ id });
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export const idParamsSchema = z.strictObject({ id: idSchema });
