import { appendAudit } from '@hcp/audit';
import {
  webhookPayloadSchema,
  type Delivery as DeliveryAnswer,
  type DeliveryState,
  type Webhook as WebhookAnswer,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Tx, Webhook, WebhookDelivery } from '@hcp/database';

/** An endpoint as the wire has it: never its secrets. */
export const webhookAnswer = (row: Webhook, now: Date): WebhookAnswer => ({
  id: row.id,
  url: row.url,
  description: row.description,
  events: row.events as WebhookAnswer['events'],
  pack_ids: row.pack_ids,
  enabled: row.disabled_at === null,
  disabled_reason: row.disabled_reason as WebhookAnswer['disabled_reason'],
  old_secret_until: row.old_secret_until && row.old_secret_until > now ? row.old_secret_until.toISOString() : null,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
});

export const deliveryAnswer = (row: WebhookDelivery): DeliveryAnswer => ({
  id: row.id,
  webhook_id: row.webhook_id,
  state: row.state as DeliveryState,
  payload: webhookPayloadSchema.parse(JSON.parse(row.payload)),
  attempts: row.attempts,
  next_attempt_at: row.state === 'pending' ? row.next_at.toISOString() : null,
  last_status: row.last_status,
  last_error: row.last_error,
  created_at: row.created_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
});

export type WebhookAct =
  | 'webhook.create'
  | 'webhook.update'
  | 'webhook.delete'
  | 'webhook.rotate'
  | 'webhook.test'
  | 'webhook.redeliver'
  | 'webhook.auto_disable';

/**
 * Writes an act on an endpoint into the log, in the act's transaction (SPEC U2). Of the address only the host: the rest may
 * be what its owner proves itself by.
 * @param caller null where nobody did it
 */
export async function recordAct(
  tx: Tx,
  caller: Caller | null,
  action: WebhookAct,
  row: Webhook,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  await appendAudit(tx, {
    tenant_id: row.tenant_id,
    action,
    ...(caller && {
      principal_id: caller.principal.id,
      principal_kind: caller.principal.kind,
      acts_for: caller.acts_for,
      session_id: caller.session.id,
    }),
    decision: 'allow',
    subject: `webhook:${row.id}`,
    details: {
      host: new URL(row.url).host,
      events: row.events,
      pack_ids: row.pack_ids,
      enabled: row.disabled_at === null,
      ...more,
    },
  });
}
