import type { Tx } from '@hcp/database';
import { clear, raise } from './raise.js';

/** Of a tenant's credential, by its metadata. */
export interface CredentialFact {
  readonly tenant_id: string;
  readonly id: string;
  readonly pack_id: string;
  readonly family: string;
  /** Whose it is; null: shared. */
  readonly principal_id: string | null;
  readonly project_id: string | null;
  /** Such as `expired`, `refused` or `revoked`. */
  readonly reason: string | null;
}

const CREDENTIAL_WORDS: Readonly<Record<string, string>> = {
  expired: 'it ran out',
  refused: 'its provider gives no new token for it',
  client_refused: 'its provider refuses the OAuth client that it was connected through',
  client_removed: 'the OAuth client that it was connected through was removed',
  revoked: 'it was revoked',
};

/** A credential is good for nothing: commands that need it are refused (SPEC B6). */
export function credentialStale(tx: Tx, fact: CredentialFact): Promise<void> {
  const { tenant_id, id, pack_id, family, principal_id, project_id, reason } = fact;
  const why = CREDENTIAL_WORDS[reason ?? ''] ?? 'it is good for nothing';
  const again = `hcpx bindings rotate ${id} for a secret, hcpx connect ${pack_id} for an account`;
  const mend = reason === 'revoked' ? `Connect ${pack_id} again, or forget it.` : `Mend it: ${again}.`;
  return raise(tx, {
    ...{ tenant_id, pack_id, project_id, principal_id },
    kind: 'credential_stale',
    severity: 'error',
    subject: `binding:${id}`,
    message: `The ${family} credential for ${pack_id} is stale: ${why}. ${mend}`,
    dedupe_key: `credential_stale:${id}`,
  });
}

/** It is good again, or gone. */
export function credentialMended(tx: Tx, { tenant_id, id }: Pick<CredentialFact, 'tenant_id' | 'id'>): Promise<void> {
  return clear(tx, { tenant_id, dedupe_key: `credential_stale:${id}` });
}

/** For whoever changes credentials. */
export const credentialEvents = { stale: credentialStale, mended: credentialMended } as const;

export interface PackFact {
  readonly tenant_id: string;
  readonly pack_id: string;
}

const PACK_WORDS = {
  stopped: 'its kill switch is on',
  sandbox_unavailable: 'no worker can isolate its commands',
  bin_not_allowlisted: 'its program is neither in the pack nor allowed by the operator',
  inactive: 'no version of it is active',
} as const;
export type PackProblem = keyof typeof PACK_WORDS;

const packKey = (pack_id: string, problem: PackProblem): string =>
  `pack_unavailable:${pack_id}:${problem === 'stopped' ? 'stopped' : 'start'}`;

/** Commands of a pack cannot be started. */
export function packUnavailable(tx: Tx, { tenant_id, pack_id }: PackFact, problem: PackProblem): Promise<void> {
  return raise(tx, {
    ...{ tenant_id, pack_id },
    kind: 'pack_unavailable',
    severity: 'error',
    subject: `pack:${pack_id}`,
    message: `Commands of ${pack_id} cannot be started: ${PACK_WORDS[problem]}.`,
    dedupe_key: packKey(pack_id, problem),
  });
}

/** A command of it was started, or somebody activated it anew; a kill switch is mended by its own end alone. */
export function packStarts(tx: Tx, { tenant_id, pack_id }: PackFact): Promise<void> {
  return clear(tx, { tenant_id, dedupe_key: packKey(pack_id, 'inactive') });
}

export function packResumed(tx: Tx, { tenant_id, pack_id }: PackFact): Promise<void> {
  return clear(tx, { tenant_id, dedupe_key: packKey(pack_id, 'stopped') });
}

export interface ApprovalFact extends PackFact {
  readonly id: string;
  readonly verb_key: string;
  readonly project_id: string | null;
  /** Who asks. */
  readonly principal_id: string;
}

/** Somebody has to say yes or no. What was asked is on the card alone. */
export function approvalWaits(tx: Tx, fact: ApprovalFact): Promise<void> {
  const { tenant_id, id, pack_id, verb_key, project_id, principal_id } = fact;
  return raise(tx, {
    ...{ tenant_id, pack_id, project_id, principal_id },
    kind: 'approval_waiting',
    severity: 'info',
    subject: `approval:${id}`,
    message: `${pack_id}.${verb_key} waits for a person's yes. See hcpx approvals show ${id}.`,
    dedupe_key: `approval_waiting:${id}`,
  });
}

/** Decided, or nobody did in time. */
export function approvalAnswered(tx: Tx, { tenant_id, id }: Pick<ApprovalFact, 'tenant_id' | 'id'>): Promise<void> {
  return clear(tx, { tenant_id, dedupe_key: `approval_waiting:${id}` });
}
