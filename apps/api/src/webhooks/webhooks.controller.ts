import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createWebhookSchema,
  deliveryParamsSchema,
  idParamsSchema,
  listDeliveriesQuerySchema,
  listWebhooksQuerySchema,
  updateWebhookSchema,
  type CreateWebhook,
  type Delivery,
  type ListDeliveriesQuery,
  type ListWebhooksQuery,
  type Page,
  type UpdateWebhook,
  type Webhook,
  type WebhookWithSecret,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  rotateSecret,
  testWebhook,
  updateWebhook,
  type Answer,
  type WebhookDeps,
  type WebhookRefusalCode,
} from '@hcp/webhooks';
import { CurrentCaller } from '../platform/metadata.js';
import { notFound, ProblemError } from '../platform/problem.js';
import { Route } from '../platform/route.js';
import { WEBHOOKS } from './tokens.js';

/** Addresses that are told of approvals and runs (SPEC V5). */
@Controller()
export class WebhooksController {
  constructor(@Inject(WEBHOOKS) private readonly webhooks: WebhookDeps) {}

  @Route('webhooks_create')
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createWebhookSchema }) body: CreateWebhook,
  ): Promise<WebhookWithSecret> {
    return valueOf(await createWebhook(this.webhooks, caller, body, new Date()));
  }

  @Route('webhooks_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listWebhooksQuerySchema }) query: ListWebhooksQuery,
  ): Promise<Page<Webhook>> {
    return valueOf(await listWebhooks(this.webhooks, caller, query, new Date()));
  }

  @Route('webhooks_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<Webhook> {
    return valueOf(await getWebhook(this.webhooks, caller, id, new Date()));
  }

  @Route('webhooks_update')
  async update(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: updateWebhookSchema }) body: UpdateWebhook,
  ): Promise<Webhook> {
    return valueOf(await updateWebhook(this.webhooks, caller, id, body, new Date()));
  }

  @Route('webhooks_delete')
  async remove(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    valueOf(await deleteWebhook(this.webhooks, caller, id, new Date()));
  }

  @Route('webhooks_rotate_secret')
  async rotate(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<WebhookWithSecret> {
    return valueOf(await rotateSecret(this.webhooks, caller, id, new Date()));
  }

  @Route('webhooks_test')
  async test(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<Delivery> {
    return valueOf(await testWebhook(this.webhooks, caller, id, new Date()));
  }

  @Route('webhooks_deliveries')
  async deliveries(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Query({ schema: listDeliveriesQuerySchema }) query: ListDeliveriesQuery,
  ): Promise<Page<Delivery>> {
    return valueOf(await listDeliveries(this.webhooks, caller, id, query, new Date()));
  }

  @Route('webhooks_redeliver')
  async redeliver(
    @CurrentCaller() caller: Caller,
    @Param({ schema: deliveryParamsSchema }) { id, delivery_id }: { id: string; delivery_id: string },
  ): Promise<Delivery> {
    return valueOf(await redeliver(this.webhooks, caller, id, delivery_id, new Date()));
  }
}

const STATUS: Readonly<Record<WebhookRefusalCode, number>> = {
  human_only: 403,
  missing_capability: 403,
  not_found: 404,
  conflict: 409,
  invalid_request: 400,
};

function valueOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  if (answer.code === 'not_found') throw notFound();
  throw new ProblemError(STATUS[answer.code], answer.code, answer.detail, answer.errors);
}
