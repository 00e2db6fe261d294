import { accessRoutes } from './access.js';
import { agentRoutes } from './agents.js';
import { apiKeyRoutes } from './api-keys.js';
import { approvalRoutes } from './approvals.js';
import { auditRoutes } from './audit.js';
import { authRoutes } from './auth.js';
import { bindingRoutes } from './bindings.js';
import { commandRoutes } from './commands.js';
import { eventRoutes } from './events.js';
import { execRoutes } from './exec.js';
import { fileRoutes } from './files.js';
import { grantRoutes } from './grants.js';
import { healthRoutes } from './health.js';
import { mcpRoutes } from './mcp.js';
import { oauthRoutes } from './oauth.js';
import { memberRoutes } from './members.js';
import { overviewRoutes } from './overview.js';
import { packRoutes } from './packs.js';
import { invitationRoutes } from './invitations.js';
import { providerClientRoutes } from './providers.js';
import { oidcIssuerRoutes } from './oidc-issuers.js';
import { packStopRoutes } from './pack-stops.js';
import { tenantRoutes } from './tenants.js';
import { rootKeyRoutes } from './root-keys.js';
import { projectRoutes } from './projects.js';
import { roleRoutes } from './roles.js';
import { runRoutes } from './runs.js';
import { senseRoutes } from './sense.js';
import { sessionRoutes } from './sessions.js';
import { webhookRoutes } from './webhooks.js';

/** Every route there is, by operation id (SPEC 17). API, OpenAPI document, SDK and tests share this one table. */
export const ROUTES = {
  ...authRoutes,
  ...oauthRoutes,
  ...sessionRoutes,
  ...projectRoutes,
  ...fileRoutes,
  ...invitationRoutes,
  ...oidcIssuerRoutes,
  ...packStopRoutes,
  ...tenantRoutes,
  ...rootKeyRoutes,
  ...memberRoutes,
  ...agentRoutes,
  ...roleRoutes,
  ...grantRoutes,
  ...apiKeyRoutes,
  ...packRoutes,
  ...providerClientRoutes,
  ...bindingRoutes,
  ...commandRoutes,
  ...execRoutes,
  ...mcpRoutes,
  ...accessRoutes,
  ...approvalRoutes,
  ...overviewRoutes,
  ...runRoutes,
  ...eventRoutes,
  ...senseRoutes,
  ...webhookRoutes,
  ...auditRoutes,
  ...healthRoutes,
};

export type OperationId = keyof typeof ROUTES;
