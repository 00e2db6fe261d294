import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { generateKeyPair } from 'jose';
import { describe, expect, it } from 'vitest';
import type { SigningKeys } from '../keys/signing-keys.js';
import { verifierFits } from './pkce.js';
import { badRedirect, redirectFits, redirectPlace, withParameters } from './redirects.js';
import { Tickets } from './tickets.js';

describe('redirect URIs', () => {
  it.each([
    'https://a.example/cb',
    'https://a.example:8443/cb?x=1',
    'http://127.0.0.1/cb',
    'http://[::1]:5/cb',
    'http://localhost:1/cb',
    'com.example.app:/cb',
    'cursor://a/cb',
  ])('may be %s', (uri) => expect(badRedirect(uri)).toBeNull());

  it.each([
    'http://a.example/',
    'http://127.0.0.1.a.example/',
    'https://a.example/#x',
    'https://a.example/#',
    'https://u:p@a.example/',
    'https://a;x.example/',
    'javascript://a.example/%0aalert(1)',
    'data:text/html,x',
    'file:///x',
    'search-ms:x',
    '/cb',
    '',
    'https://a.example/ ',
    'https://a.example/\n',
    'https://a.example/"',
    'https://a.example\\@b.example/',
    `https://a.example/${'a'.repeat(2000)}`,
  ])('may not be %j', (uri) => expect(badRedirect(uri)).not.toBeNull());

  it('fit by every letter, but the port on this machine', () => {
    const given = ['https://a.example:1/cb', 'http://127.0.0.1:1/cb', 'http://localhost/cb'];
    for (const fine of [...given, 'http://127.0.0.1:65535/cb', 'http://127.0.0.1/cb', 'http://localhost:7/cb']) {
      expect(redirectFits(given, fine), fine).toBe(true);
    }
    for (const other of [
      'https://a.example:2/cb',
      'https://a.example/cb',
      'http://127.0.0.1:1/cb/',
      'http://127.0.0.1:1/x/../cb',
      'http://127.0.0.1:1/cb?a',
      'http://127.1:1/cb',
      'http://[::1]:1/cb',
      'https://127.0.0.1:1/cb',
    ]) {
      expect(redirectFits(given, other), other).toBe(false);
    }
  });

  it('never fit elsewhere than the host that was given', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.webUrl(), (given, asked) => {
        if (!redirectFits([given], asked)) return;
        expect(new URL(asked).host).toBe(new URL(given).host);
      }),
    );
  });

  it('keep what they have', () => {
    expect(withParameters('https://a.example/cb?x=%20', { code: 'a b&c', state: undefined })).toBe(
      'https://a.example/cb?x=%20&code=a+b%26c',
    );
    expect(withParameters('com.example:/cb', { error: 'x' })).toBe('com.example:/cb?error=x');
    expect(redirectPlace('http://[::1]:5/cb')).toBe('[::1]:5');
    expect(redirectPlace('com.example:/cb')).toBe('com.example://');
  });
});

it('a verifier fits its challenge alone (RFC 7636, appendix B)', () => {
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  expect(verifierFits(challenge, verifier)).toBe(true);
  for (const other of [undefined, '', challenge, `${verifier}x`, verifier.slice(1), `${verifier}\n`]) {
    expect(verifierFits(challenge, other)).toBe(false);
  }
});

describe('a ticket', () => {
  const browser = randomBytes(32).toString('base64url');
  const now = new Date();
  let clock = now;

  /** Of an issuer with one key of its own. */
  async function issuer(): Promise<Tickets> {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const keys = { signing: () => Promise.resolve({ kid: 'k', alg: 'ES256', key: privateKey }) };
    const keyFor = (token: string) => Promise.resolve(token.includes('.') ? publicKey : null);
    return new Tickets({ keys: keys as unknown as SigningKeys, keyFor, issuer: 'https://a.example' }, () => clock);
  }

  it('is good for its browser, its page and its time alone', async () => {
    const tickets = await issuer();
    const ticket = await tickets.sign('a', browser, { x: 1 });
    expect(await tickets.read('a', browser, ticket)).toEqual({ x: 1 });
    expect(await tickets.read('b', browser, ticket)).toBeNull();
    expect(await tickets.read('a', randomBytes(32).toString('base64url'), ticket)).toBeNull();
    for (const none of [null, '', 'x']) expect(await tickets.read('a', none, ticket)).toBeNull();
    for (const bad of [undefined, '', 'x', ticket.slice(4), ticket.slice(0, -4)]) {
      expect(await tickets.read('a', browser, bad)).toBeNull();
    }
    expect(await (await issuer()).read('a', browser, ticket)).toBeNull();
    clock = new Date(now.getTime() + 10 * 60_000);
    expect(await tickets.read('a', browser, ticket)).toBeNull();
  });
});
