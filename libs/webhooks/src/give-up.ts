import type { Tx, Webhook } from '@hcp/database';

/** What waits for an endpoint that is switched off is given up; each can be sent again by hand. */
export async function giveUpPending(tx: Tx, { tenant_id, id }: Pick<Webhook, 'tenant_id' | 'id'>): Promise<void> {
  await tx.$executeRaw`
    update webhook_deliveries set state = 'dead', finished_at = clock_timestamp(), lease_until = null,
      last_error = 'disabled'
    where tenant_id = ${tenant_id}::uuid and webhook_id = ${id}::uuid and state = 'pending'`;
}
