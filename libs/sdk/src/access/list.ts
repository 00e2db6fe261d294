import type { CommandInfo } from '@hcp/contracts';
import { accessOf } from '@hcp/core';
import { schemaCheck } from '@hcp/schemas';
import { HcpError } from '../errors.js';
import { type Judging, NO_PACKS } from './judging.js';

/**
 * What the runtime has, each command with what it would come to.
 * @throws HcpError `invalid_request` for settings that are malformed, and where the runtime does not tell its packs
 */
export async function commandsOf(judging: Judging): Promise<readonly CommandInfo[]> {
  const packs = await judging.packs();
  if (packs === null) throw new HcpError({ code: 'invalid_request', status: 0, message: NO_PACKS.error });
  const access = await judging.layers(packs);
  const listed: CommandInfo[] = [];
  for (const [pack_id, pack] of [...packs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const [verb_key, command] of Object.entries(pack.surface.commands).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const row = pack.policy.commands[verb_key];
      if (row === undefined) continue;
      const envelope = { pack_id, verb_key, args: {} };
      const decision = await judging.decide(envelope, {
        packs,
        layers: access,
        check: schemaCheck,
        without_args: true,
      });
      listed.push({
        pack_id,
        verb_key,
        description: command.description,
        operation: row.operation,
        confirm: row.confirm,
        land: row.privacy.land,
        ...(command.args && { args: command.args }),
        ...(command.cli && { cli: command.cli }),
        ...accessOf(decision),
      });
    }
  }
  return listed;
}
