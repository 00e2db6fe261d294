import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createProviderClient,
  deleteProviderClient,
  getProviderClient,
  listProviderClients,
  updateProviderClient,
  type ProviderClientDeps,
} from '@hcp/bindings';
import {
  createProviderClientSchema,
  idParamsSchema,
  pageQuerySchema,
  updateProviderClientSchema,
  type CreateProviderClient,
  type ProviderClient,
  type ProviderClientPage,
  type PageQuery,
  type UpdateProviderClient,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { valueOf } from './binding-problem.js';
import { PROVIDER_CLIENTS } from './tokens.js';

/** This installation as a client of services that packs connect to (SPEC P5, B2). */
@Controller()
export class ProviderClientsController {
  constructor(@Inject(PROVIDER_CLIENTS) private readonly deps: ProviderClientDeps) {}

  @Route('providers_create')
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createProviderClientSchema }) body: CreateProviderClient,
  ): Promise<ProviderClient> {
    return valueOf(await createProviderClient(this.deps, caller, body));
  }

  @Route('providers_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): Promise<ProviderClientPage> {
    const page = valueOf(await listProviderClients(this.deps, caller, query));
    return { ...page, redirect_uri: this.deps.redirect_uri };
  }

  @Route('providers_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<ProviderClient> {
    return valueOf(await getProviderClient(this.deps, caller, id));
  }

  @Route('providers_update')
  async update(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: updateProviderClientSchema }) body: UpdateProviderClient,
  ): Promise<ProviderClient> {
    return valueOf(await updateProviderClient(this.deps, caller, id, body));
  }

  @Route('providers_delete')
  async remove(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    valueOf(await deleteProviderClient(this.deps, caller, id));
  }
}
