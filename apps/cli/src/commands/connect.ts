import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { Failure } from '../failure.js';
import { leaf, optionsOf } from './leaf.js';
import { optionalProject } from './names.js';

interface ConnectOptions extends CommonOptions {
  readonly shared?: boolean;
  readonly wait?: boolean;
  readonly browser?: boolean;
}

const POLL_MS = 1000;

/** SPEC B2: the account stays with the person's browser; what comes here is a link and how far it has come. */
export function registerConnect(program: Command, context: Context): void {
  leaf(program, 'connect <pack>', 'Connect an account to a pack in your browser (OAuth)')
    .option('--project <id>', 'serve this project alone: name or id')
    .option('--shared', 'for everyone in the project or tenant, not only for you')
    .option('--no-browser', 'print the link and open nothing')
    .option('--no-wait', 'print the link and do not wait until it is done')
    .action(async (pack: string, _options: unknown, command: Command) =>
      connect(context, pack, optionsOf<ConnectOptions>(command)),
    );
}

async function connect(context: Context, pack_id: string, options: ConnectOptions): Promise<void> {
  const { ui, io } = context;
  const hcp = await context.hcp(options);
  const project_id = await optionalProject(hcp, options.project);
  const started = await hcp.api.bindings.connect({
    pack_id,
    ...(project_id === undefined ? {} : { project_id }),
    ...(options.shared === true ? { shared: true } : {}),
  });
  if (options.wait === false) {
    if (options.json === true) ui.json(started);
    else ui.note(`Open ${ui.safe(started.authorize_url)}\nThe page shows the code ${ui.safe(started.code)}.`);
    return;
  }
  ui.note(`Open this in your browser:\n\n  ${ui.safe(started.authorize_url)}\n`);
  ui.note(`Go on there only if it shows the code ${ui.safe(started.code)}. Waiting until ${started.expires_at} …`);
  if (io.interactive && options.browser !== false) io.openBrowser(started.authorize_url);
  let now: Connection;
  do {
    await sleep(POLL_MS, undefined, { signal: io.signal });
    now = await hcp.api.bindings.connection(started.connection_id);
  } while (now.status === 'pending' || now.status === 'started');
  if (now.status !== 'connected') {
    const why = now.status === 'expired' ? 'it took longer than ten minutes' : (now.reason ?? 'it failed');
    throw new Failure(`not connected: ${why}`, `Begin again with hcpx connect ${pack_id}.`);
  }
  if (options.json === true) ui.json(now);
  else ui.note(`${ui.style('green', '✓', 'err')} ${ui.safe(pack_id)} is connected to ${ui.safe(now.provider)}`);
}
