import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_SIZE, type CommandInfo, type ListCommandsQuery, type Page } from '@hcp/contracts';
import { AccessLoader } from '@hcp/access';
import type { Caller } from '@hcp/core';
import { Database, type Tx } from '@hcp/database';
import { listCommands, type CommandView } from '@hcp/packs';
import { cursorOf, keyOfCursor } from '../packs/cursor.js';

/** What a caller may run now (SPEC A9): every face of the API lists by this. */
@Injectable()
export class CommandList {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(AccessLoader) private readonly access: AccessLoader,
  ) {}

  /** Null where the project is not there, or not the session's. */
  async page(caller: Caller, query: ListCommandsQuery): Promise<Page<CommandInfo> | null> {
    const page = await this.views(caller, query);
    return page && { items: page.items.map(commandInfo), next_cursor: page.next_cursor };
  }

  /** Null as for `page`; leaves out what `wanted` says no to. */
  async views(
    caller: Caller,
    { pack_id, project_id, limit = DEFAULT_PAGE_SIZE, cursor }: ListCommandsQuery,
    wanted: (view: CommandView) => boolean = () => true,
  ): Promise<Page<CommandView> | null> {
    const after = keyOfCursor(cursor);
    const query = {
      project_id: project_id ?? null,
      ...(pack_id !== undefined && { pack_id }),
      access: (tx: Tx, in_project: string | null) => this.access.load(tx, { caller, project_id: in_project }),
    };
    const found = await this.db.tenant(caller.tenant_id, (tx) => listCommands(tx, caller, query, new Date()));
    if (!found) return null;
    const rest = found.filter((view) => wanted(view) && (after === null || sortKey(view) > after));
    const shown = rest.slice(0, limit);
    const last = rest.length > shown.length ? shown.at(-1) : undefined;
    return { items: shown, next_cursor: cursorOf(last ? sortKey(last) : null) };
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
