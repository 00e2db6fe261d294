import { Controller, Inject, Query } from '@nestjs/common';
import {
  DEFAULT_PAGE_SIZE,
  listCommandsQuerySchema,
  type CommandInfo,
  type ListCommandsQuery,
  type Page,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { AccessLoader } from '@hcp/access';
import { Database, type Tx } from '@hcp/database';
import { listCommands, type CommandView } from '@hcp/packs';
import { cursorOf, keyOfCursor } from '../packs/cursor.js';
import { CurrentCaller } from '../platform/metadata.js';
import { notFound } from '../platform/problem.js';
import { Route } from '../platform/route.js';

/** What the caller may run now (SPEC A9). */
@Controller()
export class CommandsController {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(AccessLoader) private readonly access: AccessLoader,
  ) {}

  @Route('commands_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listCommandsQuerySchema }) query: ListCommandsQuery,
  ): Promise<Page<CommandInfo>> {
    const { pack_id, project_id = null, limit = DEFAULT_PAGE_SIZE } = query;
    const after = keyOfCursor(query.cursor);
    const wanted = {
      project_id,
      ...(pack_id !== undefined && { pack_id }),
      access: (tx: Tx, in_project: string | null) => this.access.load(tx, { caller, project_id: in_project }),
    };
    const found = await this.db.tenant(caller.tenant_id, (tx) => listCommands(tx, caller, wanted, new Date()));
    if (!found) throw notFound();
    const rest = found.filter((view) => after === null || sortKey(view) > after);
    const shown = rest.slice(0, limit);
    const last = rest.length > shown.length ? shown.at(-1) : undefined;
    return { items: shown.map(commandInfo), next_cursor: cursorOf(last ? sortKey(last) : null) };
  }
}

/** In the order of the list: a blank sorts before every character that an id may have. */
function sortKey({ pack, verb_key }: CommandView): string {
  return `${pack.manifest.pack_id} ${verb_key}`;
}

function commandInfo({ pack, verb_key, command, row, access }: CommandView): CommandInfo {
  return {
    pack_id: pack.manifest.pack_id,
    verb_key,
    description: command.description,
    operation: row.operation,
    confirm: row.confirm,
    land: row.privacy.land,
    args: command.args,
    cli: command.cli,
    ...access,
  };
}
