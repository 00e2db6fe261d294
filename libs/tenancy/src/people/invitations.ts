import { appendAudit } from '@hcp/audit';
import { INVITATION_HOURS, type CreatedInvitation, type CreateInvitation } from '@hcp/contracts';
import type { Invitation as InvitationAnswer, ListInvitationsQuery } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Database, Invitation, Prisma, Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { link, type LinkDeps } from '../mail.js';
import { done, refuse, unknownThing, type Outcome } from '../outcome.js';
import { badCursor, pageById, type PageResult } from '../page.js';
import { auditChange, recordRightsChange } from '../rights/changes.js';
import { refuseUnless, refuseWider } from '../rights/rights.js';
import { roleGrantsByName } from '../rights/role-names.js';
import { projectExists, within } from '../rights/stored-grant.js';
import { mintSecret } from '../tokens/secrets.js';

/** Invites a person with a role that the inviter covers (SPEC G5): a single-use link for 72 hours. */
export async function createInvitation(
  { db, ...links }: LinkDeps & { readonly db: Database },
  caller: Caller,
  input: CreateInvitation,
): Promise<Outcome<CreatedInvitation>> {
  const { role, project_id = null } = input;
  const refusal = refuseUnless(caller, 'access.manage', { project_id });
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const email = input.email.toLowerCase();
  const made = await db.tenant(tenant_id, async (tx): Promise<Outcome<Minted>> => {
    const grants = await roleGrantsByName(tx, tenant_id, role);
    if (!grants) return refuse('invalid_request', 'is no role of this tenant', { path: '/role' });
    const wider = refuseWider(caller, within(project_id, grants), '/role');
    if (wider) return wider;
    if (project_id !== null && !(await projectExists(tx, tenant_id, project_id))) return unknownThing();
    if (await isMember(tx, tenant_id, email)) return refuse('conflict', 'is a member already', { path: '/email' });
    const minted = await insertInvitation(tx, { tenant_id, email, role, project_id, created_by: caller.principal.id });
    await auditChange(tx, caller, {
      action: 'invitation.create',
      subject: `invitation:${minted.row.id}`,
      project_id,
      details: { role },
    });
    return done(minted);
  });
  if (!made.ok) return made;
  return handOver(db, links, caller, made.value);
}

export async function listInvitations(
  db: Database,
  caller: Caller,
  query: ListInvitationsQuery,
): Promise<Outcome<PageResult<InvitationAnswer>>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const page = await db.tenant(tenant_id, (tx) =>
    pageById(
      query,
      ({ after, take }) =>
        tx.invitation.findMany({
          where: { AND: [{ tenant_id, id: { gt: after } }, inState(query.state)] },
          orderBy: { id: 'asc' },
          take,
        }),
      invitationAnswer,
    ),
  );
  return page ? done(page) : badCursor();
}

export async function revokeInvitation(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const row = await tx.invitation.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    if (!row) return unknownThing();
    const refusal = refuseUnless(caller, 'access.manage', row);
    if (refusal) return refusal;
    const { count } = await tx.invitation.updateMany({
      where: { tenant_id, id, accepted_at: null, revoked_at: null },
      data: { revoked_at: new Date() },
    });
    if (count > 0) await recordRightsChange(tx, caller, { action: 'invitation.revoke', subject: `invitation:${id}` });
    return row.accepted_at === null ? done(null) : refuse('conflict', 'the invitation was accepted already');
  });
}

export interface Minted {
  readonly row: Invitation;
  readonly token: string;
}

export async function insertInvitation(
  tx: Tx,
  fields: Pick<Invitation, 'tenant_id' | 'email' | 'role' | 'project_id' | 'created_by'>,
): Promise<Minted> {
  const id = uuidv7();
  const { token, secret_hash } = mintSecret('hcpi', id);
  const expires_at = new Date(Date.now() + INVITATION_HOURS * 3600_000);
  return { row: await tx.invitation.create({ data: { ...fields, id, secret_hash, expires_at } }), token };
}

/**
 * Sends the link, or answers it where no mail is sent. A link that cannot be sent is void.
 * @param caller who invites; an operator is of another tenant
 */
export async function handOver(
  db: Database,
  { mailer, public_url }: LinkDeps,
  caller: Caller,
  { row, token }: Minted,
): Promise<Outcome<CreatedInvitation>> {
  const url = link(public_url, 'invitation', token);
  const text = `You are invited. Choose a name and a password here, within ${INVITATION_HOURS} hours:\n\n${url}\n`;
  const { tenant_id, id } = row;
  try {
    await mailer.send({ to: row.email, subject: 'Invitation', text });
  } catch {
    await db.tenant(tenant_id, async (tx) => {
      const open = { tenant_id, id, accepted_at: null, revoked_at: null };
      const { count } = await tx.invitation.updateMany({ where: open, data: { revoked_at: new Date() } });
      if (count === 0) return;
      await appendAudit(tx, {
        tenant_id,
        action: 'invitation.revoke',
        principal_id: caller.principal.id,
        principal_kind: caller.principal.kind,
        decision: 'allow',
        reason: 'the mail could not be sent',
        subject: `invitation:${id}`,
        project_id: row.project_id,
        ...(caller.tenant_id === tenant_id ? {} : { details: { operator: true } }),
      });
    });
    return refuse('unavailable', 'the invitation could not be mailed');
  }
  return done({ ...invitationAnswer(row), link: mailer.delivers ? null : url });
}

async function isMember(tx: Tx, tenant_id: string, email: string): Promise<boolean> {
  const user = await tx.user.findUnique({ where: { email }, select: { id: true } });
  if (!user) return false;
  return (await tx.principal.count({ where: { tenant_id, user_id: user.id, disabled_at: null } })) > 0;
}

/** As `invitationAnswer` names them. */
function inState(state: InvitationAnswer['state'] | undefined): Prisma.InvitationWhereInput {
  const waiting = { accepted_at: null, revoked_at: null };
  switch (state) {
    case 'accepted':
      return { accepted_at: { not: null } };
    case 'revoked':
      return { accepted_at: null, revoked_at: { not: null } };
    case 'open':
      return { ...waiting, expires_at: { gt: new Date() } };
    case 'expired':
      return { ...waiting, expires_at: { lte: new Date() } };
    case undefined:
      return {};
  }
}

function invitationAnswer(row: Invitation): InvitationAnswer {
  const open = row.expires_at > new Date() ? 'open' : 'expired';
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    project_id: row.project_id,
    state: row.accepted_at !== null ? 'accepted' : row.revoked_at !== null ? 'revoked' : open,
    expires_at: row.expires_at.toISOString(),
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
  };
}
