import { appendAudit } from '@hcp/audit';
import type { CreatedInvitation, CreatedTenant, CreateTenant, PageQuery, Tenant as TenantAnswer } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { enterScope, isUniqueViolation, type Database, type Tenant, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import type { LinkDeps } from '../mail.js';
import { done, refuse, unknownThing, type Outcome } from '../outcome.js';
import { badCursor, pageById, type PageResult } from '../page.js';
import { handOver, insertInvitation } from '../people/invitations.js';
import { auditChange, bumpEpoch } from '../rights/changes.js';
import { othersOwn } from '../rights/owners.js';
import { operatorOnly } from '../rights/rights.js';

type Deps = LinkDeps & { readonly db: Database };

/** Makes a tenant and invites its first owner, which nobody in it could do. */
export async function createTenant(
  { db, ...links }: Deps,
  caller: Caller,
  input: CreateTenant,
): Promise<Outcome<CreatedTenant>> {
  const refusal = operatorOnly(caller);
  if (refusal) return refusal;
  const { slug, name } = input;
  const id = uuidv7();
  try {
    const made = await db.tenant(id, async (tx) => {
      const tenant = await tx.tenant.create({ data: { id, slug, name } });
      const minted = await insertInvitation(tx, ownerOf(id, input.owner_email));
      await auditBoth(tx, caller, 'tenant.create', id);
      return { tenant, minted };
    });
    const invitation = await handOver(db, links, caller, made.minted);
    return invitation.ok ? done({ ...tenantAnswer(made.tenant), invitation: invitation.value }) : invitation;
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('conflict', 'another tenant has this name', { path: '/slug' });
    throw error;
  }
}

/** Invites an owner anew, while nobody owns the tenant: its people are not an operator's to add to (SPEC G5). */
export async function inviteOwner(
  { db, ...links }: Deps,
  caller: Caller,
  id: string,
  email: string,
): Promise<Outcome<CreatedInvitation>> {
  const refusal = operatorOnly(caller);
  if (refusal) return refusal;
  const found = await db.operator((tx) => tx.tenant.findUnique({ where: { id } }));
  if (!found || found.platform) return unknownThing();
  const minted = await db.tenant(id, async (tx) => {
    await bumpEpoch(tx, id);
    if (await othersOwn(tx, id, caller.principal.id)) return null;
    const invitation = await insertInvitation(tx, ownerOf(id, email));
    await auditBoth(tx, caller, 'tenant.invite_owner', id);
    return invitation;
  });
  return minted
    ? handOver(db, links, caller, minted)
    : refuse('conflict', 'the tenant has an owner, who invites others');
}

export async function listTenants(
  db: Database,
  caller: Caller,
  query: PageQuery,
): Promise<Outcome<PageResult<TenantAnswer>>> {
  const refusal = operatorOnly(caller);
  if (refusal) return refusal;
  const page = await db.operator((tx) =>
    pageById(
      query,
      ({ after, take }) => tx.tenant.findMany({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take }),
      tenantAnswer,
    ),
  );
  return page ? done(page) : badCursor();
}

export async function getTenant(db: Database, caller: Caller, id: string): Promise<Outcome<TenantAnswer>> {
  const refusal = operatorOnly(caller);
  if (refusal) return refusal;
  const row = await db.operator((tx) => tx.tenant.findUnique({ where: { id } }));
  return row ? done(tenantAnswer(row)) : unknownThing();
}

/** The kill switch of a tenant (SPEC T5): people and keys on the next call, queued runs at the fence, running ones soon. */
export async function stopTenant(db: Database, caller: Caller, id: string): Promise<Outcome<TenantAnswer>> {
  return setStopped(db, caller, id, true);
}

export async function resumeTenant(db: Database, caller: Caller, id: string): Promise<Outcome<TenantAnswer>> {
  return setStopped(db, caller, id, false);
}

async function setStopped(db: Database, caller: Caller, id: string, stop: boolean): Promise<Outcome<TenantAnswer>> {
  const refusal = operatorOnly(caller);
  if (refusal) return refusal;
  const found = await db.operator((tx) => tx.tenant.findUnique({ where: { id } }));
  if (!found) return unknownThing();
  if (found.platform) return refuse('conflict', 'the tenant is the one of the operators');
  const action = stop ? 'tenant.stop' : 'tenant.resume';
  return db.tenant(id, async (tx): Promise<Outcome<TenantAnswer>> => {
    await bumpEpoch(tx, id);
    const { count } = await tx.tenant.updateMany({
      where: { id, stopped_at: stop ? null : { not: null } },
      data: { stopped_at: stop ? new Date() : null },
    });
    const row = await tx.tenant.findUniqueOrThrow({ where: { id } });
    if (count > 0) await auditBoth(tx, caller, action, id);
    return done(tenantAnswer(row));
  });
}

/**
 * Both logs tell of it, in the transaction of the act: neither has an act that did not happen, nor misses one. The last
 * thing of its transaction, which is in the operator's tenant afterwards.
 */
async function auditBoth(tx: Tx, caller: Caller, action: string, id: string): Promise<void> {
  await appendAudit(tx, {
    tenant_id: id,
    action,
    principal_id: caller.principal.id,
    principal_kind: 'human',
    decision: 'allow',
    subject: `tenant:${id}`,
    details: { operator: true },
  });
  await enterScope(tx, { tenant_id: caller.tenant_id });
  await auditChange(tx, caller, { action, subject: `tenant:${id}` });
}

const ownerOf = (tenant_id: string, email: string) => ({
  tenant_id,
  email: email.toLowerCase(),
  role: 'owner',
  project_id: null,
  created_by: null,
});

const tenantAnswer = (row: Tenant): TenantAnswer => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  platform: row.platform,
  stopped_at: row.stopped_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});
