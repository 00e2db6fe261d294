import { credentialFields, type Pack } from '@hcp/core';
import { refuse, wrongField, type BindingRefusal } from '../refusal.js';
import type { Accepted, KindMint, MintDeps, MintRequest } from './kind.js';

/** What the pack's placeholder is called: the token is the only field of such a connection. */
export const WORKLOAD_FIELD = 'token';
/** Ours are for our own API, and what is for it must never be lent. */
const OWN_AUDIENCE = 'hcp';

/**
 * A connection to a service that trusts this issuer (SPEC B2): nothing secret is kept, only for whom tokens are made.
 * It is sealed all the same, so that nobody makes tokens for another service by a change in the database.
 */
export function acceptWorkloadToken(pack: Pack, audience: string | undefined): Accepted | BindingRefusal {
  if (audience === undefined) return wrongField('/audience', 'is missing');
  if (audience === OWN_AUDIENCE || audience.startsWith(`${OWN_AUDIENCE}-`))
    return wrongField('/audience', 'must be another service’s');
  const names = credentialFields(pack);
  const other = names.find((name) => name !== WORKLOAD_FIELD);
  if (other !== undefined || names.length === 0) {
    return refuse(
      'conflict',
      `the pack must ask for the field ${WORKLOAD_FIELD} and no other to be lent a workload token`,
    );
  }
  return { ok: true, field_names: [WORKLOAD_FIELD], content: { audience } };
}

/** A token for this run alone, made when it begins. */
export async function mintWorkloadToken(deps: MintDeps, { content }: MintRequest): Promise<KindMint> {
  const { audience } = content;
  if (audience === undefined || deps.workload === null) {
    return {
      ok: false,
      reason: 'workload tokens cannot be made here',
      hint: 'an operator sets PUBLIC_URL for the workers',
    };
  }
  const token = await deps.workload(audience);
  return { ok: true, fields: { [WORKLOAD_FIELD]: token }, secrets: [token] };
}
