import type { CreateGrant, GrantRecord, ListGrantsQuery } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Database } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { done, refuse, unknownThing, type Outcome } from '../outcome.js';
import { badCursor, pageById, type PageResult } from '../page.js';
import { recordRightsChange } from './changes.js';
import { refuseUnless, refuseWider } from './rights.js';
import { grantFacts, grantOf, grantRecord, projectExists } from './stored-grant.js';

/** Grants of the tenant, of one principal, of one capability. Needs `access.manage` in the whole tenant. */
export async function listGrants(
  db: Database,
  caller: Caller,
  query: ListGrantsQuery,
): Promise<Outcome<PageResult<GrantRecord>>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const { principal_id, capability } = query;
  const page = await db.tenant(tenant_id, (tx) =>
    pageById(
      query,
      ({ after, take }) =>
        tx.grant.findMany({
          where: { tenant_id, principal_id, capability, id: { gt: after } },
          orderBy: { id: 'asc' },
          take,
        }),
      grantRecord,
    ),
  );
  return page ? done(page) : badCursor();
}

/** Gives a capability to a principal: needs `access.manage` where the grant reaches, and the right itself (SPEC G5). */
export async function createGrant(db: Database, caller: Caller, input: CreateGrant): Promise<Outcome<GrantRecord>> {
  const { principal_id, ...grant } = input;
  const refusal = refuseUnless(caller, 'access.manage', grant) ?? refuseWider(caller, [grant], '');
  if (refusal) return refusal;
  if (grant.expires_at !== undefined && Date.parse(grant.expires_at) <= Date.now()) {
    return refuse('invalid_request', 'must be in the future', { path: '/expires_at' });
  }
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<GrantRecord>> => {
    const owner = await tx.principal.findUnique({ where: { tenant_id_id: { tenant_id, id: principal_id } } });
    if (!owner) return unknownThing();
    if (grant.project_id !== undefined && !(await projectExists(tx, tenant_id, grant.project_id)))
      return unknownThing();
    const row = await tx.grant.create({
      data: {
        tenant_id,
        id: uuidv7(),
        principal_id,
        capability: grant.capability,
        pack_id: grant.pack_id ?? null,
        verb_keys: grant.verb_keys ?? [],
        project_id: grant.project_id ?? null,
        expires_at: grant.expires_at === undefined ? null : new Date(grant.expires_at),
        created_by: caller.principal.id,
      },
    });
    await recordRightsChange(tx, caller, {
      action: 'grant.create',
      subject: `grant:${row.id}`,
      project_id: row.project_id,
      pack_id: row.pack_id,
      details: { principal_id, ...grantFacts([grant]) },
    });
    return done(grantRecord(row));
  });
}

export async function deleteGrant(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const where = { tenant_id_id: { tenant_id, id } };
    const row = await tx.grant.findUnique({ where });
    if (!row) return unknownThing();
    const refusal = refuseUnless(caller, 'access.manage', row);
    if (refusal) return refusal;
    await tx.grant.deleteMany({ where: { tenant_id, id } });
    await recordRightsChange(tx, caller, {
      action: 'grant.delete',
      subject: `grant:${id}`,
      project_id: row.project_id,
      pack_id: row.pack_id,
      details: { principal_id: row.principal_id, ...grantFacts([grantOf(row)]) },
    });
    return done(null);
  });
}
