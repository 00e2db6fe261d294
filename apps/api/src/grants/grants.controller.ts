import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createGrantSchema,
  idParamsSchema,
  listGrantsQuerySchema,
  type CreateGrant,
  type GrantRecord,
  type ListGrantsQuery,
  type Page,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { createGrant, deleteGrant, listGrants } from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { unwrap } from '../platform/unwrap.js';

@Controller()
export class GrantsController {
  constructor(@Inject(Database) private readonly db: Database) {}

  @Route('grants_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listGrantsQuerySchema }) query: ListGrantsQuery,
  ): Promise<Page<GrantRecord>> {
    return unwrap(await listGrants(this.db, caller, query));
  }

  @Route('grants_create', { scoped: true })
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createGrantSchema }) body: CreateGrant,
  ): Promise<GrantRecord> {
    return unwrap(await createGrant(this.db, caller, body));
  }

  @Route('grants_delete', { scoped: true })
  async remove(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await deleteGrant(this.db, caller, id));
  }
}
