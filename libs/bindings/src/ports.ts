import type { Caller, Pack } from '@hcp/core';
import type { Tx } from '@hcp/database';

/** Encrypts with a tenant's data key; `aad` binds the text to its place. */
export interface Sealer {
  seal(plain: Buffer, aad: string): Buffer;
  /** @throws where the text was changed, moved, or belongs to another tenant */
  open(sealed: Buffer, aad: string): Buffer;
}

export type TenantSealer = (tenant_id: string) => Promise<Sealer>;

/**
 * The pack as it is or would be run in this project: the active version, else the latest installed. Null where there is
 * none that the caller may see.
 */
export type LoadPack = (tx: Tx, caller: Caller, pack_id: string, project_id: string | null) => Promise<Pack | null>;
