import { appendAudit } from '@hcp/audit';
import type { AcceptedInvitation, AcceptInvitation } from '@hcp/contracts';
import { allows, covers } from '@hcp/core';
import { isUniqueViolation, type Database, type Invitation, type Tx, type User } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { done, refuse, type Outcome, type Refusal } from '../outcome.js';
import { bumpEpoch } from '../rights/changes.js';
import { grantsHeldBy } from '../rights/held.js';
import { roleGrantsByName } from '../rights/role-names.js';
import { within } from '../rights/stored-grant.js';
import { hashPassword, verifyPassword } from '../tokens/passwords.js';
import { parseSecret, secretMatches } from '../tokens/secrets.js';

/** Counts guesses at a known person's password: an invitation must be no second way to make them. */
export interface PasswordAttempts {
  /** @throws when there were too many */
  take(email: string): Promise<void>;
  succeeded(email: string): Promise<void>;
}

const notGood = (): Refusal => refuse('invalid_credentials', 'the invitation is not good, or no longer');
const wrongPassword = (): Refusal =>
  refuse('invalid_credentials', 'this person has a password here already, which is another', { path: '/password' });

/**
 * Accepts an invitation by the token of its link, once. Who is new gets a user with this password; who is known from
 * another tenant gives the one they have, because a link proves less than that.
 */
export async function acceptInvitation(
  db: Database,
  input: AcceptInvitation,
  attempts: PasswordAttempts,
): Promise<Outcome<AcceptedInvitation>> {
  const parsed = parseSecret('hcpi', input.token);
  if (!parsed) return notGood();
  const found = await db.lookup(parsed.id, (tx) => tx.invitation.findUnique({ where: { id: parsed.id } }));
  if (!found || !secretMatches(parsed.secret, found.secret_hash)) return notGood();
  const { tenant_id, email } = found;
  if (!(await db.tenant(tenant_id, (tx) => isGood(tx, found)))) return notGood();
  const known = await db.global((tx) => tx.user.findUnique({ where: { email } }));
  if (known) {
    await attempts.take(email);
    const password_hash = known.disabled_at === null ? known.password_hash : null;
    if (!(await verifyPassword(input.password, password_hash))) return wrongPassword();
    await attempts.succeeded(email);
  }
  const password_hash = known ? null : await hashPassword(input.password);
  try {
    return await db.tenant(tenant_id, async (tx): Promise<Outcome<AcceptedInvitation>> => {
      await bumpEpoch(tx, tenant_id);
      if (!(await isGood(tx, found))) return notGood();
      const principal_id = await join(tx, found, { known, name: input.name, password_hash });
      if (principal_id === null) return refuse('conflict', 'this person is a member already');
      // Conditional, so that of two who come at once only one is let in; the other's rows go with the transaction.
      const { count } = await tx.invitation.updateMany({
        where: { tenant_id, id: found.id, accepted_at: null, revoked_at: null, expires_at: { gt: new Date() } },
        data: { accepted_at: new Date(), principal_id },
      });
      if (count === 0) throw new AcceptedMeanwhile();
      return done({ tenant_id, principal_id, email });
    });
  } catch (error) {
    if (error instanceof AcceptedMeanwhile || isUniqueViolation(error)) return notGood();
    throw error;
  }
}

/** Thrown to roll back. */
class AcceptedMeanwhile extends Error {}

/**
 * Open, of a tenant that was not stopped, and by somebody who could still give that role: rights that ended meanwhile, or
 * a role that was widened, count here too (SPEC G5).
 */
async function isGood(tx: Tx, { tenant_id, id }: Invitation): Promise<boolean> {
  const row = await tx.invitation.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
  const tenant = await tx.tenant.findUnique({ where: { id: tenant_id }, select: { stopped_at: true } });
  if (!row || tenant?.stopped_at !== null) return false;
  if (row.accepted_at !== null || row.revoked_at !== null || row.expires_at <= new Date()) return false;
  const grants = await roleGrantsByName(tx, tenant_id, row.role);
  if (!grants) return false;
  const { created_by, project_id } = row;
  if (created_by === null) return true;
  const inviter = await tx.principal.findUnique({ where: { tenant_id_id: { tenant_id, id: created_by } } });
  if (inviter?.disabled_at !== null) return false;
  const now = new Date();
  const authority = { layers: [await grantsHeldBy(tx, tenant_id, created_by)] };
  return (
    allows(authority, { capability: 'access.manage', project_id }, now) &&
    within(project_id, grants).every((grant) => covers(authority, grant, now))
  );
}

interface Person {
  readonly known: User | null;
  readonly name: string;
  /** Of a new user. */
  readonly password_hash: string | null;
}

/** The person as a principal with the role; null where they are one already. */
async function join(tx: Tx, invitation: Invitation, person: Person): Promise<string | null> {
  const { tenant_id, email, role, project_id, created_by } = invitation;
  const { known, name, password_hash } = person;
  const user_id = known?.id ?? uuidv7();
  if (password_hash !== null) await tx.user.create({ data: { id: user_id, email, name, password_hash } });
  const before = await tx.principal.findFirst({ where: { tenant_id, user_id } });
  const principal_id = before?.id ?? uuidv7();
  if (before) {
    // Who was removed may come back; who was merely disabled would get back what they held.
    const holds = await grantsHeldBy(tx, tenant_id, principal_id);
    if (before.disabled_at === null || holds.length > 0) return null;
    await tx.principal.updateMany({ where: { tenant_id, id: principal_id }, data: { disabled_at: null, name } });
  } else {
    await tx.principal.create({ data: { tenant_id, id: principal_id, kind: 'human', name, user_id, created_by } });
  }
  await tx.roleAssignment.create({
    data: { tenant_id, id: uuidv7(), principal_id, role, project_id, created_by },
  });
  if (project_id !== null) {
    await tx.projectMember.createMany({ data: [{ tenant_id, project_id, principal_id }], skipDuplicates: true });
  }
  await appendAudit(tx, {
    tenant_id,
    action: 'invitation.accept',
    principal_id,
    principal_kind: 'human',
    decision: 'allow',
    project_id,
    subject: `invitation:${invitation.id}`,
    details: { role },
  });
  return principal_id;
}
