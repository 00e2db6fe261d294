import type { Database } from '@hcp/database';
import type { BindingFacts, MintNeed } from '../choose.js';
import type { Sealer } from '../ports.js';
import type { Fields } from '../secret.js';

/** What a kind keeps of a new connection or rotation: `content` is sealed, `field_names` are answered. */
export interface Accepted {
  readonly ok: true;
  readonly field_names: readonly string[];
  readonly content: Fields;
}

/** What kinds may use to mint: they run outside of any transaction, so one may wait for a provider. */
export interface MintDeps {
  readonly db: Database;
  readonly sealer: Sealer;
  /** Signs a token for this run and one audience; null where this process cannot. */
  readonly workload: ((audience: string) => Promise<string>) | null;
}

/** One connection that is active, opened, for one run. */
export interface MintRequest {
  readonly need: MintNeed;
  readonly chosen: BindingFacts;
  readonly content: Fields;
}

/** The values of the pack's `binding.env` placeholders for one run, and what must be hidden in its output. */
export type KindMint =
  | {
      readonly ok: true;
      readonly fields: Fields;
      readonly secrets: readonly string[];
      /** When what is lent ends: the run ends before (SPEC B4). Absent or null: it does not end by itself. */
      readonly expires_at?: Date | null;
    }
  | { readonly ok: false; readonly reason: string; readonly hint: string };
