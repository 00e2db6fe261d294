import { setTimeout } from 'node:timers/promises';
import { appendAudit } from '@hcp/audit';
import type { Database, User } from '@hcp/database';
import { done, refuse, type Outcome, type Refusal } from '../outcome.js';
import { verifyPassword } from '../tokens/passwords.js';
import { membershipsOf, type Membership } from './memberships.js';

/**
 * No failure answers sooner, so that its time does not tell whether the person exists: only for one who does the failure
 * is audited.
 */
const FAILURE_FLOOR_MS = 250;

export async function noFailureSooner<T>(attempt: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  const floor = setTimeout(FAILURE_FLOOR_MS);
  const outcome = await attempt();
  if (!outcome.ok) await floor;
  return outcome;
}

export const wrongCredentials = (): Refusal => refuse('invalid_credentials', 'email or password is wrong');

/** Who gave the password, and where they belong. */
export interface KnownPerson {
  readonly user: User;
  readonly memberships: readonly Membership[];
}

/** Checks email and password, and audits a failure where the person belongs (SPEC T5). To be called within `noFailureSooner`. */
export async function checkPassword(
  db: Database,
  request: { readonly email: string; readonly password: string; readonly tenant_id?: string | undefined },
): Promise<Outcome<KnownPerson>> {
  const email = request.email.trim().toLowerCase();
  const user = await db.global((tx) => tx.user.findUnique({ where: { email } }));
  const known = user !== null && user.disabled_at === null;
  const matches = await verifyPassword(request.password, known ? user.password_hash : null);
  const memberships = user ? await membershipsOf(db, user.id) : [];
  if (known && matches) return done({ user, memberships });
  await auditFailure(db, memberships, request.tenant_id);
  return wrongCredentials();
}

/** In the tenant that was named, else wherever the person belongs; who is unknown belongs nowhere. */
export async function auditFailure(
  db: Database,
  memberships: readonly Membership[],
  tenant_id: string | undefined,
): Promise<void> {
  for (const membership of memberships.filter((one) => !tenant_id || one.tenant_id === tenant_id)) {
    await db.tenant(membership.tenant_id, (tx) =>
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
