import { HcpError, items } from '@hcp/sdk';
import type { Command } from 'commander';
import { didYouMean } from '../args/nearest.js';
import { optionalTime } from '../args/times.js';
import type { CommonOptions, Context } from '../context.js';
import { GRANT_HELP, grantText, parseGrant, type WireGrant } from './grant-text.js';
import { act, type Client, given, showList, showOne } from './group.js';
import { optionalProject, principalId } from './names.js';
import { leaf, optionsOf } from './leaf.js';

interface CreateOptions extends CommonOptions {
  readonly project?: string;
  readonly expires?: string;
}

/** SPEC G1. */
export function registerGrants(program: Command, context: Context): void {
  const grants = program.command('grants').description('List, give and take away rights');

  leaf(grants, 'list', 'List grants')
    .option('--principal <id>', 'of one principal: name or id')
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<CommonOptions & { principal?: string }>(command);
      const hcp = await context.hcp(options);
      const { api } = hcp;
      const principal_id =
        options.principal === undefined ? undefined : await principalId(hcp, options.principal, '--principal');
      const filter = given({ principal_id });
      await showList(context, options, (query) => api.grants.list({ ...filter, ...query }), {
        head: ['GRANT', 'PRINCIPAL', 'RIGHT', 'SINCE'],
        row: (each) => [each.id, each.principal_id, grantText(each), each.created_at],
      });
    });

  leaf(grants, 'create <principal> <grant>', 'Give a right, no wider than what you hold; the principal by name or id')
    .option('--project <id>', 'in this project alone: name or id')
    .option('--expires <time>', 'when it ends: 30d, 2027-01-31 or RFC 3339')
    .addHelpText('after', GRANT_HELP)
    .action(async (principal: string, grant: string, _options: unknown, command: Command) => {
      const options = optionsOf<CreateOptions>(command);
      const wanted = parseGrant(grant);
      const expires_at = optionalTime(options.expires, context.io.now());
      const hcp = await context.hcp(options);
      const principal_id = await principalId(hcp, principal, 'the principal');
      const project_id = await optionalProject(hcp, options.project);
      const made = await hcp.api.grants.create({ principal_id, ...wanted, ...given({ project_id, expires_at }) });
      await warnOfUnknown(context, hcp, wanted, project_id);
      showOne(context, options, made, [
        ['grant', made.id],
        ['principal', made.principal_id],
        ['right', grantText(made)],
      ]);
    });

  act(
    context,
    grants,
    'delete <id>',
    'Take a right away',
    ({ api }, id = '') => api.grants.delete(id),
    'is taken away',
  );
}

/** A right may come before its pack; a misspelt one looks the same, so it is said. */
async function warnOfUnknown(
  { ui }: Context,
  { api }: Client,
  { pack_id, verb_keys = [] }: WireGrant,
  project_id: string | undefined,
): Promise<void> {
  if (pack_id === undefined) return;
  const known: string[] = [];
  const filter = { pack_id, ...given({ project_id }) };
  try {
    for await (const each of items((query) => api.commands.list({ ...filter, ...query }))) known.push(each.verb_key);
  } catch (error) {
    if (error instanceof HcpError) return;
    throw error;
  }
  const warn = (text: string): void => ui.note(`${ui.style('yellow', 'warning:', 'err')} ${ui.safe(text)}`);
  if (known.length === 0) {
    warn(`no active pack ${pack_id} that you can see; the right counts once there is one`);
    return;
  }
  for (const verb_key of verb_keys.filter((each) => !known.includes(each))) {
    warn(`${pack_id} has no command ${verb_key} now. ${didYouMean(verb_key, known)}`.trimEnd());
  }
}
