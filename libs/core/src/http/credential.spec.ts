import { describe, expect, it } from 'vitest';
import type { Pack } from '../packs/pack.js';
import { credentialUses } from './credential.js';

type Parts = Pick<Pack, 'manifest' | 'surface'>;

const pack = (env: Record<string, string> | undefined, credentials: object[][] = []): Parts =>
  ({
    manifest: { binding: { family: 'user', ...(env && { env }) } },
    surface: {
      commands: {
        one: credentials.length === 0 ? {} : { request: { credentials } },
        // A second command that signs in the same way.
        two: credentials.length === 0 ? {} : { request: { credentials } },
      },
    },
  }) as unknown as Parts;

describe('the uses of a credential’s fields', () => {
  it('are variables of a program, in the order that the pack names them', () => {
    expect(
      credentialUses(pack({ A_URL: 'https://x', A_AUTH: 'Bearer {{token}}', A_PAIR: '{{user}}:{{token}}' })),
    ).toEqual([
      { field: 'token', as: 'variable', name: 'A_AUTH' },
      { field: 'user', as: 'variable', name: 'A_PAIR' },
      { field: 'token', as: 'variable', name: 'A_PAIR' },
    ]);
  });

  it('are parts of the requests of an API, each once, of the way to sign in that is asked for', () => {
    const credentials = [
      [{ type: 'basic', username: 'username', password: 'password' }],
      [{ type: 'api_key', field: 'other', in: 'header', name: 'X-Key' }],
    ];
    expect(credentialUses(pack(undefined, credentials))).toEqual([
      { field: 'username', as: 'username', name: null },
      { field: 'password', as: 'password', name: null },
    ]);
    expect(credentialUses(pack(undefined, [[{ type: 'bearer', field: 'token' }]]))).toEqual([
      { field: 'token', as: 'bearer', name: null },
    ]);
    expect(credentialUses(pack(undefined, [[{ type: 'api_key', field: 'key', in: 'query', name: 'q' }]]))).toEqual([
      { field: 'key', as: 'query', name: 'q' },
    ]);
  });

  it('are none where nothing is asked for', () => {
    expect(credentialUses(pack(undefined))).toEqual([]);
  });
});
