import type { Command } from 'commander';
import { optionalTime } from '../args/times.js';
import type { CommonOptions, Context } from '../context.js';
import { GRANT_HELP, grantText, parseGrant } from './grant-text.js';
import { act, given, showList, showSecret } from './group.js';
import { keyId, optionalProject, principalId } from './names.js';
import { leaf, optionsOf } from './leaf.js';

interface CreateOptions extends CommonOptions {
  readonly for?: string;
  readonly project?: string;
  readonly grant?: string[];
  readonly expires?: string;
}

/** SPEC T5: a key is shown once. */
export function registerKeys(program: Command, context: Context): void {
  const keys = program.command('keys').description('List, make and revoke API keys');

  leaf(keys, 'list', 'List your keys, or all where you manage access').action(
    async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const { api } = await context.hcp(options);
      await showList(context, options, (query) => api.apiKeys.list(query), {
        head: ['KEY', 'NAME', 'OWNER', 'PROJECT', 'GRANTS', 'STATE', 'ENDS'],
        row: (each) => [
          each.id,
          each.name,
          each.principal_name ?? each.principal_id,
          each.project_id ?? '*',
          each.grants?.map(grantText).join(' ') ?? '*',
          each.revoked_at === null ? 'ok' : 'revoked',
          each.expires_at ?? '-',
        ],
      });
    },
  );

  leaf(keys, 'create <name>', 'Make a key for yourself, an agent or a service')
    .option('--for <principal>', 'an agent or service: name or id')
    .option('--project <id>', 'the only project it reaches: name or id')
    .option('--grant <grant...>', 'what it may do of what its owner may')
    .option('--expires <time>', 'when it ends: 30d, 2027-01-31 or RFC 3339')
    .addHelpText('after', GRANT_HELP)
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<CreateOptions>(command);
      const grants = options.grant?.map(parseGrant);
      const expires_at = optionalTime(options.expires, context.io.now());
      const hcp = await context.hcp(options);
      const principal_id = options.for === undefined ? undefined : await principalId(hcp, options.for, '--for');
      const project_id = await optionalProject(hcp, options.project);
      const made = await hcp.api.apiKeys.create({ name, ...given({ principal_id, project_id, grants, expires_at }) });
      showSecret(context, options, made, made.key, `key ${made.id}, shown this once:`);
    });

  act(
    context,
    keys,
    'revoke <key>',
    'Revoke a key: name or id',
    async (hcp, key = '') => hcp.api.apiKeys.delete(await keyId(hcp, key, 'the key')),
    'is revoked',
  );
}
