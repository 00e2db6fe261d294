import type { FieldError } from '@hcp/contracts';
import { refuseSecretValue } from '@hcp/core';
import type { Binding } from '@hcp/database';
import type { Sealer } from './ports.js';

/** UTF-16 units of all fields of a binding together. */
const MAX_TOTAL = 8192;

export type Fields = Readonly<Record<string, string>>;

/** What is wrong with the given fields, each by its name: missing, unknown, or a value that cannot be stored (SPEC B6). */
export function fieldErrors(fields: Fields, wanted: readonly string[]): FieldError[] {
  const missing = wanted.filter((name) => !Object.hasOwn(fields, name));
  const errors: FieldError[] = missing.map((name) => ({ path: pointer(name), message: 'is missing' }));
  for (const [name, value] of Object.entries(fields)) {
    const message = wanted.includes(name) ? refuseSecretValue(value) : 'is no field of this pack’s binding';
    if (message !== null) errors.push({ path: pointer(name), message });
  }
  const total = Object.values(fields).reduce((sum, value) => sum + value.length, 0);
  if (errors.length === 0 && total > MAX_TOTAL) {
    errors.push({ path: '/fields', message: `are too long together: at most ${MAX_TOTAL} characters` });
  }
  return errors;
}

/** RFC 6901. A name may be anything that was sent, so it is cut. */
const pointer = (name: string): string => `/fields/${name.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** `token_version` where a provider gives new tokens within one version. */
export type Place = Pick<Binding, 'id' | 'version' | 'pack_id' | 'family' | 'kind'> & {
  readonly token_version?: number;
};

/**
 * The sealer adds the tenant. With the pack and the kind, a row that is made to name another opens no more (SPEC B3).
 * Static secrets were there before there were kinds, so theirs has none.
 */
const aad = ({ id, version, pack_id, family, kind, token_version = 0 }: Place): string =>
  `binding/${id}/${version}/${pack_id}/${family}${kind === 'secret' ? '' : `/${kind}`}` +
  (token_version === 0 ? '' : `/${token_version}`);

export function sealFields(sealer: Sealer, place: Place, fields: Fields): Buffer<ArrayBuffer> {
  return Buffer.from(sealer.seal(Buffer.from(JSON.stringify(fields)), aad(place)));
}

/** @throws where the row was changed behind the application's back */
export function openFields(sealer: Sealer, place: Place, sealed: Uint8Array): Fields {
  return JSON.parse(sealer.open(Buffer.from(sealed), aad(place)).toString()) as Fields;
}
