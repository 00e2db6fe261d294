import { sql, type Database, type Tx, type Webhook } from '@hcp/database';
import { giveUpPending } from '../give-up.js';
import type { DueEndpoint } from './due.js';

/** A message that is this worker's for as long as its lease lasts. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly payload: string;
  /** This one included; no other worker has the same number of it. */
  readonly attempts: number;
}

export interface Claimed {
  readonly webhook: Webhook;
  readonly deliveries: readonly ClaimedDelivery[];
}

/** Far longer than an attempt may take. */
const LEASE_S = 60;

/**
 * Takes up to `room` messages of one endpoint. Under the endpoint's lock, so that all workers together have no more than
 * `most` of it in hand; where another worker holds it, it is left to that one.
 */
export async function claimDue(
  db: Database,
  { tenant_id, webhook_id }: DueEndpoint,
  { room, most }: { readonly room: number; readonly most: number },
): Promise<Claimed | null> {
  return db.tenant(tenant_id, async (tx) => {
    const locked = await tx.$queryRaw<unknown[]>(sql`
      select 1 from webhooks where tenant_id = ${tenant_id}::uuid and id = ${webhook_id}::uuid
      for no key update skip locked`);
    if (locked.length === 0) return null;
    const webhook = await tx.webhook.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id: webhook_id } } });
    if (webhook.disabled_at) {
      // Written by a transaction that had seen it switched on.
      await giveUpPending(tx, webhook);
      return null;
    }
    if (await isStopped(tx, tenant_id)) {
      await putOff(tx, webhook);
      return null;
    }
    const deliveries = await tx.$queryRaw<ClaimedDelivery[]>(sql`
      with held as (
        select count(*)::int as n from webhook_deliveries
        where tenant_id = ${tenant_id}::uuid and webhook_id = ${webhook_id}::uuid and state = 'pending'
          and lease_until >= clock_timestamp()
      ), taken as (
        select id from webhook_deliveries
        where tenant_id = ${tenant_id}::uuid and webhook_id = ${webhook_id}::uuid and state = 'pending'
          and next_at <= clock_timestamp() and (lease_until is null or lease_until < clock_timestamp())
        order by next_at, id limit (select least(${room}::int, greatest(0, ${most}::int - n)) from held)
        for update skip locked
      )
      update webhook_deliveries d
      set attempts = d.attempts + 1, lease_until = clock_timestamp() + ${LEASE_S} * interval '1 second'
      from taken where d.tenant_id = ${tenant_id}::uuid and d.id = taken.id
      returning d.id::text, d.payload, d.attempts`);
    return { webhook, deliveries };
  });
}

/** The kill switch: what a stopped tenant is to be told waits. */
async function isStopped(tx: Tx, tenant_id: string): Promise<boolean> {
  const tenant = await tx.tenant.findUnique({ where: { id: tenant_id }, select: { stopped_at: true } });
  return tenant?.stopped_at !== null;
}

async function putOff(tx: Tx, { tenant_id, id }: Webhook): Promise<void> {
  await tx.$executeRaw`
    update webhook_deliveries set next_at = clock_timestamp() + interval '1 minute'
    where tenant_id = ${tenant_id}::uuid and webhook_id = ${id}::uuid and state = 'pending'
      and next_at <= clock_timestamp()`;
}
