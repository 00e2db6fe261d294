import { askDenial, decideAccess, type AccessDecision } from '../access/decide-access.js';
import { strictness, type Judgement } from '../access/settings/judge.js';
import { effectiveApprovals } from '../access/settings/layers.js';
import { splitControl, type Control } from '../args/control.js';
import { validateArgs } from '../args/validate.js';
import { renderPreview } from '../argv/preview.js';
import { renderArgv } from '../argv/render.js';
import { allows } from '../authz/allows.js';
import { defaultAuthorize, requiredCapability } from '../authz/authorize.js';
import type { Denial } from '../errors/codes.js';
import { renderRequest } from '../http/render-request.js';
import { argumentNames, commandFamily, workspaceMode } from '../packs/lookup.js';
import { isWrapped, type Family } from '../packs/manifest.js';
import type { Command } from '../packs/surface.js';
import type { Caller } from '../principal/principal.js';
import { judgeLand } from './land.js';
import { resolve, type Resolved } from './resolve.js';
import { decideSteps, type Way } from './steps.js';
import type { DecideRequest, Decision, KnownFacts, Plan } from './types.js';

/**
 * Steps 1 to 4 of the pipeline (SPEC E3), pure: the first denial wins, nothing is looked at after it. It never throws;
 * what goes wrong inside is a refusal too.
 */
export function decide(request: DecideRequest): Decision {
  try {
    return decideOrThrow(request, { path: [], looked_at: { count: 0 } });
  } catch {
    // Nothing of the failure is repeated: its message may hold a value.
    return deny(
      { code: 'internal', error: 'the call could not be decided', hint: 'Nothing ran. Tell the operator.' },
      {},
    );
  }
}

function decideOrThrow(request: DecideRequest, way: Way): Decision {
  const { envelope, caller } = request;
  const found = resolve(request);
  if (!found.ok) return deny(found.denial, {});
  const { pack, row } = found;
  const { verb_key } = envelope;

  const { control, rendered } = splitControl(found.command, envelope.args);
  const plan = planOf(request, found, control, rendered);
  const known = knownOf(plan);

  const land = judgeLand({ ...plan, member_of: caller.authority.member_of });
  if (land !== null) return deny(land, known);

  const right = judgeRights(request, plan);
  if (right !== null) return deny(right, known);

  if (request.without_args !== true) {
    const args = validateArgs(found.command, rendered, request.check) ?? judgeRendering(plan, found.command);
    if (args !== null) return deny(args, known);
  }

  const attested = judgeAttestation(request, plan);
  if (attested !== null) return deny(attested, known);

  const decided = decideAccess({
    caller,
    pack,
    verb_key,
    row,
    args: rendered,
    control,
    layers: request.access,
    attested: envelope.approval !== undefined,
    views: request.views,
  });
  if (decided.decision === 'deny') {
    return deny(decided.denial, { ...known, mode: decided.judged.mode }, decided.judged);
  }
  const whole = withSteps(request, found, plan, decided, way);
  if (!whole.ok) return deny(whole.denial, known);
  const { judged } = whole.plan;
  if (!whole.asks) return { decision: 'allow', plan: whole.plan };
  return {
    decision: 'ask',
    denial: decided.decision === 'ask' ? decided.denial : askDenial(decided.hint),
    access: {
      mode: judged.mode,
      reason: judged.reason,
      reason_code: judged.reason_code ?? 'confirm',
      approvals: effectiveApprovals(request.access),
    },
    preview: renderPreview(pack, verb_key, envelope.args),
    judged,
    plan: whole.plan,
    known: { ...known, mode: judged.mode },
  };
}

type Whole =
  { readonly ok: true; readonly plan: Plan; readonly asks: boolean } | { readonly ok: false; readonly denial: Denial };

/** The command with its steps: the strictest of what was decided of each (SPEC W6). */
function withSteps(
  request: DecideRequest,
  { pack, command, row }: Extract<Resolved, { ok: true }>,
  draft: Draft,
  own: Exclude<AccessDecision, { decision: 'deny' }>,
  way: Way,
): Whole {
  const approved_by = own.decision === 'allow' ? own.approved_by : null;
  const mine = { ...draft, mode: own.judged.mode, approved_by, judged: own.judged };
  if (command.steps === undefined) return { ok: true, plan: { ...mine, steps: [] }, asks: own.decision === 'ask' };
  const decided = decideSteps(request, { pack, command, args: draft.args }, way, decideOrThrow);
  if (!decided.ok) return decided;
  const { steps } = decided;
  if (row.operation === 'read' && decided.writes) return { ok: false, denial: WRITES };
  const asks = own.decision === 'ask' || decided.asks;
  const strictest = decided.strictest;
  const stricter = strictest !== null && strictness(strictest.judged) > strictness(own.judged);
  const counted = stricter ? strictest : mine;
  const plan = {
    ...mine,
    steps,
    judged: counted.judged,
    mode: counted.judged.mode,
    approved_by: asks ? null : counted.approved_by,
    idempotent: draft.idempotent && steps.every((each) => each.plan?.idempotent === true),
  };
  return { ok: true, plan, asks };
}

