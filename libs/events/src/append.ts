import type { TenantEventType, WebhookEventType } from '@hcp/contracts';
import { sql, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';

/** Something that happened, by ids and states: never an argument, a card, an output or a secret. */
export interface Happened {
  readonly tenant_id: string;
  readonly type: TenantEventType;
  /** Id of the run, the approval or whatever the type is about. */
  readonly subject_id: string;
  /** What became of it. */
  readonly state: string;
  /** What endpoints hear that asked for it; absent: they hear nothing of this. */
  readonly told?: {
    readonly type: WebhookEventType;
    readonly pack_id: string;
    readonly data: Readonly<Record<string, string | null>>;
  };
}

/**
 * Writes what happened in the transaction in which it happens, so that both are there or neither: one row for those who
 * follow the tenant, and one message for each endpoint that wants to hear of it (SPEC V5).
 */
export async function appendEvent(tx: Tx, { tenant_id, type, subject_id, state, told }: Happened): Promise<void> {
  const event = sql`
    insert into tenant_events (tenant_id, xid, type, subject_id, state, at)
    values (${tenant_id}::uuid, pg_current_xact_id()::text::bigint, ${type}, ${subject_id}::uuid, ${state},
      clock_timestamp())`;
  if (!told) {
    await tx.$executeRaw(event);
    return;
  }
  const endpoints = await tx.$queryRaw<{ id: string }[]>(sql`
    with event as (${event})
    select id::text from webhooks
    where tenant_id = ${tenant_id}::uuid and disabled_at is null and ${told.type} = any (events)
      and (pack_ids = '{}' or ${told.pack_id} = any (pack_ids))`);
  if (endpoints.length === 0) return;
  const payload = JSON.stringify({ type: told.type, timestamp: new Date().toISOString(), data: told.data });
  await tx.webhookDelivery.createMany({
    data: endpoints.map(({ id }) => ({
      tenant_id,
      id: uuidv7(),
      webhook_id: id,
      type: told.type,
      payload,
      state: 'pending',
    })),
  });
}
