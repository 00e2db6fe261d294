import type { Caller, Denial, ExecEnvelope, Plan, ResultEnvelope } from '@hcp/core';
import type { CallOptions, HostPack } from '../runtime.js';
import type { Surroundings } from './settings.js';

/** What is behind the access step. */
export interface Gated {
  readonly name: string;
  /** Null: it does not tell. */
  readonly packs: (() => readonly HostPack[] | Promise<readonly HostPack[]>) | null;
  /** Why it could not run now: its credential (step 5), or what the runtime cannot do. Asked before a yes is spent (SPEC V2). */
  readonly refusal?: (call: GatedCall) => Promise<Denial | null>;
  /** What else a yes to the call is bound to: where it runs, and the files that it names (SPEC V1). */
  readonly bound?: (plan: Plan) => Promise<Readonly<Record<string, unknown>>>;
  run(call: GatedCall, options: CallOptions): Promise<ResultEnvelope>;
}

/** A call that may run now. */
export interface GatedCall {
  readonly envelope: ExecEnvelope;
  readonly plan: Plan;
  readonly caller: Caller;
}

/** What the step keeps to beyond the host's options. */
export interface GateSurroundings {
  readonly around?: () => Surroundings | Promise<Surroundings>;
}
