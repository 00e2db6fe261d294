import { argumentNames, findCommand } from '../../packs/lookup.js';
import type { Pack } from '../../packs/pack.js';
import { conditionNames, parseMatch, ruleSchema, type Rule } from './rule.js';

export interface RuleProblem {
  /** As in `when.max.amount`. */
  readonly path: string;
  readonly message: string;
}

export type CheckedRule =
  | { readonly ok: true; readonly rule: Rule; readonly warnings: readonly RuleProblem[] }
  | { readonly ok: false; readonly problems: readonly RuleProblem[] };

/**
 * Judges a rule that someone wants to save (SPEC A3): its shape, and that its conditions name arguments that the command,
 * or some command of the pack, has. Nothing is saved of a rule with a problem.
 * @param packOf the active pack of an id; null where the tenant has none
 */
export function checkRule(value: unknown, packOf: (pack_id: string) => Pack | null): CheckedRule {
  const parsed = ruleSchema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    return { ok: false, problems };
  }
  const rule: Rule = parsed.data;
  const problems = unknownNames(rule, packOf);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, rule, warnings: warningsFor(rule) };
}

function unknownNames(rule: Rule, packOf: (pack_id: string) => Pack | null): RuleProblem[] {
  const match = parseMatch(rule.match);
  if (match === null || match.kind === 'all') return [];
  const pack = packOf(match.pack_id);
  if (pack === null) return [{ path: 'match', message: `there is no pack ${match.pack_id}` }];
  const commands = match.kind === 'pack' ? Object.values(pack.surface.commands) : [findCommand(pack, match.verb_key)];
  if (commands[0] === null || commands[0] === undefined) {
    return [{ path: 'match', message: `pack ${match.pack_id} has no such command` }];
  }
  const declared = new Set(commands.flatMap((command) => (command ? [...argumentNames(pack.manifest, command)] : [])));
  return conditionNames(rule.when)
    .filter((name) => !declared.has(name))
    .map((name) => ({ path: `when.${partOf(rule, name)}.${name}`, message: `${rule.match} has no argument ${name}` }));
}

function partOf({ when }: Rule, name: string): string {
  if (when?.args && Object.hasOwn(when.args, name)) return 'args';
  return when?.max && Object.hasOwn(when.max, name) ? 'max' : 'min';
}

function warningsFor(rule: Rule): RuleProblem[] {
  if (rule.decision !== 'deny') return [];
  return Object.keys(rule.when?.max ?? {}).map((name) => ({
    path: `when.max.${name}`,
    message: `a deny rule with max refuses the small values; to refuse large ones use min`,
  }));
}
