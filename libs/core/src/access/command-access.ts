import type { ExecCode } from '../errors/codes.js';
import { decide } from '../pipeline/decide.js';
import type { Decision, PackFacts } from '../pipeline/types.js';
import type { Caller } from '../principal/principal.js';
import type { AccessLayers } from './settings/layers.js';

/** What a call of a command would get now, with valid arguments (SPEC A9). */
export interface CommandAccess {
  readonly access: 'allow' | 'ask' | 'deny';
  /** The text that the ask or the refusal would carry; null for allow. */
  readonly reason: string | null;
  readonly code: ExecCode | null;
}

export interface CommandAccessRequest {
  readonly caller: Caller;
  readonly facts: PackFacts & { readonly pack: NonNullable<PackFacts['pack']> };
  readonly verb_key: string;
  readonly project_id: string | null;
  /** The caller's effective settings there. */
  readonly access: AccessLayers;
  /** The packs that steps of composites name. */
  readonly nested?: ((pack_id: string) => PackFacts | null) | undefined;
  readonly now: Date;
}

/**
 * Judges a command by the pipeline itself, with no arguments and the args step left out: a list made in any other way
 * would come to differ from what a call then gets.
 */
export function commandAccess(request: CommandAccessRequest): CommandAccess {
  const { caller, facts, verb_key, project_id, access, nested, now } = request;
  const envelope = { pack_id: facts.pack.manifest.pack_id, verb_key, args: {} };
  const asked = { envelope, caller, facts, project_id, check: () => null, without_args: true, access, nested, now };
  return accessOf(decide(asked));
}

/** A decision about a call without arguments, as the list of commands shows it. */
export function accessOf(decision: Decision): CommandAccess {
  if (decision.decision === 'allow') return { access: 'allow', reason: null, code: null };
  return { access: decision.decision, reason: decision.denial.error, code: decision.denial.code };
}
