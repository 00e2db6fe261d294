import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  assignRoleSchema,
  idParamsSchema,
  listMembersQuerySchema,
  roleAssignmentParamsSchema,
  type AssignRole,
  type Member,
  type Page,
  type ListMembersQuery,
  type RoleAssignment,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import {
  assignRole,
  disablePrincipal,
  enablePrincipal,
  getMember,
  listMembers,
  removePrincipal,
  unassignRole,
} from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { unwrap } from '../platform/unwrap.js';

@Controller()
export class MembersController {
  constructor(@Inject(Database) private readonly db: Database) {}

  @Route('members_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listMembersQuerySchema }) query: ListMembersQuery,
  ): Promise<Page<Member>> {
    return unwrap(await listMembers(this.db, caller, query));
  }

  @Route('members_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<Member> {
    return unwrap(await getMember(this.db, caller, id));
  }

  @Route('members_disable')
  async disable(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await disablePrincipal(this.db, caller, id));
  }

  @Route('members_enable')
  async enable(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await enablePrincipal(this.db, caller, id));
  }

  @Route('members_delete')
  async remove(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await removePrincipal(this.db, caller, id));
  }

  @Route('members_assign_role', { scoped: true })
  async assignRole(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: assignRoleSchema }) body: AssignRole,
  ): Promise<RoleAssignment> {
    return unwrap(await assignRole(this.db, caller, id, body));
  }

  @Route('members_unassign_role', { scoped: true })
  async unassignRole(
    @CurrentCaller() caller: Caller,
    @Param({ schema: roleAssignmentParamsSchema }) { id, assignment_id }: { id: string; assignment_id: string },
  ): Promise<void> {
    unwrap(await unassignRole(this.db, caller, id, assignment_id));
  }
}
