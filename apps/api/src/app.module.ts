import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import { AccessModule } from './access/access.module.js';
import { AgentsModule } from './agents/agents.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AuditModule } from './audit/audit.module.js';
import { OAuthModule } from './oauth/oauth.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BindingsModule } from './bindings/bindings.module.js';
import { CommandsModule } from './commands/commands.module.js';
import { EventsModule } from './events/events.module.js';
import { ExecModule } from './exec/exec.module.js';
import { FilesModule } from './files/files.module.js';
import { GrantsModule } from './grants/grants.module.js';
import { HealthModule } from './health/health.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { MembersModule } from './members/members.module.js';
import { OidcIssuersModule } from './oidc-issuers/oidc-issuers.module.js';
import { InvitationsModule } from './invitations/invitations.module.js';
import { TenantsModule } from './tenants/tenants.module.js';
import { OverviewModule } from './overview/overview.module.js';
import { PackStopsModule } from './pack-stops/pack-stops.module.js';
import { PacksModule } from './packs/packs.module.js';
import { AccessGuard } from './platform/access.guard.js';
import type { Env } from './platform/env.js';
import { InfrastructureModule } from './platform/infrastructure.module.js';
import { loggingParams } from './platform/logging.js';
import { ProjectsModule } from './projects/projects.module.js';
import { RolesModule } from './roles/roles.module.js';
import { RootKeysModule } from './root-keys/root-keys.module.js';
import { RunsModule } from './runs/runs.module.js';
import { SenseModule } from './sense/sense.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

const FEATURES = [
  HealthModule,
  AuthModule,
  OAuthModule,
  SessionsModule,
  ProjectsModule,
  FilesModule,
  OidcIssuersModule,
  InvitationsModule,
  TenantsModule,
  PackStopsModule,
  MembersModule,
  AgentsModule,
  RolesModule,
  GrantsModule,
  ApiKeysModule,
  PacksModule,
  BindingsModule,
  CommandsModule,
  AccessModule,
  ExecModule,
  McpModule,
  ApprovalsModule,
  OverviewModule,
  RunsModule,
  EventsModule,
  SenseModule,
  WebhooksModule,
  AuditModule,
  RootKeysModule,
];

/** The API: infrastructure, the one guard in front of every route, and the features. */
@Module({})
export class AppModule {
  static with(env: Env): DynamicModule {
    return {
      module: AppModule,
      imports: [LoggerModule.forRoot(loggingParams(env)), InfrastructureModule.with(env), ...FEATURES],
      providers: [{ provide: APP_GUARD, useClass: AccessGuard }],
    };
  }
}
