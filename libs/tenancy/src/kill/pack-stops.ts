import type { PackStop as PackStopAnswer } from '@hcp/contracts';
import { allows, HCP_CLI_PACK_ID, type Caller } from '@hcp/core';
import type { Database, PackStop, Tx } from '@hcp/database';
import { packResumed, packUnavailable } from '@hcp/sense';
import { done, refuse, unknownThing, type Outcome, type Refusal } from '../outcome.js';
import { recordRightsChange } from '../rights/changes.js';
import { humanOnly, missing } from '../rights/rights.js';

/**
 * The kill switch of a pack (SPEC T5): while it is stopped no run of it starts in the tenant, whatever is activated, queued
 * ones are refused and running ones stopped. In the platform tenant: of a pack of the platform, in every tenant.
 */
export async function stopPack(db: Database, caller: Caller, pack_id: string): Promise<Outcome<PackStopAnswer>> {
  const refusal = refuseSwitch(caller, pack_id);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<PackStopAnswer>> => {
    if (!(await isThere(tx, tenant_id, pack_id))) return unknownThing();
    const stop = { tenant_id, pack_id, platform: caller.platform, stopped_by: caller.principal.id };
    const { count } = await tx.packStop.createMany({ data: [stop], skipDuplicates: true });
    if (count > 0) {
      await recordRightsChange(tx, caller, { action: 'pack.stop', subject: `pack:${pack_id}`, pack_id });
      await packUnavailable(tx, { tenant_id, pack_id }, 'stopped');
    }
    return done(await current(tx, tenant_id, pack_id));
  });
}

/** Only a person lets a pack go on. */
export async function resumePack(db: Database, caller: Caller, pack_id: string): Promise<Outcome<PackStopAnswer>> {
  const refusal = humanOnly(caller) ?? refuseSwitch(caller, pack_id);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<PackStopAnswer>> => {
    const { count } = await tx.packStop.deleteMany({ where: { tenant_id, pack_id } });
    if (count > 0) {
      await recordRightsChange(tx, caller, { action: 'pack.resume', subject: `pack:${pack_id}`, pack_id });
      await packResumed(tx, { tenant_id, pack_id });
    } else if (!(await isThere(tx, tenant_id, pack_id))) return unknownThing();
    return done(await current(tx, tenant_id, pack_id));
  });
}

export async function getPackStop(db: Database, caller: Caller, pack_id: string): Promise<Outcome<PackStopAnswer>> {
  const refusal = refuseRights(caller, pack_id);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<PackStopAnswer>> => {
    const answer = await current(tx, tenant_id, pack_id);
    return answer.stopped || (await isThere(tx, tenant_id, pack_id)) ? done(answer) : unknownThing();
  });
}

/** Who manages the tenant, or may install this pack. */
function refuseRights(caller: Caller, pack_id: string): Refusal | null {
  const now = new Date();
  const held = (capability: 'tenant.manage' | 'pack.install'): boolean =>
    allows(caller.authority, { capability, pack_id }, now);
  return held('tenant.manage') || held('pack.install') ? null : missing('pack.install');
}

function refuseSwitch(caller: Caller, pack_id: string): Refusal | null {
  if (caller.is_agent || caller.principal.kind === 'agent') return refuse('human_only', 'no agent may do this');
  if (pack_id === HCP_CLI_PACK_ID) return refuse('conflict', 'hcp-cli is always active');
  return refuseRights(caller, pack_id);
}

/** The tenant's own, or one of the platform's. */
async function isThere(tx: Tx, tenant_id: string, pack_id: string): Promise<boolean> {
  const where = { pack_id, OR: [{ tenant_id }, { platform: true }] };
  return (await tx.packVersion.findFirst({ where, select: { id: true } })) !== null;
}

async function current(tx: Tx, tenant_id: string, pack_id: string): Promise<PackStopAnswer> {
  const own: PackStop | null = await tx.packStop.findUnique({ where: { tenant_id_pack_id: { tenant_id, pack_id } } });
  const row = own ?? (await platformStop(tx, pack_id));
  return {
    pack_id,
    stopped: row !== null,
    stopped_at: row?.stopped_at.toISOString() ?? null,
    // An operator is nobody in this tenant.
    stopped_by: own?.stopped_by ?? null,
  };
}

/** Counts for packs of the platform alone: a tenant may have a pack of that name of its own once the platform's is gone. */
async function platformStop(tx: Tx, pack_id: string): Promise<PackStop | null> {
  const stop = await tx.packStop.findFirst({ where: { pack_id, platform: true } });
  const where = { pack_id, platform: true };
  return stop && (await tx.packVersion.findFirst({ where, select: { id: true } })) ? stop : null;
}
