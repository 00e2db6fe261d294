import type { Finding } from '@hcp/core';

/** What a pack use case may refuse (SPEC P7, P8, A8). The API has one status for each code. */
export type PackRefusalCode =
  | 'human_only'
  | 'missing_capability'
  | 'not_found'
  | 'invalid_archive'
  | 'invalid_pack'
  | 'reserved_pack_id'
  | 'version_conflict'
  | 'version_in_use'
  | 'digest_mismatch'
  | 'nothing_before';

export interface PackRefusal {
  readonly ok: false;
  readonly code: PackRefusalCode;
  /** For people; never holds content of the archive. */
  readonly detail: string;
  /** With `invalid_pack`: every finding, warnings too. */
  readonly findings?: readonly Finding[];
  /** With `invalid_archive`: the entry that it is refused for. */
  readonly entry?: string;
}

export function packRefusal(
  code: PackRefusalCode,
  detail: string,
  more: Pick<PackRefusal, 'findings' | 'entry'> = {},
): PackRefusal {
  return { ok: false, code, detail, ...more };
}

/** The same answer for a pack that is not there, is another tenant's, or that the caller may not see. */
export const PACK_NOT_FOUND = packRefusal('not_found', 'no such pack');
