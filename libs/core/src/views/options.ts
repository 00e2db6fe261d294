import type { Rule } from '../access/rules/rule.js';
import type { PolicyRow } from '../packs/policy.js';
import type { BuiltView } from './build.js';

/** An answer that a host may put next to the card; it sends back only the kind (SPEC C4). */
export type ApprovalOption =
  { readonly kind: 'allow_once' } | { readonly kind: 'allow_session'; readonly rule: Rule } | { readonly kind: 'deny' };

/** Each such call is a decision of its own. */
const NEVER_FOR_A_SESSION: readonly string[] = ['removal', 'payment', 'publish', 'event'];

/** Arguments that say who gets a message. */
const AUDIENCE: readonly string[] = ['to', 'recipient', 'recipients', 'channel', 'cc', 'bcc'];

export interface OptionsCommand {
  readonly pack_id: string;
  readonly verb_key: string;
  readonly row: PolicyRow;
  /** Every argument that the command takes. */
  readonly argument_names: ReadonlySet<string>;
}

/**
 * The answers to one card. `allow_session` carries the rule it stands for; a message's binds the audience that the
 * person saw.
 * @param args as the command gets them
 */
export function approvalOptions(
  command: OptionsCommand,
  built: BuiltView,
  args: Readonly<Record<string, unknown>>,
): readonly ApprovalOption[] {
  const rule = sessionRule(command, built, args);
  const once: ApprovalOption = { kind: 'allow_once' };
  const deny: ApprovalOption = { kind: 'deny' };
  return rule === null ? [once, deny] : [once, { kind: 'allow_session', rule }, deny];
}

function sessionRule(
  command: OptionsCommand,
  { view, kinds }: BuiltView,
  args: Readonly<Record<string, unknown>>,
): Rule | null {
  if (command.row.confirm === 'always' || NEVER_FOR_A_SESSION.some((kind) => kinds.has(kind))) return null;
  const rule: Rule = { match: `${command.pack_id}.${command.verb_key}`, decision: 'allow', note: 'session' };
  if (!kinds.has('message')) return rule;
  const bound = audience(command, view.sources, args);
  return bound === null ? null : { ...rule, when: { args: bound } };
}

/**
 * What the rule must hold fast. Null where it could not: an argument that is left out now could name others later, and
 * a rule has no words for "left out".
 */
function audience(
  { argument_names }: OptionsCommand,
  sources: BuiltView['view']['sources'],
  args: Readonly<Record<string, unknown>>,
): Record<string, string> | null {
  const shown = ['to', 'cc', 'bcc'].flatMap((field) => sources[field] ?? []);
  const names = new Set([
    ...shown,
    ...AUDIENCE.filter((name) => argument_names.has(name) || Object.hasOwn(args, name)),
  ]);
  const bound: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (typeof value !== 'string' || value === '') return null;
    bound[name] = value;
  }
  return names.size > 0 ? bound : null;
}
