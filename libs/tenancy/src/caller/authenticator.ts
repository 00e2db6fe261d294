import type { Caller } from '@hcp/core';
import type { Database, Tx } from '@hcp/database';
import { externalSession } from '../oidc/external-session.js';
import type { ExternalClaims } from '../oidc/external-tokens.js';
import type { AccessClaims, AccessTokens } from '../tokens/access-tokens.js';
import { parseSecret, secretMatches } from '../tokens/secrets.js';
import { buildCaller, type CallerRefusal, type Credential } from './build.js';
import { readCallerFacts } from './facts.js';

export interface AuthenticateOptions {
  /** The header `HCP-Session`: an explicit session, opened with this very credential. */
  readonly session_id?: string | undefined;
  /** The header `HCP-Agent`: the call counts as an agent's. */
  readonly agent_header: boolean;
}

export type Authentication =
  { readonly ok: true; readonly caller: Caller } | { readonly ok: false; readonly reason: CallerRefusal };

/** Which tenant a key belongs to never changes, so it may be remembered; whether it is good is read every time. */
const TENANT_CACHE_SIZE = 10_000;

/** Live sessions of the tokens of one issuer. */
const MAX_EXTERNAL_SESSIONS = 10_000;

/**
 * Finds out who calls. Reads the database on every call, in one transaction of the tenant, so that a revoked key, a
 * disabled person or a removed grant counts on the next call on every replica (SPEC T5). Where the database cannot be
 * read it throws: then nobody is let in.
 */
export class Authenticator {
  readonly #tenant_of_key = new Map<string, string>();

  constructor(
    private readonly db: Database,
    private readonly tokens: AccessTokens,
    private readonly max_external_sessions = MAX_EXTERNAL_SESSIONS,
  ) {}

  /** @param bearer an access token or an API key */
  async authenticate(bearer: string, options: AuthenticateOptions): Promise<Authentication> {
    if (bearer.startsWith('hcp_')) return this.#authenticateKey(bearer, options);
    return this.authenticateClaims(await this.tokens.verify(bearer), options);
  }

  /** @param claims of a token that was verified; null where it was not good */
  async authenticateClaims(
    claims: AccessClaims | null | undefined,
    options: AuthenticateOptions,
  ): Promise<Authentication> {
    if (!claims) return { ok: false, reason: 'malformed' };
    const { tenant_id, principal_id, session_id, client_id } = claims;
    const fits = (credential: Credential, caller: Caller): CallerRefusal | null =>
      credential.kind === 'session' &&
      credential.id === session_id &&
      credential.client_id === client_id &&
      caller.principal.id === principal_id
        ? null
        : 'other_credential';
    return this.#load(tenant_id, options.session_id ?? session_id, options, fits);
  }

  /** @param claims of a token of an external issuer that was verified; null where it was not good */
  async authenticateExternal(
    claims: ExternalClaims | null | undefined,
    options: AuthenticateOptions,
  ): Promise<Authentication> {
    if (!claims) return { ok: false, reason: 'malformed' };
    const { tenant_id } = claims;
    return this.db.tenant(tenant_id, async (tx): Promise<Authentication> => {
      const session = await externalSession(tx, claims, this.max_external_sessions);
      if (session === 'full') return { ok: false, reason: 'too_many_sessions' };
      if (session === null) return { ok: false, reason: 'unknown' };
      const own = session.id;
      const fits = (credential: Credential): CallerRefusal | null =>
        credential.kind === 'session' && credential.id === own ? null : 'other_credential';
      return load(tx, tenant_id, options.session_id ?? own, options, fits);
    });
  }

  async #authenticateKey(bearer: string, options: AuthenticateOptions): Promise<Authentication> {
    const parsed = parseSecret('hcp', bearer);
    if (!parsed) return { ok: false, reason: 'malformed' };
    const tenant_id = await this.#tenantOf(parsed.id);
    if (tenant_id === null) return { ok: false, reason: 'unknown' };
    const fits = (credential: Credential): CallerRefusal | null => {
      if (credential.kind !== 'api_key' || credential.id !== parsed.id) return 'other_credential';
      return secretMatches(parsed.secret, Buffer.from(credential.secret_hash, 'hex')) ? null : 'wrong_secret';
    };
    return this.#load(tenant_id, options.session_id ?? parsed.id, options, fits);
  }

  async #load(
    tenant_id: string,
    session_id: string,
    options: AuthenticateOptions,
    fits: Fits,
  ): Promise<Authentication> {
    return this.db.tenant(tenant_id, (tx) => load(tx, tenant_id, session_id, options, fits));
  }

  async #tenantOf(key_id: string): Promise<string | null> {
    const known = this.#tenant_of_key.get(key_id);
    if (known !== undefined) return known;
    const row = await this.db.lookup(key_id, (tx) =>
      tx.apiKey.findUnique({ where: { id: key_id }, select: { tenant_id: true } }),
    );
    if (!row) return null;
    if (this.#tenant_of_key.size >= TENANT_CACHE_SIZE) this.#tenant_of_key.clear();
    this.#tenant_of_key.set(key_id, row.tenant_id);
    return row.tenant_id;
  }
}

/** Whether the bearer is what the session hangs on. */
type Fits = (credential: Credential, caller: Caller) => CallerRefusal | null;

async function load(
  tx: Tx,
  tenant_id: string,
  session_id: string,
  options: AuthenticateOptions,
  fits: Fits,
): Promise<Authentication> {
  const facts = await readCallerFacts(tx, tenant_id, session_id);
  const built = buildCaller(facts, { tenant_id, session_id, agent: options.agent_header });
  if (!built.ok) return built;
  const refusal = fits(built.credential, built.caller);
  return refusal ? { ok: false, reason: refusal } : { ok: true, caller: built.caller };
}

/**
 * Builds a caller anew from the session that it came with: for what goes on after its call was let in, such as a stream.
 * What the headers of the call narrowed stays narrowed.
 */
export async function reauthenticate(db: Database, caller: Caller): Promise<Authentication> {
  const { tenant_id, principal, session, is_agent } = caller;
  const authority = { tenant_id, principal_id: principal.id, session_id: session.id, is_agent };
  const again = await db.tenant(tenant_id, (tx) => reloadCaller(tx, authority));
  const { process_mode = null, process_approvals = null } = caller;
  return again.ok ? { ok: true, caller: { ...again.caller, process_mode, process_approvals } } : again;
}

/** What a run remembers of who asked for it. */
export interface RunAuthority {
  readonly tenant_id: string;
  readonly principal_id: string;
  readonly session_id: string;
  readonly is_agent: boolean;
}

/**
 * Builds the caller of a queued run anew, without its bearer: session or key must still stand, people be enabled and the
 * tenant not stopped, exactly as for a call (SPEC R2).
 */
export async function reloadCaller(tx: Tx, authority: RunAuthority): Promise<Authentication> {
  const { tenant_id, principal_id, session_id, is_agent } = authority;
  const facts = await readCallerFacts(tx, tenant_id, session_id);
  const built = buildCaller(facts, { tenant_id, session_id, agent: is_agent });
  if (!built.ok) return built;
  if (built.caller.principal.id !== principal_id) return { ok: false, reason: 'other_credential' };
  return { ok: true, caller: built.caller };
}
