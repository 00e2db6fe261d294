import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { serveTools } from '../mcp/serve.js';
import { connectUpstream } from '../mcp/upstream.js';
import { optionsOf } from './leaf.js';

/** `hcpx mcp` (SPEC I2): standard output is the protocol's alone, and what goes wrong is said on standard error. */
export function registerMcp(program: Command, context: Context): void {
  program
    .command('mcp')
    .description('Serve your commands as MCP tools on standard input and output, for an agent’s host to start')
    .option('--url <url>', 'address of the API (default: HCP_URL, or the last login)')
    .option('--session <id>', 'an explicit session (default: HCP_SESSION)')
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<CommonOptions>(command);
      const { io, ui } = context;
      const hcp = await context.hcp(options, { agent: true });
      // Says why where nobody is signed in; the protocol has no words for it.
      await hcp.api.auth.me({ signal: io.signal });
      const upstream = await connectUpstream(hcp, await context.url(options), io.signal);
      try {
        await serveTools(upstream, io.stdio(), io.signal, (text) => ui.note(`hcpx mcp: ${text}`));
      } finally {
        await upstream.close();
      }
    });
}
