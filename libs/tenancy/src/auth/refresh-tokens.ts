import type { Caller } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { buildCaller } from '../caller/build.js';
import { readCallerFacts } from '../caller/facts.js';
import { auditChange } from '../rights/changes.js';
import { mintSecret, secretMatches } from '../tokens/secrets.js';

/** A session in which tokens are to be issued. */
export interface OpenSession {
  readonly tenant_id: string;
  readonly session_id: string;
  readonly principal_id: string;
  readonly ends: Date;
  readonly refresh_token: string;
}

/** `hcpr` for a person's own session, `hcpo` for an MCP client's. */
type Prefix = 'hcpr' | 'hcpo';

export async function addRefreshToken(
  tx: Tx,
  prefix: Prefix,
  session: Pick<OpenSession, 'tenant_id' | 'session_id' | 'ends'>,
): Promise<string> {
  const { tenant_id, session_id, ends } = session;
  const id = uuidv7();
  const { token, secret_hash } = mintSecret(prefix, id);
  await tx.refreshToken.create({ data: { tenant_id, id, session_id, secret_hash, expires_at: ends } });
  return token;
}

/**
 * Uses the token up and adds its successor; null, and the session ended, when it was used before. Null too where the
 * session is another client's: which client a token is of, its session says, never the token's own prefix.
 * @param given `client_id` null for a person's own session
 */
export async function rotate(
  tx: Tx,
  given: {
    readonly tenant_id: string;
    readonly id: string;
    readonly secret: string;
    readonly client_id: string | null;
  },
): Promise<OpenSession | null> {
  const { tenant_id, id, secret, client_id } = given;
  const row = await tx.refreshToken.findUnique({ where: { id } });
  if (!row || !secretMatches(secret, row.secret_hash)) return null;
  const { session_id, expires_at: ends } = row;
  const session = await tx.session.findUnique({
    where: { tenant_id_id: { tenant_id, id: session_id } },
    select: { client_id: true },
  });
  if (session?.client_id !== client_id) return null;
  // One conditional update decides between two who come at once.
  const used = await tx.refreshToken.updateMany({
    where: { tenant_id, id, used_at: null, expires_at: { gt: new Date() } },
    data: { used_at: new Date() },
  });
  const facts = await readCallerFacts(tx, tenant_id, session_id);
  const built = buildCaller(facts, { tenant_id, session_id, agent: false });
  if (used.count === 0) {
    if (built.ok && ends > new Date()) {
      await endSession(tx, tenant_id, session_id);
      const subject = `session:${session_id}`;
      await auditChange(tx, built.caller, {
        action: 'auth.refresh_reuse',
        subject,
        details: { session_revoked: true, ...(client_id === null ? {} : { client_id }) },
      });
    }
    return null;
  }
  if (!built.ok) return null;
  const prefix = client_id === null ? 'hcpr' : 'hcpo';
  const refresh_token = await addRefreshToken(tx, prefix, { tenant_id, session_id, ends });
  return { tenant_id, session_id, principal_id: built.caller.principal.id, ends, refresh_token };
}

/** Ends a person's own session by a refresh token of it, used or not; null where none is open by that token. */
export async function endByRefreshToken(
  tx: Tx,
  { tenant_id, id, secret }: { readonly tenant_id: string; readonly id: string; readonly secret: string },
): Promise<Caller | null> {
  const row = await tx.refreshToken.findUnique({ where: { id } });
  if (!row || !secretMatches(secret, row.secret_hash)) return null;
  const { session_id } = row;
  const facts = await readCallerFacts(tx, tenant_id, session_id);
  const built = buildCaller(facts, { tenant_id, session_id, agent: false });
  await tx.session.updateMany({
    where: { tenant_id, id: session_id, client_id: null, revoked_at: null },
    data: { revoked_at: new Date() },
  });
  return built.ok ? built.caller : null;
}

export async function endSession(tx: Tx, tenant_id: string, id: string): Promise<void> {
  await tx.session.updateMany({ where: { tenant_id, id, revoked_at: null }, data: { revoked_at: new Date() } });
}
