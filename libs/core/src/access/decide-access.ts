import type { Control } from '../args/control.js';
import type { Denial } from '../errors/codes.js';
import type { AccessSummary } from '../envelope/result.js';
import type { PolicyRow } from '../packs/policy.js';
import type { Caller } from '../principal/principal.js';

/** Everything that step 4 looks at, in one object; settings, rules and approvals join it here. */
export interface AccessRequest {
  readonly caller: Pick<Caller, 'principal' | 'session' | 'is_agent'>;
  readonly row: PolicyRow;
  readonly control: Control;
}

/** Who said yes, as the audit names it (SPEC U1). */
export type ApprovedBy = 'human' | 'mode';

export type AccessDecision =
  | { readonly decision: 'allow'; readonly mode: string; readonly approved_by: ApprovedBy }
  | { readonly decision: 'ask'; readonly access: AccessSummary; readonly denial: Denial };

/** The mode where nobody has set one (SPEC A1). */
const MODE = 'auto';
/** Only a person's yes counts (SPEC A5). */
const APPROVALS = 'human';

/** Step 4: does the call run now, or is a person asked first (SPEC A1, A2, A5)? */
export function decideAccess(request: AccessRequest): AccessDecision {
  const { caller, row, control } = request;
  const asked = reasonToAsk(row.confirm);
  if (asked === null) return { decision: 'allow', mode: MODE, approved_by: 'mode' };
  const person = isPersonHere(caller);
  if (person && control.confirm) return { decision: 'allow', mode: MODE, approved_by: 'human' };
  return {
    decision: 'ask',
    access: { mode: MODE, ...asked, approvals: APPROVALS },
    denial: { code: 'confirm_required', error: 'confirm required', hint: person ? HINT_PERSON : HINT_OTHERS },
  };
}

function reasonToAsk(confirm: PolicyRow['confirm']): Pick<AccessSummary, 'reason' | 'reason_code'> | null {
  if (confirm === false) return null;
  return confirm === true
    ? { reason: 'Policy confirm true: mode auto asks', reason_code: 'confirm' }
    : { reason: 'Policy confirm "always": every mode asks', reason_code: 'confirm_always' };
}

/**
 * A person at the other end whose own `confirm` is a yes: not an agent with a person's token, and no API key, which
 * runs where nobody looks (SPEC A5).
 */
function isPersonHere(caller: AccessRequest['caller']): boolean {
  const { principal, session, is_agent } = caller;
  return principal.kind === 'human' && !is_agent && session.interactive && session.api_key_id === null;
}

const HINT_PERSON = 'Check the preview; to run it, send the call again unchanged with args.confirm: true.';
const HINT_OTHERS =
  'A person has to say yes: show them the preview. After their yes, rerun the call unchanged; ' +
  'args.confirm does not count from agents, services and API keys.';
