/**
 * A key cannot be had now because whatever keeps the root key does not answer, or refuses. What needs the key is refused
 * until it does; nothing takes its place (SPEC B3). The message holds no address, credential or key.
 */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}
