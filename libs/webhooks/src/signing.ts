import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';

const PREFIX = 'whsec_';

/** A secret as Standard Webhooks has it: 32 random bytes. */
export const newSecret = (): string => PREFIX + randomBytes(32).toString('base64');

export interface Message {
  /** Of the message, the same with every attempt. */
  readonly id: string;
  readonly body: string;
}

/** Headers of one attempt, signed with each of the secrets: a receiver that knows one of them accepts it. */
export function signedHeaders({ id, body }: Message, secrets: readonly string[], now: Date): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Signer(secret).sign(id, now, body)).join(' '),
  };
}
