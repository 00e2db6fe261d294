import { appendAudit } from '@hcp/audit';
import type { RewrappedAnswer, RootKeysAnswer, RotatedDataKey, RotatedSigningKey } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { enterScope, type Database } from '@hcp/database';
import { done, unknownThing, type Outcome } from '../outcome.js';
import { auditChange } from '../rights/changes.js';
import { operatorOnly } from '../rights/rights.js';
import { DATA_KEY_REST_MS, type Keyring } from './keyring.js';
import type { RootKeyCare } from './root-key-care.js';
import type { SigningKeys } from './signing-keys.js';

/** Keys that one call wraps anew: a request's time, also where the KMS is far away. */
const AT_ONCE = 200;

/** What the operators' acts on keys work with. */
export interface KeyDeps {
  readonly db: Database;
  readonly keyring: Keyring;
  readonly root_keys: RootKeyCare;
  readonly signing_keys: SigningKeys;
}

export async function listRootKeys({ root_keys }: KeyDeps, caller: Caller): Promise<Outcome<RootKeysAnswer>> {
  return operatorOnly(caller) ?? done({ items: await root_keys.status() });
}

export async function rewrapKeys({ db, root_keys }: KeyDeps, caller: Caller): Promise<Outcome<RewrappedAnswer>> {
  const refusal = operatorOnly(caller);
  if (refusal) return refusal;
  const rewrapped = await root_keys.rewrap(AT_ONCE);
  const { primary, done: count, left } = rewrapped;
  await db.tenant(caller.tenant_id, (tx) =>
    auditChange(tx, caller, {
      action: 'root_key.rewrap',
      subject: `root_key:${primary}`,
      details: { done: count, left },
    }),
  );
  return done(rewrapped);
}

export async function rotateSigningKey(
  { db, signing_keys }: KeyDeps,
  caller: Caller,
): Promise<Outcome<RotatedSigningKey>> {
  const refusal = operatorOnly(caller);
  if (refusal) return refusal;
  const { kid, signs_from } = await signing_keys.rotate();
  await db.tenant(caller.tenant_id, (tx) =>
    auditChange(tx, caller, { action: 'signing_key.rotate', subject: `signing_key:${kid}` }),
  );
  return done({ kid, signs_from: signs_from.toISOString() });
}

/** Both logs tell of it: the tenant's and the operators'. */
export async function rotateDataKey(
  { db, keyring }: KeyDeps,
  caller: Caller,
  tenant_id: string,
): Promise<Outcome<RotatedDataKey>> {
  const refusal = operatorOnly(caller);
  if (refusal) return refusal;
  const found = await db.operator((tx) => tx.tenant.findUnique({ where: { id: tenant_id }, select: { id: true } }));
  if (!found) return unknownThing();
  const version = await keyring.addDataKey(tenant_id);
  const seals_from = new Date(Date.now() + DATA_KEY_REST_MS).toISOString();
  const change = { action: 'data_key.rotate', subject: `tenant:${tenant_id}`, details: { version } };
  await db.tenant(tenant_id, async (tx) => {
    await appendAudit(tx, {
      tenant_id,
      principal_id: caller.principal.id,
      principal_kind: 'human',
      decision: 'allow',
      ...change,
      details: { version, operator: true },
    });
    await enterScope(tx, { tenant_id: caller.tenant_id });
    await auditChange(tx, caller, change);
  });
  return done({ version, seals_from });
}
