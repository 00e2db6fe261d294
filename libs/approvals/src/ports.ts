import type { Denial } from '@hcp/core';
import type { Approval, Database, Tx } from '@hcp/database';

/** Encrypts with a tenant's data key; `aad` binds the text to its place. */
export interface Sealer {
  readonly digest_key: Buffer;
  seal(plain: Buffer, aad: string): Buffer;
  /** @throws where the text was changed, moved, or belongs to another tenant */
  open(sealed: Buffer, aad: string): Buffer;
}

export type TenantKeys = (tenant_id: string) => Promise<Sealer>;

/** What an approval that starts its run came to. */
export type Started = { readonly ok: true; readonly run_id: string } | { readonly ok: false; readonly denial: Denial };

/**
 * Starts the run of a request that was just approved, in the transaction of the yes: steps 1 to 5 on the requester's
 * rights of this moment (SPEC V5).
 * @param args as the requester sent them
 */
export type StartApproved = (tx: Tx, approval: Approval, args: Readonly<Record<string, unknown>>) => Promise<Started>;

export interface ApprovalDeps {
  readonly db: Database;
  readonly keys: TenantKeys;
  readonly start: StartApproved;
}
