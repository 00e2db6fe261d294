import { z } from 'zod';
import { ANYONE, defineRoutes } from './common/route.js';
import {
  idParamsSchema,
  idSchema,
  packIdSchema,
  pageOf,
  pageQuerySchema,
  timestampSchema,
} from './common/primitives.js';

/** Names the explicit session of a call; without it the token's default session counts (SPEC T4). */
export const SESSION_HEADER = 'hcp-session';
/** `1` makes any call an agent's (SPEC T2). */
export const AGENT_HEADER = 'hcp-agent';

/** Sessions end after 8 h (SPEC T4). */
export const MAX_SESSION_SECONDS = 8 * 3600;

export const createSessionSchema = z
  .strictObject({
    project_id: idSchema.optional(),
    packs: z.array(packIdSchema).max(200).optional().describe('A subset of the active packs; omitted: all of them.'),
    expires_in_s: z.number().int().min(60).max(MAX_SESSION_SECONDS).optional().describe('8 hours by default.'),
  })
  .meta({ id: 'CreateSession', description: 'Opens a session narrower than the one of the call.' });
export type CreateSession = z.infer<typeof createSessionSchema>;

export const sessionSchema = z
  .object({
    id: idSchema,
    kind: z.enum(['default', 'explicit']),
    interactive: z.boolean(),
    client: z
      .object({ id: z.string(), name: z.string().describe('What it calls itself; not proven.') })
      .nullable()
      .describe('The MCP client that a person let act for them.'),
    project_id: idSchema.nullable(),
    packs: z.array(packIdSchema).nullable().describe('Null: every active pack.'),
    expires_at: timestampSchema,
    created_at: timestampSchema,
    current: z.boolean().describe('The session of this very call.'),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof sessionSchema>;

export const sessionPageSchema = pageOf(sessionSchema, 'SessionPage');

export const sessionRoutes = defineRoutes({
  sessions_create: {
    method: 'POST',
    path: '/v1/sessions',
    summary: 'Open a narrower session',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 201,
    body: createSessionSchema,
    response: sessionSchema,
  },
  sessions_list: {
    method: 'GET',
    path: '/v1/sessions',
    summary: 'List your open sessions',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    query: pageQuerySchema,
    response: sessionPageSchema,
  },
  sessions_delete: {
    method: 'DELETE',
    path: '/v1/sessions/:id',
    summary: 'Revoke a session',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 204,
    params: idParamsSchema,
  },
});
