import type { Binding, Tx } from '@hcp/database';

/** What is told of a credential that is good for nothing, or good again; never a value (SPEC B6, N1). */
export interface CredentialFact extends Pick<
  Binding,
  'tenant_id' | 'id' | 'pack_id' | 'family' | 'principal_id' | 'project_id'
> {
  /** expired | refused | client_refused | client_removed | revoked; null: it is good again, or gone */
  readonly reason: string | null;
}

/** Hears of credentials in the transaction that changes them. */
export interface CredentialEvents {
  stale(tx: Tx, fact: CredentialFact): Promise<void>;
  mended(tx: Tx, fact: CredentialFact): Promise<void>;
}
