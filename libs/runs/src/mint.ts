import type { Plan } from '@hcp/core';

/** What a command runs with: it dies with the run (SPEC B4). */
export interface Lease {
  /** Which binding, for the audit: `public`, `local`, `mock`. */
  readonly identity: string;
  /** Goes to the child's environment and nowhere else. */
  readonly env: Readonly<Record<string, string>>;
}

export type Mint = { readonly ok: true; readonly lease: Lease } | { readonly ok: false; readonly reason: string };

/**
 * Step 5 of the pipeline (SPEC B1): `public` has no credential, `local` only its workspace, `mock` none by definition.
 * Families that need a stored credential are refused: there is never a fallback to an environment token (SPEC E4).
 */
export function mint(plan: Pick<Plan, 'family' | 'pack'>): Mint {
  switch (plan.family) {
    case 'public':
    case 'local':
    case 'mock':
      return { ok: true, lease: { identity: plan.family, env: {} } };
    case 'user':
    case 'mothership':
      return {
        ok: false,
        reason: `no ${plan.family} binding for ${plan.pack.manifest.binding.provider ?? plan.pack.manifest.pack_id}`,
      };
    default:
      return { ok: false, reason: 'unknown binding family' };
  }
}