const WRITES: Denial = {
  code: 'no_policy',
  error: 'a step writes, and the policy row of the command says read',
  hint: 'The policy row has to say write.',
};

type Draft = Omit<Plan, 'mode' | 'approved_by' | 'judged' | 'steps'>;

function planOf(
  request: DecideRequest,
  found: Extract<Resolved, { ok: true }>,
  control: Control,
  args: Plan['args'],
): Draft {
  const { pack, command, row } = found;
  const { verb_key } = request.envelope;
  const { operation } = row;
  const family: Family = control.mode === 'mock' ? 'mock' : commandFamily(pack, verb_key);
  const names = argumentNames(pack.manifest, command);
  return {
    pack,
    verb_key,
    row,
    family,
    land: row.privacy.land,
    operation,
    project_id: request.project_id ?? request.caller.session.project_id,
    args,
    arg_names: Object.keys(args)
      .filter((name) => names.has(name))
      .sort(),
    control,
    workspace_mode: workspaceMode(pack.manifest),
    timeout_ms: pack.manifest.wrap?.timeout_ms ?? pack.manifest.openapi?.timeout_ms ?? null,
    idempotent: operation === 'read' && command.idempotent !== false,
  };
}

const knownOf = (plan: Draft): KnownFacts => ({
  pack_version: plan.pack.manifest.version,
  pack_digest: plan.pack.digest,
  operation: plan.operation,
  land: plan.land,
  family: plan.family,
  project_id: plan.project_id,
  arg_names: plan.arg_names,
});

/** Step 3. */
function judgeRights(
  { envelope, caller, now, authorize = defaultAuthorize }: DecideRequest,
  plan: Draft,
): Denial | null {
  const { pack_id, verb_key } = envelope;
  const { project_id, operation, land } = plan;
  const authorization = authorize(contextOf(caller, project_id, now), {
    pack_id,
    verb_key,
    operation,
    land,
    kind: 'exec',
  });
  if (!authorization.allow) {
    return missing(authorization.reason, 'Someone who manages access can grant it; until then the command cannot run.');
  }
  const only = caller.session.project_id;
  if (only !== null && project_id !== only) {
    return missing(
      `missing ${requiredCapability(operation)} for ${pack_id}.${verb_key}`,
      'This session reaches one project only.',
    );
  }
  // A platform credential serves fleet work alone, whoever holds which pack (SPEC B1).
  const fleet =
    plan.family !== 'mothership' || allows(caller.authority, { capability: 'fleet.run', pack_id, verb_key }, now);
  return fleet
    ? null
    : missing(`missing fleet.run for ${pack_id}.${verb_key}`, 'Commands with a platform credential run as fleet jobs.');
}

function contextOf(caller: Caller, project_id: string | null, now: Date): Parameters<typeof defaultAuthorize>[0] {
  const [grants = [], ...layers] = caller.authority.layers;
  return { principal: caller.principal, tenant_id: caller.tenant_id, project_id, grants, layers, now };
}

const missing = (reason: string, hint: string): Denial => ({
  code: 'missing_capability',
  error: `denied: ${reason}`,
  hint,
});

/** Step 3b: what the command line or the request cannot carry is refused before anyone is asked. */
function judgeRendering({ pack, verb_key, args }: Draft, command: Command): Denial | null {
  const { kind } = pack.manifest;
  const wrapped = isWrapped(pack.manifest);
  if (!wrapped && kind !== 'openapi') return null;
  const rendered = wrapped ? renderArgv(pack, verb_key, args) : renderRequest(command, args);
  return rendered.ok ? null : rendered.denial;
}

/** A product may say that its own UI collected the yes, if a person gave it that right; nobody else may (SPEC E1). */
function judgeAttestation({ envelope, caller, now, host_attests }: DecideRequest, plan: Draft): Denial | null {
  if (envelope.approval === undefined || host_attests === true) return null;
  const { pack_id, verb_key } = envelope;
  const need = { capability: 'approval.attest', pack_id, verb_key, project_id: plan.project_id } as const;
  if (caller.principal.kind === 'service' && !caller.is_agent && allows(caller.authority, need, now)) return null;
  return {
    code: 'human_only',
    error: 'human_only: approval is for services that a person gave approval.attest',
    hint: 'Leave "approval" out; a person answers the ask.',
  };
}

const deny = (denial: Denial, known: KnownFacts, judged?: Judgement): Decision => ({
  decision: 'deny',
  denial,
  known,
  ...(judged && { judged }),
});
