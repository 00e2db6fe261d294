import { Database } from '@hcp/database';
import { AccessTokens, checkedGetJson, OAuthClients, OAuthConsents, OAuthGrants, Tickets } from '@hcp/tenancy';
import { Module } from '@nestjs/common';
import type { Env } from '../platform/env.js';
import { ENV } from '../platform/tokens.js';
import { OAuthAuthorizeController } from './authorize.controller.js';
import { OAuthMetadataController } from './metadata.controller.js';
import { OAuthTokenController } from './token.controller.js';

@Module({
  controllers: [OAuthMetadataController, OAuthAuthorizeController, OAuthTokenController],
  providers: [
    {
      provide: OAuthClients,
      useFactory: (db: Database, env: Env) =>
        new OAuthClients(db, checkedGetJson({ allow_private: env.HCP_EGRESS_ALLOW_PRIVATE })),
      inject: [Database, ENV],
    },
    {
      provide: OAuthConsents,
      useFactory: (db: Database, tokens: AccessTokens) => new OAuthConsents(db, new Tickets(tokens), tokens.issuer),
      inject: [Database, AccessTokens],
    },
    {
      provide: OAuthGrants,
      useFactory: (db: Database, clients: OAuthClients, tokens: AccessTokens) => new OAuthGrants(db, clients, tokens),
      inject: [Database, OAuthClients, AccessTokens],
    },
  ],
})
export class OAuthModule {}
