import type { Operation } from '../packs/policy.js';
import type { ApprovalOption } from '../views/options.js';
import type { View } from '../views/view.js';

/** One argument of a card, as the command gets it. */
export interface CardArgument {
  readonly name: string;
  readonly value: unknown;
  /** What the pack says of it. */
  readonly description?: string;
}

/** One step of a composite, with the pack and the command that it comes to. */
export interface CardStep extends Pick<
  Card,
  'pack_id' | 'pack_name' | 'pack_version' | 'command' | 'summary' | 'operation' | 'args' | 'cli' | 'view' | 'steps'
> {
  readonly name: string;
  /** Where arguments are parts of an earlier result: they are asked about, if they are, when that is there. */
  readonly later: boolean;
}

/** Everything that a host needs to ask a person (SPEC C5). Built from the pack and the real arguments alone. */
export interface Card {
  readonly pack_id: string;
  readonly pack_name: string;
  readonly pack_version: string;
  readonly command: string;
  /** The command's description. */
  readonly summary: string;
  readonly operation: Operation;
  readonly confirm: boolean | 'always';
  readonly args: readonly CardArgument[];
  /** The exact command line. */
  readonly cli: string;
  readonly reason: string;
  /** Null where it would run without asking. */
  readonly reason_code: string | null;
  readonly mode: string;
  readonly approvals: string;
  readonly view: View;
  /** Of a composite: what it runs, in this order, each as its own card shows it (SPEC W6). */
  readonly steps?: readonly CardStep[];
  readonly options: readonly ApprovalOption[];
}

/** A card with the request that waits for a person. */
export interface ApprovalRequest extends Card {
  readonly approval_id?: string;
  /** When the request ends unanswered. */
  readonly expires_at?: string;
  /** When a person last said no to exactly this call, where that is no longer ago than a request waits. */
  readonly rejected_at?: string;
}
