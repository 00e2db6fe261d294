import type { Family, Manifest, StoredFamily } from '@hcp/core';
import { isStoredFamily } from '@hcp/core';
import type { Binding, Tx } from '@hcp/database';

/** Who runs what where: all that the choice of a binding depends on. */
export interface Need {
  readonly tenant_id: string;
  readonly pack_id: string;
  /** From the pack alone (SPEC B1). */
  readonly family: Family;
  readonly principal_id: string;
  /** The human it acts for: then that human's binding, and none of the agent's own. */
  readonly acts_for: string | null;
  readonly project_id: string | null;
}

/** What a credential is minted for. */
export interface MintNeed extends Need {
  readonly manifest: Pick<Manifest, 'pack_id' | 'binding' | 'wrap'>;
  /** True in the platform's tenant, the only one with platform credentials (SPEC B1). */
  readonly platform: boolean;
  readonly now: Date;
}

export type BindingFacts = Pick<
  Binding,
  | 'id'
  | 'pack_id'
  | 'family'
  | 'kind'
  | 'principal_id'
  | 'project_id'
  | 'version'
  | 'expires_at'
  | 'revoked_at'
  | 'secret_enc'
  | 'account'
  | 'token_version'
  | 'token_obtained_at'
  | 'token_expires_at'
  | 'refreshable'
  | 'stale_at'
  | 'stale_reason'
>;

export type BindingState = 'active' | 'expired' | 'stale' | 'revoked';

export function stateOf(
  {
    revoked_at,
    expires_at,
    stale_at,
    stale_reason,
  }: Pick<Binding, 'revoked_at' | 'expires_at' | 'stale_at' | 'stale_reason'>,
  now: Date,
): BindingState {
  if (revoked_at !== null) return 'revoked';
  if (stale_at !== null) return stale_reason === 'expired' ? 'expired' : 'stale';
  return expires_at !== null && expires_at <= now ? 'expired' : 'active';
}

/** `<family>:<binding id>@<version>`: how the audit names a credential (SPEC U1). */
export const identityOf = ({ family, id, version }: Pick<Binding, 'family' | 'id' | 'version'>): string =>
  `${family}:${id}@${version}`;

/**
 * The most specific binding: the person's in this project, the person's, the project's, the tenant's (SPEC B1). Whatever
 * its state: where one's own account was revoked, a wider one does not step in unasked (SPEC B6).
 */
export function mostSpecific<B extends Pick<Binding, 'principal_id' | 'project_id'>>(found: readonly B[]): B | null {
  const rank = ({ principal_id, project_id }: B): number =>
    (principal_id !== null ? 2 : 0) + (project_id !== null ? 1 : 0);
  return found.reduce<B | null>((best, each) => (best === null || rank(each) > rank(best) ? each : best), null);
}

/** The binding that a run has; null for none, and for families that have none. */
export async function chooseBinding(tx: Tx, need: Need): Promise<BindingFacts | null> {
  if (!isStoredFamily(need.family)) return null;
  return mostSpecific(await candidates(tx, need, need.family));
}

function candidates(tx: Tx, need: Need, family: StoredFamily): Promise<BindingFacts[]> {
  const { tenant_id, pack_id, project_id } = need;
  const owner = need.acts_for ?? need.principal_id;
  return tx.binding.findMany({
    where: {
      tenant_id,
      pack_id,
      family,
      AND: [
        { OR: [{ principal_id: null }, ...(family === 'user' ? [{ principal_id: owner }] : [])] },
        { OR: [{ project_id: null }, ...(project_id !== null ? [{ project_id }] : [])] },
      ],
    },
    select: {
      id: true,
      pack_id: true,
      family: true,
      kind: true,
      principal_id: true,
      project_id: true,
      version: true,
      expires_at: true,
      revoked_at: true,
      secret_enc: true,
      account: true,
      token_version: true,
      token_obtained_at: true,
      token_expires_at: true,
      refreshable: true,
      stale_at: true,
      stale_reason: true,
    },
  });
}
