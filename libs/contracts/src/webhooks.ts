import { z } from 'zod';
import { defineRoutes, NO_AGENTS } from './common/route.js';
import {
  idParamsSchema,
  idSchema,
  lineSchema,
  packIdSchema,
  pageOf,
  pageQuery,
  timestampSchema,
} from './common/primitives.js';

/** What an endpoint can be told of. */
export const WEBHOOK_EVENT_TYPES = ['approval.requested', 'approval.decided', 'run.finished', 'sense.raised'] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** How long the secret before the present one signs as well, in seconds. */
export const OLD_SECRET_S = 24 * 60 * 60;

const settings = {
  url: z.string().min(1).max(2000).describe('https, and no private address unless the operator allows the host.'),
  events: z.array(z.enum(WEBHOOK_EVENT_TYPES)).min(1).max(WEBHOOK_EVENT_TYPES.length).describe('What it is told of.'),
  description: lineSchema.max(200).optional(),
  pack_ids: z.array(packIdSchema).max(100).optional().describe('Only of these packs; empty, the default: of all.'),
};

export const createWebhookSchema = z.strictObject(settings).meta({ id: 'CreateWebhook' });
export type CreateWebhook = z.infer<typeof createWebhookSchema>;

export const updateWebhookSchema = z
  .strictObject({
    ...settings,
    url: settings.url.optional(),
    events: settings.events.optional(),
    enabled: z.boolean().optional().describe('What waits for one that is switched off is given up.'),
  })
  .meta({ id: 'UpdateWebhook' });
export type UpdateWebhook = z.infer<typeof updateWebhookSchema>;

export const webhookSchema = z
  .object({
    id: idSchema,
    url: z.string(),
    description: z.string(),
    events: z.array(z.enum(WEBHOOK_EVENT_TYPES)),
    pack_ids: z.array(packIdSchema),
    enabled: z.boolean(),
    disabled_reason: z.enum(['by_hand', 'gone']).nullable().describe('gone: the endpoint answered 410.'),
    old_secret_until: timestampSchema.nullable().describe('The secret before this one signs as well until then.'),
    created_by: idSchema,
    created_at: timestampSchema,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof webhookSchema>;

export const webhookWithSecretSchema = webhookSchema
  .extend({ secret: z.string().describe('What signatures are made with. Shown this once.') })
  .meta({ id: 'WebhookWithSecret' });
export type WebhookWithSecret = z.infer<typeof webhookWithSecretSchema>;

export const webhookPageSchema = pageOf(webhookSchema, 'WebhookPage');

export const listWebhooksQuerySchema = z.strictObject({
  limit: pageQuery.limit,
  cursor: idSchema.optional().describe('`next_cursor` of the page before.'),
});
export type ListWebhooksQuery = z.infer<typeof listWebhooksQuerySchema>;

/** Body of every message (Standard Webhooks): ids and states alone. */
export const webhookPayloadSchema = z
  .object({
    type: z.enum([...WEBHOOK_EVENT_TYPES, 'webhook.test']),
    timestamp: timestampSchema,
    data: z.record(z.string(), z.string().nullable()),
  })
  .meta({ id: 'WebhookPayload' });
export type WebhookPayload = z.infer<typeof webhookPayloadSchema>;

export const deliverySchema = z
  .object({
    id: idSchema.describe('`webhook-id` of every attempt.'),
    webhook_id: idSchema,
    state: z.enum(DELIVERY_STATES).describe('dead: given up.'),
    payload: webhookPayloadSchema,
    attempts: z.number().int(),
    next_attempt_at: timestampSchema.nullable(),
    last_status: z.number().int().nullable(),
    last_error: z.string().nullable().describe('A class such as timeout; what the endpoint said is not kept.'),
    created_at: timestampSchema,
    finished_at: timestampSchema.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });
export type Delivery = z.infer<typeof deliverySchema>;

export const deliveryPageSchema = pageOf(deliverySchema, 'WebhookDeliveryPage');

export const listDeliveriesQuerySchema = z.strictObject({
  state: z.enum(DELIVERY_STATES).optional(),
  ...listWebhooksQuerySchema.shape,
});
export type ListDeliveriesQuery = z.infer<typeof listDeliveriesQuerySchema>;

export const deliveryParamsSchema = z.strictObject({ id: idSchema, delivery_id: idSchema });

/** `tenant.manage`: an endpoint is a setting of the tenant. What tells of others' calls needs `run.read` as well. */
const managed = { requires: 'tenant.manage', refuses: NO_AGENTS } as const;

export const webhookRoutes = defineRoutes({
  webhooks_create: {
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Have an address told of approvals and runs',
    ...managed,
    status: 201,
    body: createWebhookSchema,
    response: webhookWithSecretSchema,
  },
  webhooks_list: {
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List webhooks, newest first',
    ...managed,
    status: 200,
    query: listWebhooksQuerySchema,
    response: webhookPageSchema,
  },
  webhooks_get: {
    method: 'GET',
    path: '/v1/webhooks/:id',
    summary: 'Get a webhook',
    ...managed,
    status: 200,
    params: idParamsSchema,
    response: webhookSchema,
  },
  webhooks_update: {
    method: 'PUT',
    path: '/v1/webhooks/:id',
    summary: 'Change a webhook, or switch it on or off; what is omitted stays',
    ...managed,
    status: 200,
    params: idParamsSchema,
    body: updateWebhookSchema,
    response: webhookSchema,
  },
  webhooks_delete: {
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    summary: 'Remove a webhook with its deliveries',
    ...managed,
    status: 204,
    params: idParamsSchema,
  },
  webhooks_rotate_secret: {
    method: 'POST',
    path: '/v1/webhooks/:id/rotate-secret',
    summary: 'Make a new secret; the one before signs as well for 24 hours',
    ...managed,
    status: 200,
    params: idParamsSchema,
    response: webhookWithSecretSchema,
  },
  webhooks_test: {
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    summary: 'Send a message of type webhook.test',
    ...managed,
    status: 201,
    params: idParamsSchema,
    response: deliverySchema,
  },
  webhooks_deliveries: {
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    summary: 'List deliveries, newest first; state=dead are those that were given up',
    ...managed,
    status: 200,
    params: idParamsSchema,
    query: listDeliveriesQuerySchema,
    response: deliveryPageSchema,
  },
  webhooks_redeliver: {
    method: 'POST',
    path: '/v1/webhooks/:id/deliveries/:delivery_id/redeliver',
    summary: 'Send a delivery that has ended once more, from its first try on',
    ...managed,
    status: 200,
    params: deliveryParamsSchema,
    response: deliverySchema,
  },
});
