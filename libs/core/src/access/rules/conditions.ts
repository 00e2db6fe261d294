import { compareDecimals, isPlainDecimal } from '../../text/decimal.js';
import type { Rule } from './rule.js';

export type Args = Readonly<Record<string, unknown>>;

/**
 * Whether a rule's `when` holds for these arguments (SPEC A3). A missing value never matches. A value that is no plain
 * number fails the limit of an allow rule, but counts as matching in an ask or deny rule: what cannot be compared must
 * not slip past a limit. Arrays and objects equal nothing.
 */
export function conditionsHold(rule: Rule, args: Args): boolean {
  const { when } = rule;
  if (when === undefined) return true;
  for (const name in when.args) {
    if (!equals(own(args, name), when.args[name] ?? '')) return false;
  }
  for (const name in when.max) {
    if (!withinLimit(rule, args, name)) return false;
  }
  for (const name in when.min) {
    // Judged above where there is a max too.
    if (when.max === undefined || !Object.hasOwn(when.max, name)) {
      if (!withinLimit(rule, args, name)) return false;
    }
  }
  return true;
}

const own = (args: Args, name: string): unknown => (Object.hasOwn(args, name) ? args[name] : undefined);

function equals(value: unknown, wanted: string): boolean {
  switch (typeof value) {
    case 'string':
      return value === wanted;
    case 'number':
    case 'boolean':
      return String(value) === wanted;
    default:
      return false;
  }
}

function withinLimit({ decision, when }: Rule, args: Args, name: string): boolean {
  const value = own(args, name);
  if (value === undefined || value === null) return false;
  const text = typeof value === 'number' ? String(value) : value;
  // In a deny or ask rule, what is there but no plain number counts as matching (fail closed).
  if (typeof text !== 'string' || !isPlainDecimal(text)) return decision !== 'allow';
  const max = limitOf(when?.max, name);
  const min = limitOf(when?.min, name);
  if (max !== undefined && compareDecimals(text, String(max)) > 0) return false;
  // A cap alone is about amounts: a negative one is not below it but something else.
  const floor = min ?? (max === undefined ? undefined : 0);
  return floor === undefined || compareDecimals(text, String(floor)) >= 0;
}

const limitOf = (limits: Readonly<Record<string, number>> | undefined, name: string): number | undefined =>
  limits !== undefined && Object.hasOwn(limits, name) ? limits[name] : undefined;
