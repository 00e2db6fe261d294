import { MAX_WAIT_MS } from '@hcp/core';
import { z } from 'zod';
import { listCommandsQuerySchema } from './commands.js';
import { ANYONE, defineRoutes } from './common/route.js';
import { idSchema, packIdSchema } from './common/primitives.js';
import { execRequestSchema } from './exec.js';

/** A JSON-RPC 2.0 response: `result` or `error`. */
export const jsonRpcResponseSchema = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]).optional(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.object({ code: z.number().int(), message: z.string(), data: z.unknown().optional() }).optional(),
  })
  .meta({
    id: 'JsonRpcResponse',
    description: 'A response of the Model Context Protocol, or a stream of its messages.',
  });

const pageQuery = listCommandsQuerySchema.pick({ pack_id: true, limit: true, cursor: true });

/** What each of the product's own tools takes (SPEC I2); the tools of commands take what their packs say. */
export const MCP_TOOLS = {
  hcp_commands: {
    title: 'HCP: commands',
    description: 'List your commands and whether each runs (allow), asks a person first (ask) or is refused (deny).',
    args: pageQuery,
  },
  hcp_preview: {
    title: 'HCP: preview',
    description: 'Show what a call would do and what a person would be asked, without running it or asking anyone.',
    args: execRequestSchema.pick({ pack_id: true, verb_key: true, args: true }).required({ pack_id: true }),
  },
  hcp_skill: {
    title: 'HCP: skill',
    description: 'Read how to use a pack: the lead first, all of it with full. Without a pack: how to work here.',
    args: z.strictObject({
      pack_id: packIdSchema.optional(),
      full: z.boolean().optional().describe('The whole text, not only its lead.'),
    }),
  },
  hcp_status: {
    title: 'HCP: status',
    description:
      'See how a run goes, by run_id, or whether a person has answered, by approval_id: its state, its clocks and what to do ' +
      'next.',
    args: z
      .strictObject({
        run_id: idSchema.optional(),
        approval_id: idSchema.optional(),
        wait_ms: z
          .number()
          .int()
          .min(0)
          .max(MAX_WAIT_MS)
          .optional()
          .describe('How long to wait for the end of a run, or for an answer to a request that waits for a person.'),
        card: z.boolean().optional().describe('With approval_id: also what the person is shown.'),
      })
      .refine((args) => (args.run_id === undefined) !== (args.approval_id === undefined), {
        message: 'must have either run_id or approval_id',
      }),
  },
} as const;
export type McpTool = keyof typeof MCP_TOOLS;

/** The path of the protected resource metadata of `/mcp` (RFC 9728), which its 401 names. */
export const MCP_RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

export const mcpRoutes = defineRoutes({
  mcp: {
    method: 'POST',
    path: '/mcp',
    summary: 'Run commands as tools of the Model Context Protocol (streamable HTTP)',
    requires: 'authenticated',
    refuses: ANYONE,
    counts_as_agent: true,
    status: 200,
    body: 'json-rpc',
    response: jsonRpcResponseSchema,
  },
});
