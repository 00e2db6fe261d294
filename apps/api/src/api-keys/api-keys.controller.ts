import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createApiKeySchema,
  idParamsSchema,
  listApiKeysQuerySchema,
  type ApiKey,
  type CreateApiKey,
  type CreatedApiKey,
  type Page,
  type ListApiKeysQuery,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { createApiKey, listApiKeys, revokeApiKey } from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { unwrap } from '../platform/unwrap.js';

@Controller()
export class ApiKeysController {
  constructor(@Inject(Database) private readonly db: Database) {}

  @Route('api_keys_create')
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createApiKeySchema }) body: CreateApiKey,
  ): Promise<CreatedApiKey> {
    return unwrap(await createApiKey(this.db, caller, body));
  }

  @Route('api_keys_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listApiKeysQuerySchema }) query: ListApiKeysQuery,
  ): Promise<Page<ApiKey>> {
    return unwrap(await listApiKeys(this.db, caller, query));
  }

  @Route('api_keys_delete')
  async remove(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await revokeApiKey(this.db, caller, id));
  }
}
