import type { Command } from 'commander';
import type { Context } from '../context.js';
import { act } from './group.js';

/** The kill switch of a pack (SPEC T5), beside the other commands of `hcpx pack`. */
export function registerPackSwitch(program: Command, context: Context): void {
  const pack = program.commands.find((command) => command.name() === 'pack') ?? program.command('pack');
  const stop = 'Stop a pack in the whole tenant at once, queued and running runs included';
  act(context, pack, 'stop <pack>', stop, ({ api }, id = '') => api.packs.stop(id), 'is stopped');
  act(
    context,
    pack,
    'resume <pack>',
    'Let a stopped pack go on',
    ({ api }, id = '') => api.packs.resume(id),
    'goes on',
  );
}
