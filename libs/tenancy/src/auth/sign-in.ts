import { appendAudit } from '@hcp/audit';
import type { Caller } from '@hcp/core';
import { sql, type Database, type User } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { done, refuse, type Outcome, type Refusal } from '../outcome.js';
import { auditChange } from '../rights/changes.js';
import { SESSION_MS } from '../sessions/session-life.js';
import type { AccessTokens } from '../tokens/access-tokens.js';
import { parseSecret } from '../tokens/secrets.js';
import { auditFailure, checkPassword, noFailureSooner, wrongCredentials } from './check-password.js';
import type { Membership } from './memberships.js';
import { addRefreshToken, endByRefreshToken, endSession, rotate, type OpenSession } from './refresh-tokens.js';

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
  /** Refreshing does not move it. */
  readonly session_ends: Date;
}

const wrongRefresh = (): Refusal => refuse('invalid_credentials', 'the refresh token is not good');

/** Signing in with email and password, renewing, signing out (SPEC T5). Operators sign in to the platform tenant. */
export class SignIn {
  constructor(
    private readonly db: Database,
    private readonly tokens: AccessTokens,
  ) {}

  /** Opens a default session, interactive, for 8 hours. Success and failure are audited where the person belongs. */
  async signIn(request: SignInRequest): Promise<Outcome<IssuedTokens>> {
    return noFailureSooner(() => this.#signIn(request));
  }

  async #signIn(request: SignInRequest): Promise<Outcome<IssuedTokens>> {
    const checked = await checkPassword(this.db, request);
    if (!checked.ok) return checked;
    const { user, memberships } = checked.value;
    const fitting = memberships.filter((one) => !request.tenant_id || one.tenant_id === request.tenant_id);
    const [membership, ...others] = fitting;
    if (!membership) {
      await auditFailure(this.db, memberships, undefined);
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
    const tenant_id = await this.#tenantOf(parsed.id);
    if (tenant_id === null) return wrongRefresh();
    const session = await this.db.tenant(tenant_id, (tx) => rotate(tx, { tenant_id, ...parsed, client_id: null }));
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

  /**
   * Ends the session that a refresh token is of, for whoever holds nothing else any more: a browser whose access token ran
   * out. A token that was used already does it too, as using it again would.
   */
  async signOutBy(refresh_token: string): Promise<void> {
    const parsed = parseSecret('hcpr', refresh_token);
    const tenant_id = parsed && (await this.#tenantOf(parsed.id));
    if (!parsed || tenant_id === null) return;
    await this.db.tenant(tenant_id, async (tx) => {
      const caller = await endByRefreshToken(tx, { tenant_id, ...parsed });
      if (caller) await auditChange(tx, caller, { action: 'auth.logout', subject: `session:${caller.session.id}` });
    });
  }

  async #tenantOf(refresh_token_id: string): Promise<string | null> {
    const found = await this.db.lookup(refresh_token_id, (tx) =>
      tx.refreshToken.findUnique({ where: { id: refresh_token_id }, select: { tenant_id: true } }),
    );
    return found?.tenant_id ?? null;
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
      return addRefreshToken(tx, 'hcpr', { tenant_id, session_id, ends });
    });
    return refresh_token === null ? null : { tenant_id, session_id, principal_id, ends, refresh_token };
  }

  async #issue(session: OpenSession): Promise<IssuedTokens> {
    const { tenant_id, session_id, principal_id, ends, refresh_token } = session;
    const issued = await this.tokens.issue({ tenant_id, session_id, principal_id, client_id: null }, ends);
    return { ...issued, refresh_token, token_type: 'Bearer', tenant_id, session_ends: ends };
  }
}
