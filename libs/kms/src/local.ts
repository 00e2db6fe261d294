import { createHash } from 'node:crypto';
import { deriveKey, openWith, sealWith } from './cipher.js';
import type { RootKeys } from './port.js';

interface LocalKey {
  readonly id: string;
  readonly root: Buffer;
}

/**
 * Root keys that this process has in memory, from its environment or a file. The first wraps; the others are there to
 * open what they wrapped.
 * @param roots 32 bytes each
 */
export function localKms(roots: readonly [Buffer, ...Buffer[]]): RootKeys {
  const keys = roots.map(localKey);
  const [first] = keys as [LocalKey, ...LocalKey[]];
  const find = (id: string): LocalKey | undefined => keys.find((key) => key.id === id);
  return {
    name: 'local',
    owns: (id) => find(id) !== undefined,
    wrap: async (plain, place) => ({ bytes: sealWith(keyFor(first, place), plain, place), root_key_id: first.id }),
    async unwrap({ bytes, root_key_id }, place) {
      const key = find(root_key_id);
      if (!key) throw new Error('wrapped by another root key');
      return openWith(keyFor(key, place), bytes, place);
    },
    primary: async () => first.id,
    opens: async (id) => find(id) !== undefined,
  };
}

/** The id of a root key: tells keys apart and nothing about the key. */
function localKey(root: Buffer): LocalKey {
  if (root.length !== 32) throw new RangeError('a root key must be 32 bytes');
  const id = createHash('sha256').update(deriveKey(root, 'key-id')).digest('hex').slice(0, 16);
  return { id, root };
}

/** A key of its own for each sort of place. */
function keyFor({ root }: LocalKey, place: string): Buffer {
  const sort = place.slice(0, place.indexOf('/'));
  return deriveKey(root, `${sort.replaceAll('_', '-')}s`);
}
