import { Body, Controller, Inject, Req, Res } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { ROUTES } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import type { Env } from '../platform/env.js';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { ENV } from '../platform/tokens.js';
import { CommandTools } from './command-tools.js';
import { mcpServer, type McpParts } from './mcp-server.js';
import { OwnTools } from './own-tools.js';

/** Headers that the protocol reads; credentials are not among them. */
const FORWARDED = /^(?:accept|content-type|last-event-id|mcp-.*)$/;

/** The Model Context Protocol over streamable HTTP (SPEC I2); the SDK speaks it, in its present and earlier revisions. */
@Controller()
export class McpController {
  readonly #parts: McpParts;

  constructor(
    @Inject(ENV) private readonly env: Env,
    @Inject(CommandTools) commands: CommandTools,
    @Inject(OwnTools) own: OwnTools,
    @Inject(PinoLogger) log: PinoLogger,
  ) {
    this.#parts = { commands, own, onError: (error) => log.error({ err: error }, 'mcp') };
  }

  @Route('mcp')
  @ApiBody({ required: true, schema: { type: 'object', description: 'A message of JSON-RPC 2.0.' } })
  async handle(
    @CurrentCaller() caller: Caller,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const gone = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    // Nothing is ever announced, so there is nothing to subscribe to.
    const handler = createMcpHandler(() => mcpServer(this.#parts, caller), { maxSubscriptions: 0 });
    const asked = new Request(this.env.PUBLIC_URL + ROUTES.mcp.path, {
      method: 'POST',
      headers: forwarded(request),
      signal: gone.signal,
    });
    await reply.send(await handler.fetch(asked, { parsedBody: body }));
  }
}

function forwarded({ headers }: FastifyRequest): Headers {
  const kept = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (FORWARDED.test(name) && typeof value === 'string') kept.set(name, value);
  }
  return kept;
}
