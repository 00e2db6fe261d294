/** Where root keys are kept. */
export const KMS_NAMES = ['local', 'vault', 'aws'] as const;
export type KmsName = (typeof KMS_NAMES)[number];

/** A key as it is stored: wrapped by a root key, whose id says which one and which version of it. */
export interface Wrapped {
  readonly bytes: Buffer;
  readonly root_key_id: string;
}

/**
 * What keeps the root keys and wraps data keys with them (SPEC B3). `place` says which key of which owner the text is;
 * at another place it opens no more. Wherever the root key cannot be used now, `KeysUnavailable` (`@hcp/core`) is thrown.
 */
export interface Kms {
  /** Wraps with the primary root key. At most 4 KiB. */
  wrap(plain: Buffer, place: string): Promise<Wrapped>;
  /** @throws Error when the text was changed or moved, or its root key is not one of these */
  unwrap(wrapped: Wrapped, place: string): Promise<Buffer>;
  /** The id of the root key, and its version, that wraps now. */
  primary(): Promise<string>;
  /** Whether what this root key wrapped can be unwrapped. */
  opens(root_key_id: string): Promise<boolean>;
}

/** One place of root keys among several. */
export interface RootKeys extends Kms {
  readonly name: KmsName;
  /** Whether an id is one that this place gives. */
  owns(root_key_id: string): boolean;
}
