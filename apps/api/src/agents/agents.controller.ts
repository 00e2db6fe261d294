import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createAgentSchema,
  idParamsSchema,
  listAgentsQuerySchema,
  type Agent,
  type CreateAgent,
  type Page,
  type ListAgentsQuery,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { actForCaller, createAgent, disableAgent, endActsFor, getAgent, listAgents } from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { unwrap } from '../platform/unwrap.js';

@Controller()
export class AgentsController {
  constructor(@Inject(Database) private readonly db: Database) {}

  @Route('agents_create')
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createAgentSchema }) body: CreateAgent,
  ): Promise<Agent> {
    return unwrap(await createAgent(this.db, caller, body));
  }

  @Route('agents_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listAgentsQuerySchema }) query: ListAgentsQuery,
  ): Promise<Page<Agent>> {
    return unwrap(await listAgents(this.db, caller, query));
  }

  @Route('agents_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<Agent> {
    return unwrap(await getAgent(this.db, caller, id));
  }

  @Route('agents_act_for_me')
  async actForMe(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await actForCaller(this.db, caller, id));
  }

  @Route('agents_delete')
  async remove(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await disableAgent(this.db, caller, id));
  }

  @Route('agents_end_acts_for')
  async endActsFor(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await endActsFor(this.db, caller, id));
  }
}
