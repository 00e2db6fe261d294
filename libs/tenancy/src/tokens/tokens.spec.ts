import { describe, expect, it } from 'vitest';
import { hashPassword, verifyPassword } from './passwords.js';
import { mintSecret, parseSecret, secretMatches } from './secrets.js';

const id = '0195d2a4-7c1b-7def-8123-456789abcdef';

describe('secrets', () => {
  it('finds id and secret again, and only the right secret matches', () => {
    const { token, secret_hash } = mintSecret('hcp', id);
    expect(token).toMatch(/^hcp_[0-9a-f]{32}_[A-Za-z0-9_-]{43}$/);
    const parsed = parseSecret('hcp', token);
    expect(parsed?.id).toBe(id);
    expect(secretMatches(parsed?.secret ?? '', secret_hash)).toBe(true);
    expect(secretMatches(mintSecret('hcp', id).token.slice(-43), secret_hash)).toBe(false);
    expect(secretMatches('', secret_hash)).toBe(false);
    expect(secretMatches(parsed?.secret ?? '', secret_hash.subarray(1))).toBe(false);
  });

  it('takes nothing of another shape or kind', () => {
    const { token } = mintSecret('hcpr', id);
    for (const other of ['', 'hcp_', token, `${token}x`, ` ${token}`, token.replace('hcpr', 'hcp').toUpperCase()]) {
      expect(parseSecret('hcp', other)).toBeNull();
    }
    expect(parseSecret('hcpr', token)?.id).toBe(id);
  });
});

describe('passwords', () => {
  it('hashes by argon2id with a fresh salt and verifies', async () => {
    const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
    expect(await verifyPassword('correct horse', one)).toBe(true);
    expect(await verifyPassword('wrong horse', one)).toBe(false);
  });

  it('never accepts anything where there is no hash, or a broken one, or no sane length', async () => {
    expect(await verifyPassword('no person has this password', null)).toBe(false);
    expect(await verifyPassword('x', 'no password')).toBe(false);
    const long = 'x'.repeat(5000);
    expect(await verifyPassword(long, await hashPassword(long))).toBe(false);
  });
});
