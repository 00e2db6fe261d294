import { strictness } from '../access/settings/judge.js';
import { isControlWord } from '../args/control.js';
import type { Denial } from '../errors/codes.js';
import type { Operation } from '../packs/policy.js';
import type { Pack } from '../packs/pack.js';
import { fillSteps, isDynamic, MAX_ALL_STEPS, MAX_STEP_DEPTH, type Step } from '../packs/steps.js';
import type { Command } from '../packs/surface.js';
import type { DecideRequest, Decision, Plan, StepPlan } from './types.js';

export type DecidedSteps =
  | {
      readonly ok: true;
      readonly steps: readonly StepPlan[];
      /** The step of which the settings said the strictest. */
      readonly strictest: Plan | null;
      readonly asks: boolean;
      readonly writes: boolean;
    }
  | { readonly ok: false; readonly denial: Denial };

/** The way from the call that was sent to the command that is looked at. */
export interface Way {
  /** The commands whose step it is, from the call downwards. */
  readonly path: readonly string[];
  /** Steps of the whole call that were looked at so far; one count for all of its ways. */
  readonly looked_at: { count: number };
}

/** How the whole of a call is decided; given by `decide`, which this belongs to. */
type DecideOne = (request: DecideRequest, way: Way) => Decision;

/**
 * Every step of a composite through the whole pipeline, before any of them runs (SPEC W6): a refusal of one refuses the
 * call, and a question of one is a question of the call. A step that waits for a result is looked at again with it.
 */
export function decideSteps(
  request: DecideRequest,
  { pack, command, args }: { readonly pack: Pack; readonly command: Command; readonly args: Plan['args'] },
  { path, looked_at }: Way,
  decideOne: DecideOne,
): DecidedSteps {
  const { pack_id } = pack.manifest;
  const here = `${pack_id}.${request.envelope.verb_key}`;
  const steps: StepPlan[] = [];
  let strictest: Plan | null = null;
  let asks = false;
  let wrote: string | null = null;
  for (const step of command.steps ?? []) {
    const inner = stepRequest(request, pack_id, step, isDynamic(step) ? step.args : (fill(step, args) ?? step.args));
    const name = `${inner.envelope.pack_id}.${inner.envelope.verb_key}`;
    if (path.includes(name) || name === here) return refuse(step, 'no_policy', `leads back to ${name}`);
    if (path.length >= MAX_STEP_DEPTH) return refuse(step, 'no_policy', `goes deeper than ${MAX_STEP_DEPTH} levels`);
    looked_at.count += 1;
    if (looked_at.count > MAX_ALL_STEPS) return refuse(step, 'no_policy', `comes after ${MAX_ALL_STEPS} steps`);
    const way = { path: [...path, here], looked_at };
    const decision = decideOne(isDynamic(step) ? { ...inner, without_args: true } : inner, way);
    const plan = decision.plan ?? null;
    const found = inner.facts.pack;
    if (found === null) return refused(step, denialOf(decision));
    if (isDynamic(step)) {
      // Its arguments are not there yet: what is refused for their sake is refused when they are.
      if (decision.decision === 'deny' && !WAITS.has(decision.denial.code)) return refused(step, decision.denial);
      const may_ask = decision.decision !== 'allow' || plan?.operation !== 'read';
      if (may_ask && wrote !== null) {
        return refuse(step, 'no_policy', `may ask a person when step ${wrote} has written already`);
      }
      steps.push({ step, pack: found, plan: null });
    } else {
      if (decision.decision === 'deny' || plan === null) return refused(step, denialOf(decision));
      steps.push({ step, pack: found, plan });
      asks ||= decision.decision === 'ask';
      if (strictest === null || strictness(plan.judged) > strictness(strictest.judged)) strictest = plan;
    }
    if (operationOf(decision) !== 'read') wrote ??= step.name;
  }
  return { ok: true, steps, strictest, asks, writes: wrote !== null };
}

/**
 * The call of one step, on the caller's own rights and words. A word is a yes to what its speaker could see: none to a
 * step whose arguments are only there once an earlier one has answered, nor to what that step runs.
 */
export function stepRequest(
  request: DecideRequest,
  pack_id: string,
  step: Step,
  args: Readonly<Record<string, unknown>>,
): DecideRequest {
  const { envelope, nested } = request;
  const { confirm, apply, mode } = envelope.args;
  const seen = !isDynamic(step);
  const words = {
    ...(confirm === true && seen && { confirm }),
    ...(apply === true && seen && { apply }),
    ...(mode === 'mock' && { mode }),
  };
  const target = step.pack_id ?? pack_id;
  return {
    ...request,
    envelope: {
      pack_id: target,
      verb_key: step.verb_key,
      // What a pack writes is no word of the caller's.
      args: { ...Object.fromEntries(Object.entries(args).filter(([name]) => !isControlWord(name))), ...words },
      ...(envelope.approval !== undefined && seen && { approval: envelope.approval }),
    },
    facts: nested?.(target) ?? { known: false, active: false, pack: null },
  };
}

/** Refusals that depend on arguments. */
const WAITS: ReadonlySet<Denial['code']> = new Set(['denied_by_rule']);

function fill(step: Step, args: Plan['args']): Record<string, unknown> | null {
  const filled = fillSteps(step, args, {});
  return filled.ok ? filled.args : null;
}

/** One that is not known counts as a write. */
const operationOf = (decision: Decision): Operation =>
  (decision.decision === 'allow' ? decision.plan.operation : decision.known.operation) ?? 'write';

const denialOf = (decision: Decision): Denial =>
  decision.decision === 'allow'
    ? { code: 'internal', error: 'the call could not be decided', hint: 'Nothing ran. Tell the operator.' }
    : decision.denial;

const refused = (step: Step, { code, error, hint }: Denial): DecidedSteps => ({
  ok: false,
  denial: { code, error: `step ${step.name}: ${error}`, hint },
});

const refuse = (step: Step, code: Denial['code'], why: string): DecidedSteps =>
  refused(step, { code, error: why, hint: 'The steps of the pack have to be written otherwise.' });
