import type { Judgement } from '../access/settings/judge.js';
import { effectiveApprovals, type AccessLayers } from '../access/settings/layers.js';
import { demandsFor, type Demands } from '../access/settings/settings.js';
import { renderPreview } from '../argv/preview.js';
import { argumentNames, findCommand, findPolicyRow } from '../packs/lookup.js';
import type { Pack } from '../packs/pack.js';
import type { PolicyRow } from '../packs/policy.js';
import { buildView, type ViewRules } from '../views/build.js';
import { approvalOptions } from '../views/options.js';
import type { StepPlan } from '../pipeline/types.js';
import type { View } from '../views/view.js';
import type { Card, CardStep } from './request.js';

export interface CardCall {
  readonly pack: Pack;
  readonly verb_key: string;
  readonly row: PolicyRow;
  /** Without control words. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly judged: Judgement;
  readonly steps?: readonly StepPlan[];
}

export interface CardOptions {
  readonly sessions: boolean;
  readonly views?: ViewRules | undefined;
}

/**
 * @param sessions false where no session of the requester could carry a rule, so that the option is left out
 * @param views instead of the default rules
 */
export function buildCard(
  { pack, verb_key, row, args, judged, steps = [] }: CardCall,
  layers: AccessLayers,
  { sessions, views }: CardOptions,
): Card {
  const command = findCommand(pack, verb_key);
  const built = buildView(pack, verb_key, args, views);
  const argument_names = command === null ? new Set<string>() : argumentNames(pack.manifest, command);
  const options = approvalOptions({ pack_id: pack.manifest.pack_id, verb_key, row, argument_names }, built, args);
  const shown = steps.map((each) => stepCard(each, views));
  return {
    ...whatOf(pack, verb_key, args),
    operation: row.operation,
    confirm: row.confirm,
    reason: judged.reason,
    reason_code: judged.reason_code,
    mode: judged.mode,
    approvals: effectiveApprovals(layers),
    view: withSteps(built.view, shown),
    ...(shown.length > 0 && { steps: shown }),
    // No rule could stand for what a composite comes to.
    options: sessions && shown.length === 0 ? options : options.filter(({ kind }) => kind !== 'allow_session'),
  };
}

function stepCard({ step, pack, plan }: StepPlan, views: ViewRules | undefined): CardStep {
  const { verb_key } = step;
  const args = plan?.args ?? step.args;
  const steps = (plan?.steps ?? []).map((each) => stepCard(each, views));
  return {
    name: step.name,
    ...whatOf(pack, verb_key, args),
    operation: findPolicyRow(pack, verb_key)?.operation ?? 'write',
    view: withSteps(buildView(pack, verb_key, args, views).view, steps),
    ...(steps.length > 0 && { steps }),
    later: plan === null,
  };
}

/** What a step says is said of the whole: a card must not look milder than what it lets happen. */
function withSteps(view: View, steps: readonly CardStep[]): View {
  const signals = [...view.signals, ...steps.flatMap((step) => step.view.signals)];
  return {
    ...view,
    signals: signals.filter(({ text }, at) => signals.findIndex((other) => other.text === text) === at),
    complete: view.complete && steps.every((step) => step.view.complete),
  };
}

/** Pack, command and real arguments, as every card shows them. */
function whatOf(
  pack: Pack,
  verb_key: string,
  args: Readonly<Record<string, unknown>>,
): Pick<Card, 'pack_id' | 'pack_name' | 'pack_version' | 'command' | 'summary' | 'args' | 'cli'> {
  const { pack_id, name: pack_name, version } = pack.manifest;
  const command = findCommand(pack, verb_key);
  const properties = (command?.args?.['properties'] ?? {}) as Readonly<Record<string, { description?: unknown }>>;
  return {
    pack_id,
    pack_name,
    pack_version: version,
    command: verb_key,
    summary: command?.description ?? '',
    args: Object.entries(args).map(([name, value]) => {
      const description = Object.hasOwn(properties, name) ? properties[name]?.description : undefined;
      return { name, value, ...(typeof description === 'string' && { description }) };
    }),
    cli: renderPreview(pack, verb_key, args).cli,
  };
}

/** What a yes to this call takes, by the tenant's settings of this moment (SPEC V4). */
export function demandsOn(call: CardCall, layers: AccessLayers): Required<Demands> {
  const { pack, verb_key, args, steps = [] } = call;
  const kinds = [...buildView(pack, verb_key, args).kinds];
  const own = demandsFor(layers.approving, { pack_id: pack.manifest.pack_id, verb_key, kinds });
  return steps
    .flatMap(({ plan }) => (plan === null ? [] : [demandsOn(plan, layers)]))
    .reduce<Required<Demands>>(
      (most, each) => ({
        second_person: most.second_person || each.second_person,
        approvers: Math.max(most.approvers, each.approvers),
        reason_required: most.reason_required || each.reason_required,
      }),
      own,
    );
}

/** Every command that a yes to this call lets run besides its own (SPEC V4). */
export function stepCommands(steps: readonly StepPlan[]): { readonly pack_id: string; readonly verb_key: string }[] {
  return steps.flatMap(({ plan }) =>
    plan === null
      ? []
      : [{ pack_id: plan.pack.manifest.pack_id, verb_key: plan.verb_key }, ...stepCommands(plan.steps)],
  );
}
