import type { Capability, Grant } from '@hcp/core';

/** A grant as somebody fills it in. */
export interface GrantDraft {
  readonly capability: Capability | null;
  readonly pack_id: string | null;
  readonly verb_keys: readonly string[];
  readonly project_id: string | null;
  /** Of an input of type `datetime-local`. */
  readonly ends: string;
}

export const EMPTY_DRAFT: GrantDraft = { capability: null, pack_id: null, verb_keys: [], project_id: null, ends: '' };

type WireGrant = Omit<Grant, 'verb_keys'> & { verb_keys?: string[] };

/** What it says; null while no capability is chosen. */
export function grantFrom({ capability, pack_id, verb_keys, project_id, ends }: GrantDraft): WireGrant | null {
  if (capability === null) return null;
  return {
    capability,
    ...(pack_id !== null && { pack_id }),
    ...(verb_keys.length > 0 && { verb_keys: [...verb_keys] }),
    ...(project_id !== null && { project_id }),
    ...(ends !== '' && { expires_at: new Date(ends).toISOString() }),
  };
}

/** Where the API says what is wrong with it. */
export const GRANT_FIELDS = ['', '/capability', '/pack_id', '/verb_keys', '/project_id', '/expires_at'] as const;

const OF_NO_PACK: ReadonlySet<Capability> = new Set(['tenant.manage', 'access.manage', 'platform.manage', 'fleet.run']);
/** Whether limiting it to a pack means anything. */
export const isOfPacks = (capability: Capability | null): boolean => capability !== null && !OF_NO_PACK.has(capability);
