import type { Control } from '../args/control.js';
import type { AccessSummary } from '../envelope/result.js';
import type { Denial } from '../errors/codes.js';
import type { Pack } from '../packs/pack.js';
import type { PolicyRow } from '../packs/policy.js';
import type { Caller } from '../principal/principal.js';
import { buildView, type ViewRules } from '../views/build.js';
import type { Args } from './rules/conditions.js';
import type { RuleCall } from './rules/rule-set.js';
import { judgeAccess, type Judgement } from './settings/judge.js';
import { effectiveApprovals, type AccessLayers } from './settings/layers.js';
import { demandsFor } from './settings/settings.js';

/** Everything that step 4 looks at, in one object. */
export interface AccessRequest {
  readonly caller: Pick<Caller, 'principal' | 'session' | 'is_agent'>;
  readonly pack: Pack;
  readonly verb_key: string;
  readonly row: PolicyRow;
  /** As the command gets them, without control words. */
  readonly args: Args;
  readonly control: Control;
  readonly layers: AccessLayers;
  /** A service that may attest says that its own UI collected a person's yes for exactly this call (SPEC E1). */
  readonly attested?: boolean;
  readonly views?: ViewRules | undefined;
}

/** Who said yes, as the audit names it (SPEC U1). */
export type ApprovedBy = 'human' | 'agent' | 'rule' | 'mode';

export type AccessDecision = { readonly judged: Judgement } & (
  | {
      readonly decision: 'allow';
      readonly approved_by: ApprovedBy;
      /** What to do next where something else of the call asks. */
      readonly hint: string;
    }
  | { readonly decision: 'deny'; readonly denial: Denial }
  | { readonly decision: 'ask'; readonly access: AccessSummary; readonly denial: Denial }
);

/** Step 4: does the call run now, is it refused, or is a person asked first (SPEC A1-A7)? */
export function decideAccess(request: AccessRequest): AccessDecision {
  const { layers } = request;
  const judged = judgeAccess(layers, ruleCall(request));
  const { decision, mode, reason, reason_code, ruling } = judged;
  if (decision === 'deny') {
    const error = `denied by rule ${ruling?.rule.match ?? '*'}`;
    return { decision, judged, denial: { code: 'denied_by_rule', error, hint: HINT_DENIED } };
  }
  if (decision === 'allow') {
    return { decision, judged, approved_by: ruling === null ? 'mode' : 'rule', hint: hintFor(request) };
  }
  const approved_by = yesOf(request, judged);
  if (approved_by !== null) return { decision: 'allow', judged, approved_by, hint: hintFor(request) };
  return {
    decision,
    judged,
    access: { mode, reason, reason_code: reason_code ?? 'confirm', approvals: effectiveApprovals(layers) },
    denial: askDenial(hintFor(request)),
  };
}

export const askDenial = (hint: string): Denial => ({ code: 'confirm_required', error: 'confirm required', hint });

function ruleCall({ pack, verb_key, row, args, layers }: AccessRequest): RuleCall {
  return {
    pack_id: pack.manifest.pack_id,
    verb_key,
    operation: row.operation,
    confirm: row.confirm,
    args,
    text: () => layers.textOf(pack, verb_key),
    pack_digest: pack.digest,
  };
}

/** Whose yes the call brings along; null for nobody's. A person's approval of this very call comes before it (SPEC A5). */
function yesOf(request: AccessRequest, { reason_code }: Judgement): ApprovedBy | null {
  const { caller, control, layers, attested = false } = request;
  if (!(control.confirm || attested) || !oneYesIsEnough(request)) return null;
  if (attested) return 'human';
  if (isPersonHere(caller)) return 'human';
  const machine = caller.is_agent || caller.principal.kind !== 'human';
  return machine && effectiveApprovals(layers) === 'agent' && reason_code === 'confirm' ? 'agent' : null;
}

/** A yes that comes with the call is the caller's alone and gives no reason: not where the tenant wants more (SPEC V4). */
function oneYesIsEnough({ pack, verb_key, args, layers, views }: AccessRequest): boolean {
  const { approving } = layers;
  const kinds = approving.narrower?.kinds === undefined ? [] : [...buildView(pack, verb_key, args, views).kinds];
  const demands = demandsFor(approving, { pack_id: pack.manifest.pack_id, verb_key, kinds });
  return !demands.second_person && demands.approvers === 1 && !demands.reason_required;
}

/**
 * A person at the other end whose own `confirm` is a yes: not an agent with a person's token, and no API key, which
 * runs where nobody looks (SPEC A5).
 */
function isPersonHere({ principal, session, is_agent }: AccessRequest['caller']): boolean {
  return principal.kind === 'human' && !is_agent && session.interactive && session.api_key_id === null;
}

function hintFor(request: AccessRequest): string {
  if (!isPersonHere(request.caller)) return HINT_OTHERS;
  return oneYesIsEnough(request) ? HINT_PERSON : HINT_MORE;
}

const HINT_DENIED = 'Stop here: a person ruled this out, in every mode. Only who manages access can change the rule.';
/** What a person is told whose own confirm is enough; a face may say how to type it. */
export const HINT_PERSON = 'Check the preview; to run it, send the call again unchanged with args.confirm: true.';
const HINT_MORE = 'Your own confirm is not enough here: others have to approve it. Then rerun the call unchanged.';
const HINT_OTHERS =
  'A person has to say yes: show them the preview. After their yes, rerun the call unchanged; ' +
  'args.confirm does not count from agents, services and API keys.';
