import { Module } from '@nestjs/common';
import { ROUTES } from '@hcp/contracts';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { CommandsModule } from '../commands/commands.module.js';
import { BodyRefusals } from '../platform/body-refusals.js';
import { RunsModule } from '../runs/runs.module.js';
import { CommandTools } from './command-tools.js';
import { McpController } from './mcp.controller.js';
import { OwnTools } from './own-tools.js';

/** JSON-RPC 2.0: a body that is no JSON, and one that is no request. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

@Module({
  imports: [ApprovalsModule, CommandsModule, RunsModule],
  controllers: [McpController],
  providers: [CommandTools, OwnTools],
})
export class McpModule {
  constructor(refusals: BodyRefusals) {
    refusals.register(ROUTES.mcp.path, ({ status, message }) => ({
      status,
      body: {
        jsonrpc: '2.0',
        id: null,
        error: { code: status === 400 ? PARSE_ERROR : INVALID_REQUEST, message: `invalid request: ${message}` },
      },
    }));
  }
}
