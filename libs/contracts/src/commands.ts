import { LANDS, OPERATIONS } from '@hcp/core';
import { z } from 'zod';
import { ANYONE, defineRoutes } from './common/route.js';
import { idSchema, packIdSchema, pageOf, pageQuery, verbKeySchema } from './common/primitives.js';

export const listCommandsQuerySchema = z.strictObject({
  pack_id: packIdSchema.optional(),
  project_id: idSchema.optional().describe('Judge as if the call were made in this project.'),
  ...pageQuery,
});
export type ListCommandsQuery = z.infer<typeof listCommandsQuerySchema>;

/** SPEC A9. */
export const commandSchema = z
  .object({
    pack_id: packIdSchema,
    verb_key: verbKeySchema,
    description: z.string(),
    operation: z.enum(OPERATIONS),
    confirm: z.union([z.boolean(), z.literal('always')]),
    land: z.enum(LANDS),
    args: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of the arguments.'),
    cli: z.array(z.string()).optional().describe('The command line with {{name}} placeholders.'),
    access: z.enum(['allow', 'ask', 'deny']).describe('What a call would get now, with valid arguments.'),
    reason: z.string().nullable(),
    code: z.string().nullable().describe('The code that an ask or a refusal would carry.'),
  })
  .meta({ id: 'Command' });
export type CommandInfo = z.infer<typeof commandSchema>;

export const commandPageSchema = pageOf(commandSchema, 'CommandPage');

export const commandRoutes = defineRoutes({
  commands_list: {
    method: 'GET',
    path: '/v1/commands',
    summary: 'List commands and whether the caller may run them',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    query: listCommandsQuerySchema,
    response: commandPageSchema,
  },
});
