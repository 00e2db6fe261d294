import { renewDue, type Refresher } from '@hcp/bindings';
import { KeysUnavailable, type Denial } from '@hcp/core';
import type { DueRenewal } from './mint.js';

export interface RenewalsDeps {
  readonly refresher: Refresher;
  readonly onError: (error: Error) => void;
}

/** How often one credential is renewed for one run. */
const MOST = 3;

/** Renews the credentials that one run waits for; it is decided again after each. */
export class Renewals {
  readonly #counts = new Map<string, number>();

  constructor(private readonly deps: RenewalsDeps) {}

  /**
   * What refuses the run, else null.
   * @throws KeysUnavailable where it has to be tried again later
   */
  async renew({ at, need, due }: DueRenewal): Promise<Denial | null> {
    const count = (this.#counts.get(due.id) ?? 0) + 1;
    this.#counts.set(due.id, count);
    const denial = count > MOST ? IN_VAIN : await this.#once(need, due);
    return denial && { ...denial, error: `${at}${denial.error}` };
  }

  async #once(need: DueRenewal['need'], due: DueRenewal['due']): Promise<Denial | null> {
    const { refresher, onError } = this.deps;
    try {
      const refused = await renewDue(refresher, need, due);
      return refused && { code: 'mint_failed', error: refused.reason, hint: refused.hint };
    } catch (error) {
      if (error instanceof KeysUnavailable) throw error;
      onError(error as Error);
      return { code: 'mint_failed', error: UNREADABLE.reason, hint: UNREADABLE.hint };
    }
  }
}

/** A credential that cannot be read refuses the run, whatever the reason. */
export const UNREADABLE = {
  ok: false,
  reason: 'the credential cannot be read',
  hint: 'try again, and tell an operator if it stays so',
} as const;

/** A provider whose tokens are over as soon as they are there. */
const IN_VAIN: Denial = {
  code: 'mint_failed',
  error: 'the provider’s tokens end at once',
  hint: 'tell whoever runs that service; nothing was run',
};
