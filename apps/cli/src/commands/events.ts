import type { TenantEvent } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { INTERRUPTED } from '../failure.js';
import { leaf, optionsOf } from './leaf.js';

/** What happens in the tenant, as far as the caller may see it (SPEC 17). */
export function registerEvents(program: Command, context: Context): void {
  leaf(program, 'events', 'Follow what happens: approvals, runs and Sense events that you may see').action(
    async (_options: unknown, command: Command) => follow(context, optionsOf(command)),
  );
}

async function follow(context: Context, options: CommonOptions): Promise<void> {
  const { io, ui } = context;
  const { api } = await context.hcp(options);
  try {
    for await (const event of api.events.follow({ signal: io.signal })) {
      if (options.json === true) ui.json(event);
      else if (event.type === 'ready') ui.note(ui.dim('waiting for what happens; Ctrl-C ends', 'err'));
      else if (event.type === 'reset') ui.note('something may have been missed: look at hcpx runs and hcpx approvals');
      else ui.line(ui.safe(lineOf(event)));
    }
  } catch (error) {
    if (!io.signal.aborted) throw error;
    context.exit_code = INTERRUPTED;
  }
}

function lineOf(event: Exclude<TenantEvent, { type: 'ready' | 'reset' | 'ping' }>): string {
  if (event.type === 'sense.changed') {
    return `${event.at}  sense ${event.sense_id}  ${event.pack_id} ${event.kind}  ${event.state}`;
  }
  const [what, id, state] =
    event.type === 'run.updated' ? ['run', event.run_id, event.status] : ['approval', event.approval_id, event.state];
  return `${event.at}  ${what} ${id}  ${event.pack_id}.${event.verb_key}  ${state}`;
}
