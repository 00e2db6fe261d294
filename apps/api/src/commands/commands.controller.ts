import { Controller, Inject, Query } from '@nestjs/common';
import { listCommandsQuerySchema, type CommandInfo, type ListCommandsQuery, type Page } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { CurrentCaller } from '../platform/metadata.js';
import { notFound } from '../platform/problem.js';
import { Route } from '../platform/route.js';
import { CommandList } from './command-list.js';

/** What the caller may run now (SPEC A9). */
@Controller()
export class CommandsController {
  constructor(@Inject(CommandList) private readonly commands: CommandList) {}

  @Route('commands_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listCommandsQuerySchema }) query: ListCommandsQuery,
  ): Promise<Page<CommandInfo>> {
    const page = await this.commands.page(caller, query);
    if (!page) throw notFound();
    return page;
  }
}
