import { MAX_SESSION_SECONDS } from '@hcp/contracts';
import type { Command } from 'commander';
import { secondsFrom } from '../args/times.js';
import type { CommonOptions, Context } from '../context.js';
import { optionalProject } from './names.js';
import { leaf, optionsOf } from './leaf.js';

interface OpenOptions extends CommonOptions {
  readonly project?: string;
  readonly pack?: string[];
  readonly expiresIn?: string;
}

/** SPEC T4. */
export function registerSessions(program: Command, context: Context): void {
  const { ui } = context;
  const sessions = program.command('sessions').description('List, open and end sessions');

  leaf(sessions, 'list', 'List your open sessions').action(async (_options: unknown, command: Command) => {
    const options = optionsOf(command);
    const page = await (await context.hcp(options)).api.sessions.list({ limit: 200 });
    if (options.json === true) ui.json(page.items);
    else {
      ui.table(
        ['SESSION', 'KIND', 'CLIENT', 'PROJECT', 'PACKS', 'ENDS', ''],
        page.items.map((each) => [
          each.id,
          each.kind,
          each.client?.name ?? '-',
          each.project_id ?? '-',
          each.packs?.join(' ') ?? '*',
          each.expires_at,
          each.current ? 'this one' : '',
        ]),
      );
    }
  });

  leaf(sessions, 'open', 'Open a session that reaches less, for HCP_SESSION or --session')
    .option('--project <id>', 'the only project it reaches: name or id')
    .option('--pack <id...>', 'the only packs it reaches')
    .option('--expires-in <time>', 'when it ends: 8h (m, h, d, w from now), or seconds')
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<OpenOptions>(command);
      const expires_in_s =
        options.expiresIn === undefined
          ? undefined
          : secondsFrom(options.expiresIn, '--expires-in', { min: 60, max: MAX_SESSION_SECONDS });
      const hcp = await context.hcp(options);
      const project_id = await optionalProject(hcp, options.project);
      const session = await hcp.api.sessions.create({
        ...(project_id === undefined ? {} : { project_id }),
        ...(options.pack === undefined ? {} : { packs: options.pack }),
        ...(expires_in_s === undefined ? {} : { expires_in_s }),
      });
      if (options.json === true) ui.json(session);
      else {
        ui.line(session.id);
        ui.note(ui.dim(`ends ${session.expires_at}; use it with HCP_SESSION=${session.id}`, 'err'));
      }
    });

  leaf(sessions, 'end <id>', 'Revoke a session').action(async (id: string, _options: unknown, command: Command) => {
    const options = optionsOf(command);
    await (await context.hcp(options)).api.sessions.delete(id);
    if (options.json === true) ui.json({ ok: true, id });
    else ui.note(`session ${ui.safe(id)} has ended`);
  });
}
