import type { Caller } from '@hcp/core';
import type { Tx } from '@hcp/database';

type Seen =
  { readonly kind: 'fresh' } | { readonly kind: 'replay'; readonly run_id: string } | { readonly kind: 'conflict' };

/**
 * Takes the key for a new run, or says what it was used for (SPEC E7). Of two calls at once the second waits here for
 * the first one's transaction, so that they cannot both be new.
 */
export async function rememberOrReplay(
  tx: Tx,
  call: { caller: Caller; key: string; run_id: string; envelope_hash: string; expires_at: Date },
): Promise<Seen> {
  const { tenant_id, principal } = call.caller;
  const taken = await tx.$queryRaw<{ run_id: string }[]>`
    insert into idempotency_keys (tenant_id, principal_id, key, envelope_hash, run_id, expires_at)
    values (${tenant_id}::uuid, ${principal.id}::uuid, ${call.key}, ${call.envelope_hash}, ${call.run_id}::uuid, ${call.expires_at})
    on conflict (tenant_id, principal_id, key) do update
      set envelope_hash = excluded.envelope_hash, run_id = excluded.run_id, expires_at = excluded.expires_at
      where idempotency_keys.expires_at < clock_timestamp()
    returning run_id::text`;
  if (taken.length > 0) return { kind: 'fresh' };
  const seen = await tx.idempotencyKey.findUniqueOrThrow({
    where: { tenant_id_principal_id_key: { tenant_id, principal_id: principal.id, key: call.key } },
  });
  return seen.envelope_hash === call.envelope_hash ? { kind: 'replay', run_id: seen.run_id } : { kind: 'conflict' };
}

/** Gives the key back, in the transaction that took it, where the call became no run. */
export async function forget(tx: Tx, { caller, key }: { caller: Caller; key: string }): Promise<void> {
  const { tenant_id, principal } = caller;
  await tx.idempotencyKey.deleteMany({ where: { tenant_id, principal_id: principal.id, key } });
}
