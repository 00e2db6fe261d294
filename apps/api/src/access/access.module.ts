import { Module } from '@nestjs/common';
import { AccessLoader, type AccessDeps } from '@hcp/access';
import { Database } from '@hcp/database';
import { loadFacts, schemaCheck } from '@hcp/packs';
import { loadPack } from '../packs/load-pack.js';
import { AccessController } from './access.controller.js';
import { ACCESS } from './tokens.js';

@Module({
  controllers: [AccessController],
  providers: [
    {
      provide: ACCESS,
      inject: [Database, AccessLoader],
      useFactory: (db: Database, loader: AccessLoader): AccessDeps => ({
        db,
        loader,
        pack: loadPack,
        facts: loadFacts,
        check: schemaCheck,
      }),
    },
  ],
})
export class AccessModule {}
