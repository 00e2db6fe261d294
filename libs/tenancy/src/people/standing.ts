import type { Caller } from '@hcp/core';
import type { Database } from '@hcp/database';
import { done, refuse, unknownThing, type Outcome } from '../outcome.js';
import { bumpEpoch, recordRightsChange } from '../rights/changes.js';
import { grantsHeldBy } from '../rights/held.js';
import { othersOwn } from '../rights/owners.js';
import { refuseUnless, refuseWider } from '../rights/rights.js';

/**
 * The kill switch of a principal (SPEC T5): its sessions and keys fail on the next call everywhere, its queued runs are
 * refused, its running ones stopped; so is whatever acts for it. Anyone who manages access may pull it, also on somebody
 * who holds more; only the last owner stays.
 */
export async function disablePrincipal(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    await bumpEpoch(tx, tenant_id);
    const row = await tx.principal.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    if (!row) return unknownThing();
    if (row.disabled_at !== null) return done(null);
    if (await isLastOwner()) return refuse('conflict', 'a tenant keeps at least one owner');
    await tx.principal.updateMany({ where: { tenant_id, id }, data: { disabled_at: new Date() } });
    const details = { kind: row.kind };
    await recordRightsChange(tx, caller, { action: 'principal.disable', subject: `principal:${id}`, details });
    return done(null);

    async function isLastOwner(): Promise<boolean> {
      const owns = await tx.roleAssignment.count({
        where: { tenant_id, principal_id: id, role: 'owner', project_id: null },
      });
      return owns > 0 && !(await othersOwn(tx, tenant_id, id));
    }
  });
}

/** Gives a disabled principal back what it holds, so nobody does it who holds less (SPEC G5). */
export async function enablePrincipal(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const row = await tx.principal.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    if (!row) return unknownThing();
    const wider = refuseWider(caller, await grantsHeldBy(tx, tenant_id, id), '');
    if (wider) return wider;
    if (row.disabled_at === null) return done(null);
    await tx.principal.updateMany({ where: { tenant_id, id }, data: { disabled_at: null } });
    const details = { kind: row.kind };
    await recordRightsChange(tx, caller, { action: 'principal.enable', subject: `principal:${id}`, details });
    return done(null);
  });
}

/**
 * Takes a principal out of the tenant: disabled, and nothing is left that it held or could come in with. Its row stays,
 * because runs and the audit log name it.
 */
export async function removePrincipal(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const disabled = await disablePrincipal(db, caller, id);
  if (!disabled.ok) return disabled;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const of = { where: { tenant_id, principal_id: id } };
    await tx.roleAssignment.deleteMany(of);
    await tx.grant.deleteMany(of);
    await tx.projectMember.deleteMany(of);
    await tx.externalIdentity.deleteMany(of);
    const revoked = { where: { ...of.where, revoked_at: null }, data: { revoked_at: new Date() } };
    await tx.apiKey.updateMany(revoked);
    await tx.session.updateMany(revoked);
    await recordRightsChange(tx, caller, { action: 'principal.remove', subject: `principal:${id}` });
    return done(null);
  });
}
