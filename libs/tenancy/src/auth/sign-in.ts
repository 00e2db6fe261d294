import { setTimeout } from 'node:timers/promises';
import { appendAudit } from '@hcp/audit';
import type { Caller } from '@hcp/core';
import { sql, type Database, type Tx, type User } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { buildCaller } from '../caller/build.js';
import { readCallerFacts } from '../caller/facts.js';
import { done, refuse, type Outcome, type Refusal } from '../outcome.js';
import { auditChange } from '../rights/changes.js';
import { SESSION_MS } from '../sessions/session-life.js';
import type { AccessTokens } from '../tokens/access-tokens.js';
import { verifyPassword } from '../tokens/passwords.js';
import { mintSecret, parseSecret, secretMatches } from '../tokens/secrets.js';
import { membershipsOf, type Membership } from './memberships.js';

/**
 * No failure answers sooner, so that its time does not tell whether the person exists: only for one who does the failure
 * is audited.
 */
const FAILURE_FLOOR_MS = 250;

export interface SignInRequest {
  readonly email: string;
  readonly password: string;
  readonly tenant_id?: string | undefined;
}

/** SPEC T5. */
export interface IssuedTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  /** Seconds. */
  readonly expires_in: number;
  readonly token_type: 'Bearer';
  readonly tenant_id: string;
}

/** A session in which tokens are to be issued. */
interface OpenSession {
  readonly tenant_id: string;
  readonly session_id: string;
  readonly principal_id: string;
  readonly ends: Date;
  readonly refresh_token: string;
}

const wrongCredentials = (): Refusal => refuse('invalid_credentials', 'email or password is wrong');
const wrongRefresh = (): Refusal => refuse('invalid_credentials', 'the refresh token is not good');

/** Signing in with email and password, renewing, signing out (SPEC T5). Operators sign in to the platform tenant. */
export class SignIn {
  constructor(
    private readonly db: Database,
    private readonly tokens: AccessTokens,
  ) {}

  /** Opens a default session, interactive, for 8 hours. Success and failure are audited where the person belongs. */
  async signIn(request: SignInRequest): Promise<Outcome<IssuedTokens>> {
    const floor = setTimeout(FAILURE_FLOOR_MS);
    const outcome = await this.#signIn(request);
    if (!outcome.ok) await floor;
    return outcome;
  }

  async #signIn(request: SignInRequest): Promise<Outcome<IssuedTokens>> {
    const email = request.email.trim().toLowerCase();
    const user = await this.db.global((tx) => tx.user.findUnique({ where: { email } }));
    const known = user !== null && user.disabled_at === null;
    const matches = await verifyPassword(request.password, known ? user.password_hash : null);
    const memberships = user ? await membershipsOf(this.db, user.id) : [];
    if (!known || !matches) {
      await this.#auditFailure(memberships, request.tenant_id);
      return wrongCredentials();
    }
    const fitting = memberships.filter((one) => !request.tenant_id || one.tenant_id === request.tenant_id);
    const [membership, ...others] = fitting;
    if (!membership) {
      await this.#auditFailure(memberships, undefined);
      return wrongCredentials();
    }
    if (others.length > 0) {
      return refuse('tenant_required', 'this person belongs to several tenants; name one as tenant_id', {
        tenants: fitting.map((one) => ({ id: one.tenant_id, name: one.tenant_name })),
      });
    }
    const opened = await this.#open(membership, user);
    return opened ? done(await this.#issue(opened)) : wrongCredentials();
  }

