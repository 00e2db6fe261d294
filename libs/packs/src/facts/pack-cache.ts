import { manifestSchema, policySchema, surfaceSchema, type Pack } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { LRUCache } from 'lru-cache';

/** Bytes of JSON text that the cache may stand for. */
const MAX_CACHED_BYTES = 64 * 2 ** 20;

/**
 * Packs by version id. Versions are immutable, so an entry is never wrong; whether a version is active is read from
 * the database on every call.
 */
const cache = new LRUCache<string, Pack>({ maxSize: MAX_CACHED_BYTES, maxEntrySize: MAX_CACHED_BYTES / 4 });

/** One installed version as a pack; null where there is none in this tenant. */
export async function packOfVersion(tx: Tx, tenant_id: string, version_id: string): Promise<Pack | null> {
  const key = `${tenant_id}/${version_id}`;
  const known = cache.get(key);
  if (known) return known;
  const row = await tx.packVersion.findUnique({
    where: { tenant_id_id: { tenant_id, id: version_id } },
    select: { manifest: true, surface: true, policy: true, skill: true, digest: true },
  });
  if (!row) return null;
  const pack: Pack = {
    manifest: manifestSchema.parse(row.manifest),
    surface: surfaceSchema.parse(row.surface),
    policy: policySchema.parse(row.policy),
    skill: row.skill,
    digest: row.digest,
  };
  cache.set(key, pack, { size: JSON.stringify(pack).length });
  return pack;
}
