import { Module } from '@nestjs/common';
import { Database } from '@hcp/database';
import { loadFacts } from '@hcp/packs';
import { Exec } from '@hcp/runs';
import type { LookDeps, SourceDeps } from '@hcp/sense';
import { endStanding, openStanding } from '@hcp/tenancy';
import { RunsModule } from '../runs/runs.module.js';
import { senseApprovals } from './seen-approvals.js';
import { SenseController } from './sense.controller.js';
import { SENSE } from './tokens.js';

@Module({
  imports: [RunsModule],
  controllers: [SenseController],
  providers: [
    {
      provide: SENSE,
      inject: [Database, Exec],
      useFactory: (db: Database, exec: Exec): LookDeps & SourceDeps => ({
        db,
        approvals: senseApprovals,
        pack: (tx, caller, pack_id, project_id) => loadFacts(tx, { pack_id, project_id, caller }),
        standing: openStanding,
        endSession: (tx, caller, id) => endStanding(tx, caller.tenant_id, id),
        refuses: (tx, caller, envelope) => exec.wouldRefuse(tx, caller, envelope),
      }),
    },
  ],
})
export class SenseModule {}
