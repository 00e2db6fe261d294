import type { Decision, Denial, Plan } from '@hcp/core';
import { NO_APPROVAL, SPENT } from './answers.js';
import type { GatedCall } from './gate.js';
import type { AccessOptions } from './options.js';

/** By whose word a call runs, what the audit calls it, and how to give that word back. */
export interface Word {
  readonly approved_by: string | null;
  readonly approval_id: string | null;
  readonly release: () => Promise<void>;
}

const NOTHING = async (): Promise<void> => undefined;

/** Finds the word that a call may run by. */
export class Words {
  /** Ids of the host's own records of a yes that were used, where no store keeps them. */
  readonly #attested = new Set<string>();

  /**
   * @param refusal  why the call could not run now; asked before a yes is spent (SPEC V2)
   * @param digest  what a yes to the call is bound to (SPEC V1)
   */
  constructor(
    private readonly approvals: AccessOptions['approvals'],
    private readonly refusal: ((call: GatedCall) => Promise<Denial | null>) | undefined,
    private readonly digest: (plan: Plan) => Promise<string>,
  ) {}

  /** An approval of exactly this call comes before a word that the call brings (SPEC A5). */
  async for(call: GatedCall, decision: Decision): Promise<Word | { readonly denial: Denial }> {
    const { approvals } = this;
    const { envelope, plan } = call;
    const own = { approved_by: plan.approved_by, approval_id: null, release: NOTHING };
    const asks = plan.judged.decision === 'ask';
    const digest = asks && approvals ? await this.digest(plan) : null;
    const found = digest !== null && approvals ? await approvals.find(digest, envelope.approval_id) : null;
    if (found === null && decision.decision !== 'allow') return { denial: asked(decision) };
    const stale = (await this.refusal?.(call)) ?? null;
    if (stale !== null) return { denial: stale };
    if (found !== null && digest !== null && approvals) {
      const release = await approvals.take(found, digest);
      if (release !== null) return { approved_by: 'human', approval_id: found, release };
      if (decision.decision !== 'allow') return { denial: asked(decision) };
    }
    if (!asks || envelope.approval === undefined) return own;
    const { id } = envelope.approval;
    const release = await (approvals ? approvals.attest(id) : this.#attest(id));
    return release === null ? { denial: SPENT } : { approved_by: 'human', approval_id: id, release };
  }

  async #attest(id: string): Promise<(() => Promise<void>) | null> {
    if (this.#attested.has(id)) return null;
    this.#attested.add(id);
    return async () => void this.#attested.delete(id);
  }
}

const asked = (decision: Decision): Denial => (decision.decision === 'allow' ? NO_APPROVAL : decision.denial);
