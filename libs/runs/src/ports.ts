import type { AccessLayers, Caller, Pack, PackFacts } from '@hcp/core';
import type { Run, Tx } from '@hcp/database';
import type { Sealer } from './sealing.js';

export type LoadedFacts = PackFacts & {
  readonly version_id: string | null;
  /** Whose the version is: the run's tenant's, or the platform's. */
  readonly owner: { readonly tenant_id: string; readonly platform: boolean } | null;
};

/** Loads what a decision needs of a pack, in the decision's own transaction. */
export type LoadFacts = (
  tx: Tx,
  query: { pack_id: string; project_id: string | null; caller: Caller },
) => Promise<LoadedFacts>;

/** Loads what was set for a caller in a project, in the decision's own transaction (SPEC A6). */
export type LoadAccess = (
  tx: Tx,
  query: { readonly caller: Caller; readonly project_id: string | null },
) => Promise<AccessLayers>;

/** A tenant's keys: one for digests, one to seal what is stored. */
export type TenantKeys = (tenant_id: string) => Promise<Sealer & { readonly digest_key: Buffer }>;

/** For which run, and whom, a token is made (SPEC B2). */
export interface WorkloadClaims {
  readonly audience: string;
  readonly tenant_id: string;
  readonly project_id: string | null;
  readonly principal_id: string;
  readonly acts_for: string | null;
  readonly pack_id: string;
  readonly verb_key: string;
  readonly args_digest: string;
  readonly run_id: string;
  readonly timeout_ms: number;
}

/** Signs a token that says which run its bearer is. */
export type SignWorkload = (claims: WorkloadClaims) => Promise<string>;

/** Loads one installed version of a pack, whatever is active now; null where it was deleted. */
export type LoadPinned = (tx: Tx, tenant_id: string, version_id: string) => Promise<Pack | null>;

/** What a run, or a request for approval, remembers of who asked. */
export type Asker = Pick<Run, 'tenant_id' | 'principal_id' | 'session_id' | 'authority'>;

/** Who asked, as of now: the session or key, the principal and the human it acts for may have gone. */
export type ReloadCaller = (
  tx: Tx,
  asker: Asker,
) => Promise<{ readonly ok: true; readonly caller: Caller } | { readonly ok: false; readonly reason: string }>;
