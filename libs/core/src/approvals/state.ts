/** SPEC V2. */
export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'expired', 'consumed'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** How long a yes covers one run, in seconds (SPEC V3). */
export const APPROVAL_USE_S = 900;

/** What decides about a request for approval; the store keeps it, this says what may become of it. */
export interface ApprovalFacts {
  /** As written down; a clock may have run out since. */
  readonly state: ApprovalState;
  readonly pending_expires_at: Date;
  /** Null until it is approved. */
  readonly use_expires_at: Date | null;
  /** How many different people must say yes; fixed when it was asked. */
  readonly approvers: number;
  /** Who said yes so far. */
  readonly approved_by: readonly string[];
}

export type ApprovalAct =
  | { readonly kind: 'approve'; readonly by: string }
  | { readonly kind: 'reject'; readonly by: string }
  /** The run that it covers starts. */
  | { readonly kind: 'consume' };

/** The state at an instant: both clocks hold by themselves, whoever writes the end down or nobody (SPEC V3). */
export function approvalStateAt(facts: ApprovalFacts, now: Date): ApprovalState {
  const { state, pending_expires_at, use_expires_at } = facts;
  if (state === 'pending' && now >= pending_expires_at) return 'expired';
  if (state === 'approved' && (use_expires_at === null || now >= use_expires_at)) return 'expired';
  return state;
}

/**
 * What an act makes of it; null where the state at that instant does not allow it. A rejection beats an approval until
 * it is consumed; what is consumed, rejected or expired stays so (SPEC V2).
 */
export function afterAct(facts: ApprovalFacts, act: ApprovalAct, now: Date): ApprovalFacts | null {
  const state = approvalStateAt(facts, now);
  switch (act.kind) {
    case 'approve': {
      if (state !== 'pending') return null;
      const approved_by = [...new Set([...facts.approved_by, act.by])];
      if (approved_by.length < facts.approvers) return { ...facts, approved_by };
      const use_expires_at = new Date(now.getTime() + APPROVAL_USE_S * 1000);
      return { ...facts, approved_by, state: 'approved', use_expires_at };
    }
    case 'reject':
      return state === 'pending' || state === 'approved' ? { ...facts, state: 'rejected' } : null;
    case 'consume':
      return state === 'approved' ? { ...facts, state: 'consumed' } : null;
  }
}
