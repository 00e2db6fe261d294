import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createSessionSchema,
  idParamsSchema,
  pageQuerySchema,
  type CreateSession,
  type Page,
  type PageQuery,
  type Session,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { listSessions, openSession, revokeSession } from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { unwrap } from '../platform/unwrap.js';

@Controller()
export class SessionsController {
  constructor(@Inject(Database) private readonly db: Database) {}

  @Route('sessions_create')
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createSessionSchema }) body: CreateSession,
  ): Promise<Session> {
    return unwrap(await openSession(this.db, caller, body));
  }

  @Route('sessions_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): Promise<Page<Session>> {
    return unwrap(await listSessions(this.db, caller, query));
  }

  @Route('sessions_delete')
  async remove(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await revokeSession(this.db, caller, id));
  }
}
