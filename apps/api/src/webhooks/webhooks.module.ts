import { Module } from '@nestjs/common';
import { Database } from '@hcp/database';
import { Keyring } from '@hcp/tenancy';
import type { WebhookDeps } from '@hcp/webhooks';
import type { Env } from '../platform/env.js';
import { ENV } from '../platform/tokens.js';
import { WEBHOOKS } from './tokens.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  controllers: [WebhooksController],
  providers: [
    {
      provide: WEBHOOKS,
      inject: [Database, Keyring, ENV],
      useFactory: (db: Database, keyring: Keyring, env: Env): WebhookDeps => ({
        db,
        sealer: (tenant_id) => keyring.tenantKeys(tenant_id),
        egress: { allow_private: env.HCP_EGRESS_ALLOW_PRIVATE },
      }),
    },
  ],
})
export class WebhooksModule {}
