import { randomBytes } from 'node:crypto';
import { localKms } from '@hcp/kms';
import { DATA_KEY_REST_MS, Keyring, PUBLISH_MS, SigningKeys } from '@hcp/tenancy';
import { createTestDatabase, makeTenant, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const plain = Buffer.from('a value of the tenant');

describe('Keyring', () => {
  it('opens what another replica sealed, and makes one data key however many ask first', async () => {
    const root = randomBytes(32);
    const { id } = await makeTenant(database.db);
    const keys = await Promise.all(
      Array.from({ length: 6 }, () => new Keyring(localKms([root]), database.db).tenantKeys(id)),
    );
    const sealed = keys[0]?.seal(plain, 'run/1/args') ?? Buffer.alloc(0);
    for (const one of keys) {
      expect(one.open(sealed, 'run/1/args')).toEqual(plain);
      expect(one.digest_key).toEqual(keys[0]?.digest_key);
    }
    expect(await database.db.tenant(id, (tx) => tx.tenantKey.count())).toBe(1);
  });

  it('seals the same text differently each time', async () => {
    const { id } = await makeTenant(database.db);
    const keys = await new Keyring(localKms([randomBytes(32)]), database.db).tenantKeys(id);
    expect(keys.seal(plain, 'x')).not.toEqual(keys.seal(plain, 'x'));
  });

  it('opens nothing in another place, of another tenant, or with a byte changed', async () => {
    const keyring = new Keyring(localKms([randomBytes(32)]), database.db);
    const [a, b] = [await makeTenant(database.db), await makeTenant(database.db)];
    const [of_a, of_b] = [await keyring.tenantKeys(a.id), await keyring.tenantKeys(b.id)];
    const sealed = of_a.seal(plain, 'run/1/args');
    expect(() => of_a.open(sealed, 'run/2/args')).toThrow();
    expect(() => of_b.open(sealed, 'run/1/args')).toThrow();
    expect(() => of_a.open(sealed.subarray(0, 10), 'run/1/args')).toThrow();
    for (const index of [0, 3, 4, 20, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => of_a.open(changed, 'run/1/args')).toThrow();
    }
    expect(of_a.digest_key).not.toEqual(of_b.digest_key);
  });

  it('has the data key in the database wrapped only, and refuses another root key', async () => {
    const { id } = await makeTenant(database.db);
    const keys = await new Keyring(localKms([randomBytes(32)]), database.db).tenantKeys(id);
    const row = await database.db.tenant(id, (tx) => tx.tenantKey.findFirstOrThrow());
    expect(Buffer.from(row.wrapped).includes(keys.digest_key)).toBe(false);
    await expect(new Keyring(localKms([randomBytes(32)]), database.db).tenantKeys(id)).rejects.toThrow(
      'another root key',
    );
    expect(() => localKms([randomBytes(16)])).toThrow(RangeError);
  });
});

describe('another data key', () => {
  it('seals once every replica knows it, opens with the older one, and leaves digests as they are', async () => {
    const kms = localKms([randomBytes(32)]);
    const { id } = await makeTenant(database.db);
    const before = await new Keyring(kms, database.db).tenantKeys(id);
    const old = before.seal(plain, 'run/1');
    expect(await new Keyring(kms, database.db).addDataKey(id)).toBe(2);
    const soon = await new Keyring(kms, database.db).tenantKeys(id);
    expect(soon.seal(plain, 'run/1').readUInt32BE(0)).toBe(1);
    const clock = () => new Date(Date.now() + DATA_KEY_REST_MS + 1000);
    const later = await new Keyring(kms, database.db, { clock }).tenantKeys(id);
    const sealed = later.seal(plain, 'run/1');
    expect(sealed.readUInt32BE(0)).toBe(2);
    // A replica that has not begun to seal with it opens what it sealed.
    expect(soon.open(sealed, 'run/1')).toEqual(plain);
    expect(later.open(old, 'run/1')).toEqual(plain);
    expect(later.digest_key).toEqual(before.digest_key);
    sealed.writeUInt32BE(1);
    expect(() => later.open(sealed, 'run/1')).toThrow();
  });
});

describe('SigningKeys', () => {
  it('publishes another key before it signs, and the one before verifies on', async () => {
    const kms = localKms([randomBytes(32)]);
    await database.db.global((tx) =>
      tx.signingKey.updateMany({ data: { retired_at: new Date(0), private_enc: null, root_key_id: null } }),
    );
    const first = await new SigningKeys(database.db, kms).signing();
    const { kid } = await new SigningKeys(database.db, kms).rotate();
    const now = new SigningKeys(database.db, kms);
    expect((await now.signing()).kid).toBe(first.kid);
    expect((await now.jwks()).keys.map((key) => key.kid)).toContain(kid);
    const later = new SigningKeys(database.db, kms, () => new Date(Date.now() + 2 * PUBLISH_MS));
    expect((await later.signing()).kid).toBe(kid);
    expect(await later.verifying(first.kid)).not.toBeNull();
    await database.db.global((tx) =>
      tx.signingKey.updateMany({ data: { retired_at: new Date(0), private_enc: null, root_key_id: null } }),
    );
  });

  it('keeps one key for all replicas, its private half sealed', async () => {
    const root = randomBytes(32);
    const one = new SigningKeys(database.db, localKms([root]));
    const first = await one.signing();
    const two = new SigningKeys(database.db, localKms([root]));
    expect((await two.signing()).kid).toBe(first.kid);
    expect((await two.verifying(first.kid))?.alg).toBe('ES256');
    expect(await two.verifying('unknown')).toBeNull();
    const row = await database.db.global((tx) => tx.signingKey.findFirstOrThrow());
    expect(Buffer.from(row.private_enc ?? []).toString('latin1')).not.toContain('"d"');
    expect(row.public_jwk).not.toHaveProperty('d');
  });

  it('signs with the newest key and verifies by a retired one only as long as its tokens may live', async () => {
    const kms = localKms([randomBytes(32)]);
    await database.db.global((tx) => tx.signingKey.updateMany({ data: { retired_at: new Date() } }));
    const retired = await database.db.global((tx) => tx.signingKey.findFirstOrThrow());
    const keys = new SigningKeys(database.db, kms);
    expect((await keys.signing()).kid).not.toBe(retired.kid);
    expect(await keys.verifying(retired.kid)).not.toBeNull();
    const later = () => new Date(Date.now() + 30 * 60_000);
    expect(await new SigningKeys(database.db, kms, later).verifying(retired.kid)).toBeNull();
  });
});
