import type { Delivery, DeliveryState, Webhook, WebhookEventType } from '@hcp/contracts';

export const EVENT_WORDS: Record<WebhookEventType, string> = {
  'approval.requested': 'A call asks for a yes',
  'approval.decided': 'Somebody decided, or the request ran out',
  'run.finished': 'A run ended',
  'sense.raised': 'Something needs somebody (Sense)',
};

export const STATE_WORDS: Record<DeliveryState, { color: string; label: string }> = {
  pending: { color: 'blue', label: 'waits' },
  delivered: { color: 'green', label: 'delivered' },
  dead: { color: 'red', label: 'given up' },
};

const FAILURES: Readonly<Record<string, string>> = {
  timeout: 'the endpoint did not answer in time',
  unresolvable: 'the name of its host leads nowhere',
  private_address: 'its host leads to a private address, which the operator does not allow',
  connect_failed: 'nothing listens at its address',
  tls_failed: 'its certificate is not valid',
  bad_host: 'its address is none that may be called',
  bad_request: 'its address is none that may be called',
  bad_response: 'what it answered is no HTTP',
  too_large: 'it answered more than is read',
  too_many_redirects: 'it led elsewhere; messages do not follow',
  redirect: 'it answered that it is elsewhere; messages do not follow',
  cancelled: 'the attempt was cut short',
  gone: 'the endpoint answered 410: it is gone, and was switched off',
  disabled: 'the webhook was switched off before it was sent',
  unreadable_secret: 'its secret cannot be opened now; the operator has to look at the keys',
};

/** Why the last attempt failed; null where it did not. */
export function failureWords({ last_error, last_status }: Pick<Delivery, 'last_error' | 'last_status'>): string | null {
  if (last_error === null) return null;
  const known = Object.hasOwn(FAILURES, last_error) ? FAILURES[last_error] : undefined;
  if (known !== undefined) return known;
  return last_status === null ? last_error.replaceAll('_', ' ') : `the endpoint answered ${String(last_status)}`;
}

export function webhookState({ enabled, disabled_reason }: Webhook): { color: string; label: string } {
  if (enabled) return { color: 'green', label: 'on' };
  return disabled_reason === 'gone' ? { color: 'red', label: 'off: endpoint gone' } : { color: 'gray', label: 'off' };
}
