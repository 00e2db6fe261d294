import { Controller, Inject, Param } from '@nestjs/common';
import { packStopParamsSchema, type PackStop } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { getPackStop, resumePack, stopPack } from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { unwrap } from '../platform/unwrap.js';

interface PackParams {
  readonly pack_id: string;
}

@Controller()
export class PackStopsController {
  constructor(@Inject(Database) private readonly db: Database) {}

  @Route('packs_stop')
  async stop(
    @CurrentCaller() caller: Caller,
    @Param({ schema: packStopParamsSchema }) { pack_id }: PackParams,
  ): Promise<PackStop> {
    return unwrap(await stopPack(this.db, caller, pack_id));
  }

  @Route('packs_resume')
  async resume(
    @CurrentCaller() caller: Caller,
    @Param({ schema: packStopParamsSchema }) { pack_id }: PackParams,
  ): Promise<PackStop> {
    return unwrap(await resumePack(this.db, caller, pack_id));
  }

  @Route('packs_stop_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: packStopParamsSchema }) { pack_id }: PackParams,
  ): Promise<PackStop> {
    return unwrap(await getPackStop(this.db, caller, pack_id));
  }
}
