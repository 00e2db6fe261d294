import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createOidcIssuerSchema,
  idParamsSchema,
  linkIdentitySchema,
  pageQuerySchema,
  updateOidcIssuerSchema,
  type CreateOidcIssuer,
  type LinkIdentity,
  type OidcIssuer,
  type Page,
  type PageQuery,
  type UpdateOidcIssuer,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import {
  createOidcIssuer,
  deleteOidcIssuer,
  getOidcIssuer,
  IssuerKeys,
  linkIdentity,
  listOidcIssuers,
  updateOidcIssuer,
} from '@hcp/tenancy';
import type { Env } from '../platform/env.js';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { ENV } from '../platform/tokens.js';
import { unwrap } from '../platform/unwrap.js';

@Controller()
export class OidcIssuersController {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(IssuerKeys) private readonly keys: IssuerKeys,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Route('oidc_issuers_create')
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createOidcIssuerSchema }) body: CreateOidcIssuer,
  ): Promise<OidcIssuer> {
    const deps = { db: this.db, keys: this.keys, own_issuer: this.env.PUBLIC_URL };
    return unwrap(await createOidcIssuer(deps, caller, body));
  }

  @Route('oidc_issuers_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): Promise<Page<OidcIssuer>> {
    return unwrap(await listOidcIssuers(this.db, caller, query));
  }

  @Route('oidc_issuers_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<OidcIssuer> {
    return unwrap(await getOidcIssuer(this.db, caller, id));
  }

  @Route('oidc_issuers_update')
  async update(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: updateOidcIssuerSchema }) body: UpdateOidcIssuer,
  ): Promise<OidcIssuer> {
    return unwrap(await updateOidcIssuer(this.db, caller, id, body));
  }

  @Route('oidc_issuers_delete')
  async remove(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await deleteOidcIssuer(this.db, caller, id));
  }

  @Route('oidc_issuers_link')
  async link(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: linkIdentitySchema }) body: LinkIdentity,
  ): Promise<void> {
    unwrap(await linkIdentity(this.db, caller, id, body));
  }
}
