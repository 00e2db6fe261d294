import type { AccessLayers } from '../access/settings/layers.js';
import type { Judgement } from '../access/settings/judge.js';
import type { Control } from '../args/control.js';
import type { SchemaCheck } from '../args/validate.js';
import type { Authorize } from '../authz/authorize.js';
import type { ExecEnvelope } from '../envelope/envelope.js';
import type { AccessSummary, Preview } from '../envelope/result.js';
import type { Denial } from '../errors/codes.js';
import type { Family, WorkspaceMode } from '../packs/manifest.js';
import type { Pack } from '../packs/pack.js';
import type { Land, Operation, PolicyRow } from '../packs/policy.js';
import type { Caller } from '../principal/principal.js';
import type { Step } from '../packs/steps.js';
import type { ViewRules } from '../views/build.js';

/** What the store says of the pack, for this tenant and project. */
export interface PackFacts {
  readonly known: boolean;
  readonly active: boolean;
  readonly pack: Pack | null;
}

export interface DecideRequest {
  readonly envelope: ExecEnvelope;
  readonly caller: Caller;
  readonly facts: PackFacts;
  /** A project of the caller's tenant, already looked up; null: none named, then the session's counts. */
  readonly project_id: string | null;
  readonly check: SchemaCheck;
  /** What was set for this caller in this project. */
  readonly access: AccessLayers;
  /** The packs that steps name; a step of a pack that is not among them is refused (SPEC W6). */
  readonly nested?: ((pack_id: string) => PackFacts | null) | undefined;
  /** True to judge a command whatever arguments it will get, for a list (SPEC A9). */
  readonly without_args?: boolean;
  readonly now: Date;
  /** Instead of `defaultAuthorize`. */
  readonly authorize?: Authorize | undefined;
  /** Instead of the default rules, where a demand depends on what a call is. */
  readonly views?: ViewRules | undefined;
  /**
   * The decision is made inside of the product whose UI collects the yes, so that `approval` comes from its own code and
   * from no caller (SPEC I4). Never in a service that others call.
   */
  readonly host_attests?: boolean;
}

/** What a run needs; nothing in it is decided again by guessing. */
export interface Plan {
  readonly pack: Pack;
  readonly verb_key: string;
  readonly row: PolicyRow;
  /** `mock` where the caller asked for it, else the pack's. */
  readonly family: Family;
  readonly land: Land;
  readonly operation: Operation;
  readonly project_id: string | null;
  /** Without control words, unless the command declares them. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The names that the command knows, sorted; for the audit. */
  readonly arg_names: readonly string[];
  readonly control: Control;
  readonly workspace_mode: WorkspaceMode;
  /** As the pack sets it, in milliseconds; null leaves it to the operator. */
  readonly timeout_ms: number | null;
  /** True only for a read that may be run a second time (SPEC R2). */
  readonly idempotent: boolean;
  /** The access mode that decided. */
  readonly mode: string;
  /** `human`, `agent`, `rule` or `mode`. */
  readonly approved_by: string | null;
  /** What the settings said, and why; of a composite the strictest that they said of it and its steps. */
  readonly judged: Judgement;
  /** Of a composite: what it runs, in this order. */
  readonly steps: readonly StepPlan[];
}

/** One step of a plan. */
export interface StepPlan {
  readonly step: Step;
  /** The pack that it comes to, and its version of this moment. */
  readonly pack: Pack;
  /** What it was decided on; null where its arguments wait for an earlier result, so that it is decided when they are there. */
  readonly plan: Plan | null;
}

/** What was found out before a refusal, for the audit (SPEC U1). */
export interface KnownFacts {
  readonly pack_version?: string;
  readonly pack_digest?: string;
  readonly operation?: Operation;
  readonly land?: Land;
  readonly family?: Family;
  readonly project_id?: string | null;
  readonly arg_names?: readonly string[];
  readonly mode?: string;
}

export type Decision =
  | { readonly decision: 'allow'; readonly plan: Plan }
  | {
      readonly decision: 'deny' | 'ask';
      readonly denial: Denial;
      readonly access?: AccessSummary;
      readonly preview?: Preview;
      /** Where step 4 was reached. */
      readonly judged?: Judgement;
      /** Of an ask: what runs once a person has approved it. */
      readonly plan?: Plan;
      readonly known: KnownFacts;
    };
