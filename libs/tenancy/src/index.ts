export { Keyring, type TenantKeys } from './keys/keyring.js';
export { SigningKeys, TOKEN_ALGORITHMS } from './keys/signing-keys.js';
export {
  AccessTokens,
  verifyAccessToken,
  ACCESS_TOKEN_SECONDS,
  TOKEN_AUDIENCE,
  type AccessClaims,
  type IssuedToken,
  type VerifyOptions,
} from './tokens/access-tokens.js';
export { hashPassword, verifyPassword } from './tokens/passwords.js';
export { hashSecret, mintSecret, parseSecret, type MintedSecret, type ParsedSecret } from './tokens/secrets.js';
export {
  Authenticator,
  reloadCaller,
  type AuthenticateOptions,
  type Authentication,
  type RunAuthority,
} from './caller/authenticator.js';
export type { CallerRefusal } from './caller/build.js';
export { holdsAnywhere, may } from './rights/rights.js';
export { bumpEpoch, recordRightsChange, auditChange, type Change } from './rights/changes.js';
export type { Outcome, Refusal, RefusalCode } from './outcome.js';
export { SignIn, SESSION_MS, type IssuedTokens, type SignInRequest } from './auth/sign-in.js';
export { describeCaller, type CallerDescription } from './auth/me.js';
export { openSession, listSessions, revokeSession } from './sessions/sessions.js';
export { createApiKey, listApiKeys, revokeApiKey } from './keys/api-keys.js';
export { createAgent, disableAgent, endActsFor, listAgents } from './people/agents.js';
export { listMembers } from './people/members.js';
export { addProjectMember, createProject, getProject, listProjects, removeProjectMember } from './projects/projects.js';
export { createGrant, deleteGrant, listGrants } from './rights/grants.js';
export { createRole, deleteRole, listRoles } from './rights/roles.js';
export { assignRole, unassignRole } from './rights/role-assignments.js';
