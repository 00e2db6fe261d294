import { Webhook as Receiver } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newSecret, signedHeaders } from './signing.js';

describe('signedHeaders', () => {
  const message = { id: '0198c0de-0000-7000-8000-000000000000', body: '{"type":"run.finished"}' };

  it('is accepted by a receiver that knows either secret, and by no other', () => {
    const [now, before, other] = [newSecret(), newSecret(), newSecret()];
    const headers = signedHeaders(message, [now, before], new Date());
    for (const secret of [now, before]) {
      expect(new Receiver(secret).verify(message.body, headers)).toEqual({ type: 'run.finished' });
    }
    expect(() => new Receiver(other).verify(message.body, headers)).toThrow();
    expect(() => new Receiver(now).verify(`${message.body} `, headers)).toThrow();
    expect(() => new Receiver(now).verify(message.body, { ...headers, 'webhook-id': 'another' })).toThrow();
  });

  it('makes a secret that the library takes, another one each time', () => {
    expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newSecret()).not.toBe(newSecret());
  });
});
