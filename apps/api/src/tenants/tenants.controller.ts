import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createTenantSchema,
  idParamsSchema,
  inviteOwnerSchema,
  pageQuerySchema,
  type CreatedInvitation,
  type CreatedTenant,
  type CreateTenant,
  type InviteOwner,
  type Page,
  type PageQuery,
  type Tenant,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import {
  createTenant,
  getTenant,
  inviteOwner,
  listTenants,
  resumeTenant,
  stopTenant,
  type LinkDeps,
} from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { LINKS } from '../platform/tokens.js';
import { unwrap } from '../platform/unwrap.js';

@Controller()
export class TenantsController {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(LINKS) private readonly links: LinkDeps,
  ) {}

  @Route('tenants_create')
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createTenantSchema }) body: CreateTenant,
  ): Promise<CreatedTenant> {
    return unwrap(await createTenant({ db: this.db, ...this.links }, caller, body));
  }

  @Route('tenants_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): Promise<Page<Tenant>> {
    return unwrap(await listTenants(this.db, caller, query));
  }

  @Route('tenants_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<Tenant> {
    return unwrap(await getTenant(this.db, caller, id));
  }

  @Route('tenants_stop')
  async stop(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<Tenant> {
    return unwrap(await stopTenant(this.db, caller, id));
  }

  @Route('tenants_resume')
  async resume(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<Tenant> {
    return unwrap(await resumeTenant(this.db, caller, id));
  }

  @Route('tenants_invite_owner')
  async inviteOwner(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: inviteOwnerSchema }) { email }: InviteOwner,
  ): Promise<CreatedInvitation> {
    return unwrap(await inviteOwner({ db: this.db, ...this.links }, caller, id, email));
  }
}
