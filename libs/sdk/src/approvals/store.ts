import type { Card } from '@hcp/core';

/** A request for a person's yes to one exact call. */
export interface NewApproval {
  /** Of the call, with everything that a yes to it is bound to. */
  readonly digest: string;
  readonly principal_id: string;
  readonly card: Card;
}

/** Keeps requests for approval (SPEC V). `ApprovalBook` is one; a host may bring its own. */
export interface ApprovalStore {
  /** Makes the request, or finds the same one that waits already. */
  ask(request: NewApproval): Promise<{
    readonly approval_id: string;
    readonly expires_at: string;
    /** When a person last said no to exactly this call, where that is a short while ago. */
    readonly rejected_at?: string;
  }>;
  /** A yes to exactly this call that no run used; null where there is none. */
  find(digest: string, approval_id?: string): Promise<string | null>;
  /**
   * Spends it on one run: of all who try, in any process, one succeeds.
   * @returns what gives it back while nothing has run; null where it is spent, rejected or over
   */
  take(approval_id: string, digest: string): Promise<(() => Promise<void>) | null>;
  /** The same for a yes that the host itself collected, by the host's own id: each covers one run (SPEC E1). */
  attest(id: string): Promise<(() => Promise<void>) | null>;
}
