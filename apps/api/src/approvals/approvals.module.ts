import { Module } from '@nestjs/common';
import type { ApprovalDeps } from '@hcp/approvals';
import { Database } from '@hcp/database';
import { Exec, type TenantKeys } from '@hcp/runs';
import { RunsModule } from '../runs/runs.module.js';
import { KEYS } from '../runs/tokens.js';
import { ApprovalsController } from './approvals.controller.js';
import { APPROVALS } from './tokens.js';

@Module({
  imports: [RunsModule],
  controllers: [ApprovalsController],
  providers: [
    {
      provide: APPROVALS,
      inject: [Database, KEYS, Exec],
      useFactory: (db: Database, keys: TenantKeys, exec: Exec): ApprovalDeps => ({
        db,
        keys,
        start: (tx, approval, args) => exec.startApproved(tx, approval, args),
      }),
    },
  ],
  exports: [APPROVALS],
})
export class ApprovalsModule {}
