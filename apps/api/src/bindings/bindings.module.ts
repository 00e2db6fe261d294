import { Module } from '@nestjs/common';
import {
  Providers,
  redirectUri,
  revokeAtProvider,
  type BindingDeps,
  type BrowserDeps,
  type ProviderClientDeps,
  type RevokeAtProvider,
} from '@hcp/bindings';
import { Database } from '@hcp/database';
import { credentialEvents } from '@hcp/sense';
import { Keyring, reloadCaller } from '@hcp/tenancy';
import { PinoLogger } from 'nestjs-pino';
import { loadPack } from '../packs/load-pack.js';
import type { Env } from '../platform/env.js';
import { ENV } from '../platform/tokens.js';
import { BindingsController } from './bindings.controller.js';
import { ConnectPagesController } from './connect-pages.controller.js';
import { ProviderClientsController } from './providers.controller.js';
import { AT_PROVIDER, BINDINGS, CONNECTING, PROVIDER_CLIENTS } from './tokens.js';

const logged = (log: PinoLogger) => (error: Error) => log.error({ err: error }, 'bindings');

@Module({
  controllers: [BindingsController, ConnectPagesController, ProviderClientsController],
  providers: [
    {
      provide: Providers,
      inject: [ENV],
      useFactory: (env: Env) => new Providers({ egress: { allow_private: env.HCP_EGRESS_ALLOW_PRIVATE } }),
    },
    {
      provide: BINDINGS,
      inject: [Database, Keyring],
      useFactory: (db: Database, keyring: Keyring): BindingDeps => ({
        db,
        sealer: (tenant_id) => keyring.tenantKeys(tenant_id),
        pack: loadPack,
        events: credentialEvents,
      }),
    },
    {
      provide: CONNECTING,
      inject: [BINDINGS, Providers, ENV, PinoLogger],
      useFactory: (bindings: BindingDeps, providers: Providers, env: Env, log: PinoLogger): BrowserDeps => ({
        ...bindings,
        providers,
        public_url: env.PUBLIC_URL,
        // Agents begin no connection, so whoever did is none.
        reload: (tx, { tenant_id, principal_id, session_id }) =>
          reloadCaller(tx, { tenant_id, principal_id, session_id, is_agent: false }),
        onError: logged(log),
      }),
    },
    {
      provide: AT_PROVIDER,
      inject: [BINDINGS, Providers, PinoLogger],
      useFactory: ({ db, sealer }: BindingDeps, providers: Providers, log: PinoLogger): RevokeAtProvider =>
        revokeAtProvider({ db, sealer, providers, onError: logged(log) }),
    },
    {
      provide: PROVIDER_CLIENTS,
      inject: [BINDINGS, Providers, ENV],
      useFactory: ({ db, sealer, events }: BindingDeps, providers: Providers, env: Env): ProviderClientDeps => ({
        db,
        sealer,
        events,
        providers,
        redirect_uri: redirectUri(env.PUBLIC_URL),
      }),
    },
  ],
})
export class BindingsModule {}
