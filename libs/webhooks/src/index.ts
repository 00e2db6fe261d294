export {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
  type WebhookDeps,
} from './manage.js';
export { listDeliveries, redeliver, testWebhook } from './deliveries.js';
export { Deliverer, type DelivererDeps } from './deliver/deliverer.js';
export type { Answer, WebhookRefusal, WebhookRefusalCode } from './refusal.js';
