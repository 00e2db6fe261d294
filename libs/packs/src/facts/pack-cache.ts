import { manifestSchema, policySchema, surfaceSchema, type Pack } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { LRUCache } from 'lru-cache';
import { readable } from './readable.js';

/** Bytes of JSON text that the cache may stand for. */
const MAX_CACHED_BYTES = 64 * 2 ** 20;

interface Entry {
  readonly pack: Pack;
  readonly tenant_id: string;
  readonly platform: boolean;
}

/**
 * Packs by version id. Versions are immutable, so an entry is never wrong; whether a version is active is read from
 * the database on every call.
 */
const cache = new LRUCache<string, Entry>({ maxSize: MAX_CACHED_BYTES, maxEntrySize: MAX_CACHED_BYTES / 4 });

/** One installed version as a pack; null where there is none that this tenant may use (its own, or the platform's). */
export async function packOfVersion(tx: Tx, tenant_id: string, version_id: string): Promise<Pack | null> {
  const known = cache.get(version_id);
  if (known && (known.platform || known.tenant_id === tenant_id)) return known.pack;
  const row = await tx.packVersion.findFirst({
    where: { id: version_id, ...readable(tenant_id) },
    select: {
      tenant_id: true,
      platform: true,
      manifest: true,
      surface: true,
      policy: true,
      skill: true,
      digest: true,
    },
  });
  if (!row) return null;
  const pack: Pack = {
    manifest: manifestSchema.parse(row.manifest),
    surface: surfaceSchema.parse(row.surface),
    policy: policySchema.parse(row.policy),
    skill: row.skill,
    digest: row.digest,
  };
  const size = JSON.stringify(pack).length;
  cache.set(version_id, { pack, tenant_id: row.tenant_id, platform: row.platform }, { size });
  return pack;
}
