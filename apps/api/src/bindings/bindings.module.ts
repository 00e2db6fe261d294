import { Module } from '@nestjs/common';
import type { BindingDeps } from '@hcp/bindings';
import { Database } from '@hcp/database';
import { Keyring } from '@hcp/tenancy';
import { loadPack } from '../packs/load-pack.js';
import { BindingsController } from './bindings.controller.js';
import { BINDINGS } from './tokens.js';

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
