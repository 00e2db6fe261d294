export { DATA_KEY_REST_MS, Keyring, type KeyringOptions, type TenantKeys } from './keys/keyring.js';
export { AuditKey } from './keys/audit-key.js';
export { listRootKeys, rewrapKeys, rotateDataKey, rotateSigningKey, type KeyDeps } from './keys/operate.js';
export { RootKeyCare, RootKeyMissing, type RootKeyUse, type Rewrapped } from './keys/root-key-care.js';
export { PUBLISH_MS, SigningKeys, TOKEN_ALGORITHMS } from './keys/signing-keys.js';
export {
  AccessTokens,
  verifyAccessToken,
  ACCESS_TOKEN_SECONDS,
  type AccessClaims,
  type IssuedToken,
  type VerifyOptions,
} from './tokens/access-tokens.js';
export { signWorkloadToken, WORKLOAD_TOKEN_TYPE, type WorkloadClaims } from './tokens/workload-tokens.js';
export { hashPassword, verifyPassword } from './tokens/passwords.js';
export { hashSecret, mintSecret, parseSecret, type MintedSecret, type ParsedSecret } from './tokens/secrets.js';
export {
  Authenticator,
  reauthenticate,
  reloadCaller,
  type AuthenticateOptions,
  type Authentication,
  type RunAuthority,
} from './caller/authenticator.js';
export type { CallerRefusal } from './caller/build.js';
export { holdsAnywhere, may } from './rights/rights.js';
export { bumpEpoch, recordRightsChange, auditChange, type Change } from './rights/changes.js';
export type { Outcome, Refusal, RefusalCode } from './outcome.js';
export { SignIn, type IssuedTokens, type SignInRequest } from './auth/sign-in.js';
export { PasswordReset } from './auth/password-reset.js';
export { sweepExpired } from './sweep/sweep-expired.js';
export { SESSION_MS } from './sessions/session-life.js';
export { describeCaller, type CallerDescription } from './auth/me.js';
export { openSession, listSessions, revokeSession } from './sessions/sessions.js';
export { endStanding, openStanding } from './sessions/standing.js';
export { createApiKey, listApiKeys, revokeApiKey } from './keys/api-keys.js';
export { actForCaller, createAgent, disableAgent, endActsFor, getAgent, listAgents } from './people/agents.js';
export { getMember, listMembers } from './people/members.js';
export { disablePrincipal, enablePrincipal, removePrincipal } from './people/standing.js';
export { createInvitation, listInvitations, revokeInvitation } from './people/invitations.js';
export { acceptInvitation, type PasswordAttempts } from './people/accept-invitation.js';
export type { LinkDeps, Mail, Mailer } from './mail.js';
export {
  addProjectMember,
  createProject,
  deleteProject,
  getProject,
  listProjects,
  removeProjectMember,
  renameProject,
} from './projects/projects.js';
export { createGrant, deleteGrant, listGrants } from './rights/grants.js';
export { createRole, deleteRole, listRoles, updateRole } from './rights/roles.js';
export { assignRole, unassignRole } from './rights/role-assignments.js';
export {
  createOidcIssuer,
  deleteOidcIssuer,
  getOidcIssuer,
  listOidcIssuers,
  updateOidcIssuer,
  type IssuerDeps,
} from './oidc/issuers.js';
export { linkIdentity } from './oidc/identities.js';
export { IssuerKeys } from './oidc/issuer-keys.js';
export { ExternalTokens, unverifiedIssuer, type ExternalClaims } from './oidc/external-tokens.js';
export { checkedGetJson, type GetJson } from './oidc/get-json.js';
export { getPackStop, resumePack, stopPack } from './kill/pack-stops.js';
export { createTenant, getTenant, inviteOwner, listTenants, resumeTenant, stopTenant } from './tenants/tenants.js';
export { OAuthClients } from './oauth/clients.js';
export { OAuthConsents, type Question } from './oauth/consents.js';
export { OAuthGrants } from './oauth/grants.js';
export { checkAuthorization, clientOf, type AuthorizationRequest } from './oauth/authorization.js';
export type { OAuthErrorCode, OAuthFailure, OAuthOutcome } from './oauth/failure.js';
export { redirectPlace } from './oauth/redirects.js';
export { BROWSER, Tickets } from './oauth/tickets.js';
