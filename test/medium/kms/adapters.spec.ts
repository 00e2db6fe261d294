import { randomBytes, randomUUID } from 'node:crypto';
import { KeysUnavailable } from '@hcp/core';
import { awsKms, combinedKms, localKms, vaultKms, type RootKeys } from '@hcp/kms';
import { Keyring, RootKeyCare, RootKeyMissing, SigningKeys } from '@hcp/tenancy';
import { createTestDatabase, makeTenant, type TestDatabase } from '@hcp/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startAwsKms, startVault, type StandIn } from '../../support/kms.js';

/** SPEC B3 for every place of root keys: the same promises, whoever keeps the root key. */

const TOKEN = `hvs.${randomUUID()}`;
const SECRET = randomUUID();

const vault = (standIn: StandIn): RootKeys =>
  vaultKms({
    address: standIn.url,
    mount: 'transit',
    key: 'hcp',
    namespace: null,
    token: { value: TOKEN },
    ca: null,
  });
const aws = (standIn: StandIn): RootKeys => awsKms({ key: 'alias/hcp', region: 'eu-central-1', endpoint: standIn.url });

beforeAll(() => {
  process.env['AWS_ACCESS_KEY_ID'] = 'AKIATEST';
  process.env['AWS_SECRET_ACCESS_KEY'] = SECRET;
});
afterAll(() => {
  delete process.env['AWS_ACCESS_KEY_ID'];
  delete process.env['AWS_SECRET_ACCESS_KEY'];
});

describe.each([
  ['HashiCorp Vault', () => startVault(TOKEN), vault],
  ['AWS KMS', startAwsKms, aws],
] as const)('%s', (_name, start, connect) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  let standIn: StandIn;
  let kms: RootKeys;
  beforeEach(async () => {
    standIn = await start();
    kms = connect(standIn);
  });
  afterEach(() => standIn.close());

  it('opens at its own place what it wrapped, and nowhere else', async () => {
    const plain = randomBytes(32);
    const wrapped = await kms.wrap(plain, 'tenant_key/a/1');
    expect(wrapped.bytes.includes(plain)).toBe(false);
    expect(wrapped.root_key_id).toBe(await kms.primary());
    expect(await kms.unwrap(wrapped, 'tenant_key/a/1')).toEqual(plain);
    for (const place of ['tenant_key/b/1', 'tenant_key/a/2', 'signing_key/a/1']) {
      await expect(kms.unwrap(wrapped, place)).rejects.not.toBeInstanceOf(KeysUnavailable);
    }
    const changed = Buffer.from(wrapped.bytes);
    const last = changed.length - 3;
    changed[last] = changed[last] === 0x41 ? 0x42 : 0x41;
    await expect(kms.unwrap({ ...wrapped, bytes: changed }, 'tenant_key/a/1')).rejects.toThrow();
  });

  it('refuses while it does not answer, and tells nothing of what it was asked with', async () => {
    const wrapped = await kms.wrap(randomBytes(32), 'tenant_key/a/1');
    for (const status of [403, 500, 503]) {
      standIn.broken = status;
      const error = await kms.unwrap(wrapped, 'tenant_key/a/1').catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(KeysUnavailable);
      const told = `${String((error as Error).stack)} ${JSON.stringify(error)} ${String((error as Error).cause)}`;
      for (const secret of [TOKEN, SECRET, ...standIn.credentials]) expect(told).not.toContain(secret);
    }
    standIn.broken = null;
    await standIn.close();
    await expect(kms.wrap(randomBytes(32), 'x/1')).rejects.toBeInstanceOf(KeysUnavailable);
    standIn = await start();
  });

  it('keeps the keys of a tenant and of the issuer, moved from a local root key and on to its next', async () => {
    const { id } = await makeTenant(database.db);
    const local = localKms([randomBytes(32)]);
    const before = await new Keyring(local, database.db).tenantKeys(id);
    const { kid } = await new SigningKeys(database.db, local).signing();
    const sealed = before.seal(Buffer.from('kept'), 'run/1');

    const both = combinedKms([kms, local]);
    const care = new RootKeyCare(both, database.db);
    expect(await care.check()).toBe(true);
    await expect(new RootKeyCare(kms, database.db).check()).rejects.toBeInstanceOf(RootKeyMissing);
    await ofTenant(id, care);
    expect((await new Keyring(kms, database.db).tenantKeys(id)).open(sealed, 'run/1').toString()).toBe('kept');
    expect((await new SigningKeys(database.db, kms).signing()).kid).toBe(kid);

    const first = await kms.primary();
    standIn.rotate();
    expect(await kms.primary()).not.toBe(first);
    await ofTenant(id, care);
    standIn.oldest = 2;
    expect((await new Keyring(kms, database.db).tenantKeys(id)).open(sealed, 'run/1').toString()).toBe('kept');
  });

  /** Wraps all anew, the keys of every tenant. */
  async function ofTenant(id: string, care: RootKeyCare): Promise<void> {
    expect(await care.rewrap(100)).toMatchObject({ left: 0 });
    const row = await database.db.tenant(id, (tx) => tx.tenantKey.findFirstOrThrow());
    expect(row.root_key_id).toBe(await kms.primary());
  }
});
