import type { Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';

/**
 * One audit event: columns of `audit_events` but those the log itself sets (SPEC U1, U2). Never an argument's value,
 * never a secret: `details` takes facts such as names, ids and counts.
 */
export interface AuditInput {
  readonly tenant_id: string;
  /** `exec.decision`, `exec.completion`, or an administrative act such as `api_key.create`. */
  readonly action: string;
  readonly principal_id?: string | null;
  readonly principal_kind?: string | null;
  readonly acts_for?: string | null;
  readonly session_id?: string | null;
  readonly project_id?: string | null;
  readonly binding?: string | null;
  readonly pack_id?: string | null;
  readonly verb_key?: string | null;
  readonly operation?: string | null;
  readonly pack_version?: string | null;
  readonly land?: string | null;
  readonly decision?: 'allow' | 'ask' | 'deny' | null;
  readonly code?: string | null;
  readonly reason?: string | null;
  readonly mode?: string | null;
  readonly approved_by?: string | null;
  readonly run_id?: string | null;
  readonly ran?: boolean | null;
  readonly exit_code?: number | null;
  readonly duration_ms?: number | null;
  readonly arg_names?: readonly string[];
  readonly args_digest?: string | null;
  /** What an administrative act touched: `<kind>:<id>`. */
  readonly subject?: string | null;
  readonly details?: AuditDetails;
}

type AuditFact = string | number | boolean | null | readonly AuditFact[] | { readonly [name: string]: AuditFact };
export type AuditDetails = Readonly<Record<string, AuditFact>>;

/**
 * Writes one event in the caller's transaction, so that what it tells of and the event commit together or not at all.
 * @returns the event's id
 */
export async function appendAudit(tx: Tx, event: AuditInput): Promise<string> {
  const id = uuidv7();
  const { arg_names, details, ...columns } = event;
  await tx.auditEvent.create({
    data: {
      ...columns,
      id,
      arg_names: [...(arg_names ?? [])],
      // Through JSON, which drops undefined and turns the readonly shape into Prisma's mutable one.
      ...(details ? { details: JSON.parse(JSON.stringify(details)) as object } : {}),
    },
    select: { id: true },
  });
  return id;
}
