import type { Authority } from '../principal/principal.js';
import type { Capability, Grant } from './grant.js';

/** What a call needs. What is left out is needed for all: `audit.read` without a project means the whole tenant. */
export interface Need {
  readonly capability: Capability;
  readonly pack_id?: string | undefined;
  readonly verb_key?: string | undefined;
  readonly project_id?: string | null | undefined;
}

/**
 * Every layer must allow it: the principal's own grants, the human's it acts for, the key's (SPEC T2, T5, G5).
 * No layers at all allow nothing.
 */
export function allows(authority: Pick<Authority, 'layers'>, need: Need, now: Date): boolean {
  return authority.layers.length > 0 && authority.layers.every((layer) => layerAllows(layer, need, now));
}

/** Whether one layer alone would allow it. */
export function layerAllows(layer: readonly Grant[], need: Need, now: Date): boolean {
  for (const grant of layer) {
    if (satisfies(grant, need, now)) return true;
  }
  return false;
}

function satisfies(grant: Grant, need: Need, now: Date): boolean {
  return (
    grant.capability === need.capability &&
    (grant.pack_id === undefined || grant.pack_id === need.pack_id) &&
    (grant.verb_keys === undefined || (need.verb_key !== undefined && grant.verb_keys.includes(need.verb_key))) &&
    (grant.project_id === undefined || grant.project_id === need.project_id) &&
    isInForce(grant, now)
  );
}

/**
 * Whether the authority holds at least what `grant` would give, for at least as long: nobody grants more than they
 * hold (SPEC G5). Several grants may cover its commands together.
 */
export function covers(authority: Pick<Authority, 'layers'>, grant: Grant, now: Date): boolean {
  if (authority.layers.length === 0 || grant.verb_keys?.length === 0) return false;
  const wanted: (string | undefined)[] = grant.verb_keys === undefined ? [undefined] : [...grant.verb_keys];
  return authority.layers.every((layer) =>
    wanted.every((verb_key) => layer.some((held) => isInForce(held, now) && contains(held, grant, verb_key))),
  );
}

function contains(held: Grant, grant: Grant, verb_key: string | undefined): boolean {
  return (
    held.capability === grant.capability &&
    (held.pack_id === undefined || held.pack_id === grant.pack_id) &&
    (held.verb_keys === undefined || (verb_key !== undefined && held.verb_keys.includes(verb_key))) &&
    (held.project_id === undefined || held.project_id === grant.project_id) &&
    (held.expires_at === undefined || endsBefore(grant.expires_at, held.expires_at))
  );
}

/** An instant that cannot be read compares as NaN, so the grant is void. */
const isInForce = (grant: Grant, now: Date): boolean =>
  grant.expires_at === undefined || Date.parse(grant.expires_at) > now.getTime();

const endsBefore = (inner: string | undefined, outer: string): boolean =>
  inner !== undefined && Date.parse(inner) <= Date.parse(outer);