  /**
   * Exchanges a refresh token for new tokens of the same session. Each is good once: using one again revokes the session,
   * because one of the two who had it is a thief. There is no grace for parallel use, so a client renews one at a time.
   */
  async refresh(refresh_token: string): Promise<Outcome<IssuedTokens>> {
    const parsed = parseSecret('hcpr', refresh_token);
    if (!parsed) return wrongRefresh();
    const found = await this.db.lookup(parsed.id, (tx) =>
      tx.refreshToken.findUnique({ where: { id: parsed.id }, select: { tenant_id: true } }),
    );
    if (!found) return wrongRefresh();
    const { tenant_id } = found;
    const session = await this.db.tenant(tenant_id, (tx) => rotate(tx, tenant_id, parsed.id, parsed.secret));
    return session ? done(await this.#issue(session)) : wrongRefresh();
  }

  /**
   * Ends the session of the call, and with it its refresh tokens and the sessions opened from it; never the one it was
   * opened from, which a narrowed call does not reach. What a person signed in to is not for an agent's hand to end.
   */
  async signOut(caller: Caller): Promise<Outcome<null>> {
    const { tenant_id, session } = caller;
    if (session.id === session.api_key_id) {
      return refuse('conflict', 'an API key has no session to end; revoke the key instead');
    }
    return this.db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
      const where = { tenant_id_id: { tenant_id, id: session.id } };
      const row = await tx.session.findUnique({ where, select: { kind: true } });
      const by_agent = caller.is_agent && caller.principal.kind === 'human';
      if (by_agent && row?.kind === 'default') {
        return refuse('human_only', 'only the person ends what the person signed in to');
      }
      await endSession(tx, tenant_id, session.id);
      await auditChange(tx, caller, { action: 'auth.logout', subject: `session:${session.id}` });
      return done(null);
    });
  }

  /** Null where the password was changed, or the person disabled, since it was checked. */
  async #open({ tenant_id, principal_id }: Membership, user: User): Promise<OpenSession | null> {
    const session_id = uuidv7();
    const ends = new Date(Date.now() + SESSION_MS);
    const refresh_token = await this.db.tenant(tenant_id, async (tx) => {
      // Locked: a reset that comes now waits, and then ends this session too.
      const same = await tx.$queryRaw<{ id: string }[]>(sql`
        SELECT id FROM users WHERE id = ${user.id}::uuid AND password_hash = ${user.password_hash}
          AND disabled_at IS NULL FOR SHARE`);
      if (same.length === 0) return null;
      // Kept until their end to notice their reuse; afterwards they only take room.
      await tx.refreshToken.deleteMany({ where: { tenant_id, expires_at: { lt: new Date() } } });
      await tx.session.create({
        data: {
          tenant_id,
          id: session_id,
          principal_id,
          kind: 'default',
          interactive: true,
          expires_at: ends,
          packs: [],
        },
      });
      await appendAudit(tx, {
        tenant_id,
        action: 'auth.login',
        principal_id,
        principal_kind: 'human',
        session_id,
        decision: 'allow',
        subject: `session:${session_id}`,
      });
      return addRefreshToken(tx, tenant_id, session_id, ends);
    });
    return refresh_token === null ? null : { tenant_id, session_id, principal_id, ends, refresh_token };
  }

  async #issue(session: OpenSession): Promise<IssuedTokens> {
    const { tenant_id, session_id, principal_id, ends, refresh_token } = session;
    const issued = await this.tokens.issue({ tenant_id, session_id, principal_id }, ends);
    return { ...issued, refresh_token, token_type: 'Bearer', tenant_id };
  }

  /** In the tenant that was named, else wherever the person belongs; who is unknown belongs nowhere. */
  async #auditFailure(memberships: readonly Membership[], tenant_id: string | undefined): Promise<void> {
    for (const membership of memberships.filter((one) => !tenant_id || one.tenant_id === tenant_id)) {
      await this.db.tenant(membership.tenant_id, (tx) =>
        appendAudit(tx, {
          tenant_id: membership.tenant_id,
          action: 'auth.login',
          principal_id: membership.principal_id,
          principal_kind: 'human',
          decision: 'deny',
          code: 'invalid_credentials',
          subject: `principal:${membership.principal_id}`,
        }),
      );
    }
  }
}

async function addRefreshToken(tx: Tx, tenant_id: string, session_id: string, ends: Date): Promise<string> {
  const id = uuidv7();
  const { token, secret_hash } = mintSecret('hcpr', id);
  await tx.refreshToken.create({ data: { tenant_id, id, session_id, secret_hash, expires_at: ends } });
  return token;
}

/** Uses the token up and adds its successor; null, and the session ended, when it was used before. */
async function rotate(tx: Tx, tenant_id: string, id: string, secret: string): Promise<OpenSession | null> {
  const row = await tx.refreshToken.findUnique({ where: { id } });
  if (!row || !secretMatches(secret, row.secret_hash)) return null;
  // One conditional update decides between two who come at once.
  const used = await tx.refreshToken.updateMany({
    where: { tenant_id, id, used_at: null, expires_at: { gt: new Date() } },
    data: { used_at: new Date() },
  });
  const facts = await readCallerFacts(tx, tenant_id, row.session_id);
  const built = buildCaller(facts, { tenant_id, session_id: row.session_id, agent: false });
  if (used.count === 0) {
    if (built.ok && row.expires_at > new Date()) {
      await endSession(tx, tenant_id, row.session_id);
      const subject = `session:${row.session_id}`;
      await auditChange(tx, built.caller, {
        action: 'auth.refresh_reuse',
        subject,
        details: { session_revoked: true },
      });
    }
    return null;
  }
  if (!built.ok) return null;
  const { id: session_id } = built.caller.session;
  const refresh_token = await addRefreshToken(tx, tenant_id, session_id, row.expires_at);
  return { tenant_id, session_id, principal_id: built.caller.principal.id, ends: row.expires_at, refresh_token };
}

async function endSession(tx: Tx, tenant_id: string, id: string): Promise<void> {
  await tx.session.updateMany({ where: { tenant_id, id, revoked_at: null }, data: { revoked_at: new Date() } });
}
