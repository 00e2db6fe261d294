import type { AuditEvent as AuditRow } from '@hcp/database';

/** An event as the API answers it: `seq` as a decimal string, times as RFC 3339. */
export type AuditItem = Omit<AuditRow, 'seq' | 'at' | 'tenant_id'> & { readonly seq: string; readonly at: string };

export const auditItem = ({ tenant_id: _tenant, seq, at, ...rest }: AuditRow): AuditItem => ({
  ...rest,
  seq: String(seq),
  at: at.toISOString(),
});
