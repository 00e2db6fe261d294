import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createRoleSchema,
  idParamsSchema,
  pageQuerySchema,
  updateRoleSchema,
  type CreateRole,
  type Page,
  type PageQuery,
  type Role,
  type UpdateRole,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { createRole, deleteRole, listRoles, updateRole } from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { unwrap } from '../platform/unwrap.js';

@Controller()
export class RolesController {
  constructor(@Inject(Database) private readonly db: Database) {}

  @Route('roles_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): Promise<Page<Role>> {
    return unwrap(await listRoles(this.db, caller, query));
  }

  @Route('roles_create')
  async create(@CurrentCaller() caller: Caller, @Body({ schema: createRoleSchema }) body: CreateRole): Promise<Role> {
    return unwrap(await createRole(this.db, caller, body));
  }

  @Route('roles_update')
  async update(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: updateRoleSchema }) body: UpdateRole,
  ): Promise<Role> {
    return unwrap(await updateRole(this.db, caller, id, body));
  }

  @Route('roles_delete')
  async remove(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await deleteRole(this.db, caller, id));
  }
}
