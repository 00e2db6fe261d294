import { createHash } from 'node:crypto';
import { commandText, type Pack } from '@hcp/core';

/** Packs are immutable objects that the cache of versions hands out again and again. */
const known = new WeakMap<Pack, Map<string, string>>();

/** By what an exact allow rule knows its command again (SPEC P7). */
export function textDigest(pack: Pack, verb_key: string): string {
  const digests = known.get(pack) ?? new Map<string, string>();
  known.set(pack, digests);
  const present = digests.get(verb_key);
  if (present !== undefined) return present;
  const digest = `sha256:${createHash('sha256').update(commandText(pack, verb_key)).digest('hex')}`;
  digests.set(verb_key, digest);
  return digest;
}
