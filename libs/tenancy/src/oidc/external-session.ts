import { appendAudit } from '@hcp/audit';
import { sql, type ExternalIdentity, type OidcIssuer, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { SESSION_MS } from '../sessions/session-life.js';
import type { ExternalClaims } from './external-tokens.js';

/**
 * The default session of an external token, opened when the token first comes (SPEC T4): for 8 hours, at most as long as
 * the token. It stays when it is revoked, so that the token is dead then. Null: the subject is nobody here; `full`: the
 * issuer has as many live sessions as it may.
 */
export async function externalSession(
  tx: Tx,
  claims: ExternalClaims,
  max_live: number,
): Promise<{ readonly id: string } | 'full' | null> {
  const { tenant_id, issuer_id, token_hash } = claims;
  const issuer = await tx.oidcIssuer.findUnique({ where: { tenant_id_id: { tenant_id, id: issuer_id } } });
  if (!issuer) return null;
  const one = { tenant_id, issuer_id, token_hash };
  const known = await tx.session.findFirst({ where: one, select: { id: true } });
  if (known) return known;
  const tenant = await tx.tenant.findUnique({ where: { id: tenant_id }, select: { stopped_at: true } });
  if (tenant?.stopped_at !== null) return null;
  const identity = await identityOf(tx, claims, issuer);
  if (identity === null) return null;
  const { principal_id, linked_by } = identity;
  // Each new token adds a row: an issuer that hands out tokens without end must not fill the table.
  const live = { tenant_id, issuer_id, revoked_at: null, expires_at: { gt: new Date() } };
  if ((await tx.session.count({ where: live })) >= max_live) return 'full';
  const expires_at = new Date(Math.min(Date.now() + SESSION_MS, claims.expires_at.getTime()));
  const session = {
    id: uuidv7(),
    principal_id,
    kind: 'default',
    interactive: issuer.interactive,
    packs: [],
    expires_at,
    token_expires_at: claims.expires_at,
    linked_by,
  };
  const { count } = await tx.session.createMany({ data: [{ ...one, ...session }], skipDuplicates: true });
  if (count === 0) return tx.session.findFirst({ where: one, select: { id: true } });
  await appendAudit(tx, {
    tenant_id,
    action: 'auth.login',
    principal_id,
    principal_kind: issuer.kind,
    session_id: session.id,
    decision: 'allow',
    subject: `session:${session.id}`,
    details: { issuer_id },
  });
  return { id: session.id };
}

type Identity = Pick<ExternalIdentity, 'principal_id' | 'linked_by'>;

/** By issuer and subject alone: an email address is only what the issuer says, and proves nothing here. */
async function identityOf(tx: Tx, claims: ExternalClaims, issuer: OidcIssuer): Promise<Identity | null> {
  const { tenant_id, issuer_id, subject, email } = claims;
  const where = { tenant_id_issuer_id_subject: { tenant_id, issuer_id, subject } };
  const select = { principal_id: true, linked_by: true } as const;
  const known = await tx.externalIdentity.findUnique({ where, select });
  if (known || !issuer.jit) return known;
  // Two calls of a new subject at once make one principal.
  await tx.$executeRaw(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${issuer_id} ${subject}`}, 0))`);
  const meanwhile = await tx.externalIdentity.findUnique({ where, select });
  if (meanwhile) return meanwhile;
  const id = uuidv7();
  const { kind, jit_role: role } = issuer;
  await tx.principal.create({ data: { tenant_id, id, kind, name: (email ?? subject).slice(0, 100) } });
  await tx.externalIdentity.create({ data: { tenant_id, issuer_id, subject, email, principal_id: id } });
  if (role !== null) {
    await tx.roleAssignment.create({ data: { tenant_id, id: uuidv7(), principal_id: id, role } });
  }
  await appendAudit(tx, {
    tenant_id,
    action: 'principal.create',
    principal_id: id,
    principal_kind: kind,
    decision: 'allow',
    subject: `principal:${id}`,
    details: { issuer_id, role },
  });
  return { principal_id: id, linked_by: null };
}
