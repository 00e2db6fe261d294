import type { Operation, PolicyRow } from '../../packs/policy.js';
import type { Args } from './conditions.js';

/** The call that rules are asked about. */
export interface RuleCall {
  readonly pack_id: string;
  readonly verb_key: string;
  readonly operation: Operation;
  readonly confirm: PolicyRow['confirm'];
  /** As the command gets them, without control words. */
  readonly args: Args;
  /** The digest of the command's text as of now, asked for only where a rule is bound to one (SPEC P7). */
  readonly text?: () => string;
  /** The pack's digest, for rules that end with it. */
  readonly pack_digest?: string;
}
