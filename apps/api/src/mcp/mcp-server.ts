import { MCP_TOOLS } from '@hcp/contracts';
import { envelopeForAgent, MAX_WAIT_MS, type Caller, type CommandTool } from '@hcp/core';
import { DEFAULT_RUNS_CONFIG } from '@hcp/runs';
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ProblemError } from '../platform/problem.js';
import type { CommandTools } from './command-tools.js';
import type { OwnTools } from './own-tools.js';
import { toolResult } from './result.js';

/** How often a call that waits says so to a client that asked for it. */
const PROGRESS_MS = 2000;

const INSTRUCTIONS = `Each tool but those named hcp_… is one command of a pack; hcp_skill tells how to use a pack before its first use.
A call may be answered with confirm_required: a person has to agree. Tell them so, with the card and the command of the hint by
which they say yes or no, and wait by hcp_status (approval_id, wait_ms). approved: call again with exactly the same arguments.
rejected: a person said no; stop, and do not ask for it again unless they want it. expired: nobody answered in time; ask the
person before you call again. Never set confirm without a person's yes to exactly this call.
denied_by_rule: a person decided that this does not run; stop. still_running: see by hcp_status (run_id).
Any other refusal carries a code and a hint.`;

export interface McpParts {
  readonly commands: CommandTools;
  readonly own: OwnTools;
  /** What went wrong without being anyone's refusal. */
  readonly onError: (error: Error) => void;
}

/**
 * The protocol's side of one request (SPEC I2). Nothing is kept between requests: any replica answers any of them, by
 * the rights of that moment. That the list has changed is not announced, so it is not declared.
 */
export function mcpServer({ commands, own, onError }: McpParts, caller: Caller): Server {
  const server = new Server(
    { name: 'hcp', title: 'HCP', version: '1.0.0' },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', ({ params }) =>
    guarded(onError, async () => {
      const { tools, next } = await commands.page(caller, params?.cursor);
      const first = params?.cursor === undefined ? OWN_TOOLS : [];
      return { tools: [...first, ...tools.map(asTool)], ...(next !== null && { nextCursor: next }) };
    }),
  );
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    guarded(onError, async (): Promise<CallToolResult> => {
      const { name, arguments: args } = params;
      const stop = tellProgress(ctx);
      try {
        const answer = await own.call(caller, name, args);
        if (answer) return answer;
        const wait_ms = stop === null ? DEFAULT_RUNS_CONFIG.wait_ms : MAX_WAIT_MS;
        const called = await commands.call(caller, { name, args, meta: ctx.mcpReq._meta, wait_ms });
        if (called.kind === 'answer') return toolResult(envelopeForAgent(called.envelope), called.envelope.ok);
        // The name is not repeated, and what exec said is what it says of any command that is not here.
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown tool', called.envelope ?? undefined);
      } finally {
        stop?.();
      }
    }),
  );
  return server;
}

/** Says every now and then that the call goes on; null where the client did not ask for it. */
function tellProgress({ mcpReq }: ServerContext): (() => void) | null {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return null;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: 'still running' };
    // Whoever hung up hears nothing, and changes nothing (SPEC E6).
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }, PROGRESS_MS);
  const stop = (): void => clearInterval(timer);
  mcpReq.signal.addEventListener('abort', stop, { once: true });
  return stop;
}

/** What fails in here is told to the operator; its message may hold anything, so the caller gets none of it. */
async function guarded<T>(onError: (error: Error) => void, handle: () => Promise<T>): Promise<T> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof ProblemError && error.status < 500) {
      const { code, detail, errors } = error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, detail, { code, ...(errors && { errors }) });
    }
    onError(error as Error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'something failed');
  }
}

const asTool = ({ inputSchema, ...tool }: CommandTool): Tool => ({
  ...tool,
  inputSchema: inputSchema,
});

const OWN_TOOLS: readonly Tool[] = Object.entries(MCP_TOOLS)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, { title, description, args }]) => ({
    name,
    title,
    description,
    inputSchema: z.toJSONSchema(args, { io: 'input' }) as Tool['inputSchema'],
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  }));
