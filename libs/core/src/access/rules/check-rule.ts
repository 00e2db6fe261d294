import { argumentNames, findCommand, findPolicyRow } from '../../packs/lookup.js';
import type { Pack } from '../../packs/pack.js';
import type { PolicyRow } from '../../packs/policy.js';
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
 * or some command of the pack, has. Nothing is saved of a rule with a problem. A pack that is not there yet may be asked
 * about or denied beforehand; nothing of it may be allowed by name.
 * @param packOf the pack of an id as the tenant has it; null where it has none
 */
export function checkRule(value: unknown, packOf: (pack_id: string) => Pack | null): CheckedRule {
  const parsed = ruleSchema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    return { ok: false, problems };
  }
  const rule: Rule = parsed.data;
  const found = judgeNames(rule, packOf);
  if (found.problems.length > 0) return { ok: false, problems: found.problems };
  return { ok: true, rule, warnings: [...found.warnings, ...smallValues(rule)] };
}

interface Found {
  readonly problems: readonly RuleProblem[];
  readonly warnings: readonly RuleProblem[];
}

const NOTHING: Found = { problems: [], warnings: [] };
const problem = (path: string, message: string): Found => ({ problems: [{ path, message }], warnings: [] });

function judgeNames(rule: Rule, packOf: (pack_id: string) => Pack | null): Found {
  const match = parseMatch(rule.match);
  if (match === null) return NOTHING;
  if (match.kind === 'all') return { problems: [], warnings: everything(rule) };
  const pack = packOf(match.pack_id);
  if (pack === null) return judgeUnknownPack(rule, match.pack_id);
  const { commands } = pack.surface;
  const one = match.kind === 'command' ? findCommand(pack, match.verb_key) : null;
  if (match.kind === 'command' && one === null) return problem('match', `pack ${match.pack_id} has no such command`);
  const declared = new Set(
    (one === null ? Object.values(commands) : [one]).flatMap((command) => [...argumentNames(pack.manifest, command)]),
  );
  const problems = conditionNames(rule.when)
    .filter((name) => !declared.has(name))
    .map((name) => ({ path: `when.${partOf(rule, name)}.${name}`, message: `${rule.match} has no argument ${name}` }));
  const row = match.kind === 'command' ? findPolicyRow(pack, match.verb_key) : null;
  const warnings = row === null || rule.op === undefined || rule.op === row.operation ? [] : [neverFits(rule, row)];
  return { problems, warnings };
}

/** An allow of all that is named by nothing else. */
function everything({ decision, when, op }: Rule): RuleProblem[] {
  if (decision !== 'allow' || conditionNames(when).length > 0) return [];
  const what = op === undefined ? 'every command of every pack' : `every ${op} command of every pack`;
  return [{ path: 'match', message: `* lets ${what} run without a question` }];
}

const neverFits = ({ match, op }: Rule, { operation }: PolicyRow): RuleProblem => ({
  path: 'op',
  message: `${match} is of operation ${operation}: with op ${String(op)} this rule never fits`,
});

function judgeUnknownPack(rule: Rule, pack_id: string): Found {
  const [name] = conditionNames(rule.when);
  const missing = `there is no pack ${pack_id}`;
  if (name !== undefined) return problem(`when.${partOf(rule, name)}.${name}`, `${missing} that has this argument`);
  if (rule.decision === 'allow') return problem('match', `${missing} to allow anything of`);
  return { problems: [], warnings: [{ path: 'match', message: `${missing} yet` }] };
}

function partOf({ when }: Rule, name: string): string {
  if (when?.args && Object.hasOwn(when.args, name)) return 'args';
  return when?.max && Object.hasOwn(when.max, name) ? 'max' : 'min';
}

function smallValues(rule: Rule): RuleProblem[] {
  if (rule.decision !== 'deny') return [];
  return Object.keys(rule.when?.max ?? {}).map((name) => ({
    path: `when.max.${name}`,
    message: `a deny rule with max refuses the small values; to refuse large ones use min`,
  }));
}
