import { Module } from '@nestjs/common';
import type { BindingDeps, LoadPack } from '@hcp/bindings';
import { Database } from '@hcp/database';
import { getPack, loadFacts } from '@hcp/packs';
import { Keyring } from '@hcp/tenancy';
import { BindingsController } from './bindings.controller.js';
import { BINDINGS } from './tokens.js';

/** The version that runs there; before any is active, the one that would be next. */
const loadPack: LoadPack = async (tx, caller, pack_id, project_id) => {
  const { pack } = await loadFacts(tx, { pack_id, project_id, caller });
  return pack ?? (await getPack(tx, caller, pack_id, new Date()))?.pack ?? null;
};

@Module({
  controllers: [BindingsController],
  providers: [
    {
      provide: BINDINGS,
      inject: [Database, Keyring],
      useFactory: (db: Database, keyring: Keyring): BindingDeps => ({
        db,
        sealer: (tenant_id) => keyring.tenantKeys(tenant_id),
        pack: loadPack,
      }),
    },
  ],
})
export class BindingsModule {}
