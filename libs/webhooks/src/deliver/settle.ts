import type { AttemptResult, AttemptVerdict } from '@hcp/core';
import type { Database, Webhook } from '@hcp/database';
import { giveUpPending } from '../give-up.js';
import { recordAct } from '../records.js';
import type { ClaimedDelivery } from './claim.js';

/**
 * Writes down what an attempt came to. Whoever lost the message meanwhile, by its lease or because somebody switched the
 * endpoint off, changes nothing.
 */
export async function settle(
  db: Database,
  webhook: Webhook,
  { id, attempts }: ClaimedDelivery,
  { status }: AttemptResult,
  verdict: AttemptVerdict,
): Promise<void> {
  const { tenant_id } = webhook;
  const last_status = status ?? null;
  const mine = { tenant_id, id, attempts, state: 'pending' };
  const now = new Date();
  await db.tenant(tenant_id, async (tx) => {
    switch (verdict.kind) {
      case 'delivered':
        await tx.webhookDelivery.updateMany({
          where: mine,
          data: { state: 'delivered', finished_at: now, lease_until: null, last_status, last_error: null },
        });
        return;
      case 'again':
        await tx.$executeRaw`
          update webhook_deliveries set lease_until = null, last_status = ${last_status}, last_error = ${verdict.error},
            next_at = clock_timestamp() + ${verdict.wait_ms} * interval '1 millisecond'
          where tenant_id = ${tenant_id}::uuid and id = ${id}::uuid and attempts = ${attempts} and state = 'pending'`;
        return;
      case 'dead':
        await tx.webhookDelivery.updateMany({
          where: mine,
          data: { state: 'dead', finished_at: now, lease_until: null, last_status, last_error: verdict.error },
        });
        return;
      case 'gone': {
        const { count } = await tx.webhook.updateMany({
          where: { tenant_id, id: webhook.id, url: webhook.url, disabled_at: null },
          data: { disabled_at: now, disabled_reason: 'gone' },
        });
        await tx.webhookDelivery.updateMany({
          where: mine,
          data: { state: 'dead', finished_at: now, lease_until: null, last_status, last_error: 'gone' },
        });
        if (count === 0) return;
        await giveUpPending(tx, webhook);
        await recordAct(tx, null, 'webhook.auto_disable', { ...webhook, disabled_at: now });
      }
    }
  });
}

/** An attempt that was cut short by a shutdown does not count; another worker makes it. */
export async function handBack(db: Database, webhook: Webhook, { id, attempts }: ClaimedDelivery): Promise<void> {
  const { tenant_id } = webhook;
  await db.tenant(tenant_id, (tx) =>
    tx.webhookDelivery.updateMany({
      where: { tenant_id, id, attempts, state: 'pending' },
      data: { attempts: attempts - 1, lease_until: null },
    }),
  );
}
