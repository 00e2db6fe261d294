import {
  DEFAULT_PAGE_SIZE,
  type Delivery as DeliveryAnswer,
  type ListDeliveriesQuery,
  type Page,
  type WebhookPayload,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { v7 as uuidv7 } from 'uuid';
import { looking, managing, type WebhookDeps } from './manage.js';
import { deliveryAnswer, recordAct } from './records.js';
import { done, refuse, unknownThing, type Answer } from './refusal.js';

type Deps = Pick<WebhookDeps, 'db'>;

/** Newest first; `state: dead` are those that were given up. The cursor is the last id of the page before. */
export function listDeliveries(
  deps: Deps,
  caller: Caller,
  id: string,
  { state, limit = DEFAULT_PAGE_SIZE, cursor }: ListDeliveriesQuery,
  now: Date,
): Promise<Answer<Page<DeliveryAnswer>>> {
  return looking(deps, caller, id, now, async (tx, { tenant_id }) => {
    const rows = await tx.webhookDelivery.findMany({
      where: {
        ...{ tenant_id, webhook_id: id },
        ...(state !== undefined && { state }),
        ...(cursor !== undefined && { id: { lt: cursor } }),
      },
      orderBy: { id: 'desc' },
      take: limit + 1,
    });
    const page = rows.slice(0, limit);
    const next_cursor = rows.length > limit ? (page.at(-1)?.id ?? null) : null;
    return done({ items: page.map(deliveryAnswer), next_cursor });
  });
}

const OFF = refuse('conflict', 'the webhook is switched off');

/** Puts a message of its own in line, as any other is. */
export function testWebhook(deps: Deps, caller: Caller, id: string, now: Date): Promise<Answer<DeliveryAnswer>> {
  return managing(deps, caller, id, now, async (tx, webhook) => {
    if (webhook.disabled_at) return OFF;
    const { tenant_id } = webhook;
    const payload: WebhookPayload = { type: 'webhook.test', timestamp: now.toISOString(), data: { webhook_id: id } };
    const row = await tx.webhookDelivery.create({
      data: {
        ...{ tenant_id, id: uuidv7(), webhook_id: id },
        ...{ type: payload.type, payload: JSON.stringify(payload), state: 'pending' },
      },
    });
    await recordAct(tx, caller, 'webhook.test', webhook);
    return done(deliveryAnswer(row));
  });
}

/** Sends one that has ended again, from its first attempt on; it keeps its id, so a receiver knows it again. */
export function redeliver(
  deps: Deps,
  caller: Caller,
  id: string,
  delivery_id: string,
  now: Date,
): Promise<Answer<DeliveryAnswer>> {
  return managing(deps, caller, id, now, async (tx, webhook) => {
    const { tenant_id } = webhook;
    const where = { tenant_id, webhook_id: id, id: delivery_id };
    if (!(await tx.webhookDelivery.findFirst({ where, select: { id: true } }))) return unknownThing();
    if (webhook.disabled_at) return OFF;
    const { count } = await tx.webhookDelivery.updateMany({
      where: { ...where, state: { not: 'pending' } },
      data: { state: 'pending', attempts: 0, next_at: now, lease_until: null, finished_at: null },
    });
    if (count === 0) return refuse('conflict', 'the delivery is on its way already');
    await recordAct(tx, caller, 'webhook.redeliver', webhook, { delivery_id });
    return done(deliveryAnswer(await tx.webhookDelivery.findFirstOrThrow({ where })));
  });
}
