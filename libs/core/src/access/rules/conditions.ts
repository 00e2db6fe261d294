import { compareDecimals, isPlainDecimal } from '../../text/decimal.js';
import type { Rule } from './rule.js';

export type Args = Readonly<Record<string, unknown>>;

/** A rule's `when`, taken apart once so that a decision only looks at values. */
export interface Conditions {
  readonly equals: readonly Equal[];
  readonly limits: readonly Limit[];
}

interface Equal {
  readonly name: string;
  readonly value: string;
}

interface Limit {
  readonly name: string;
  readonly max: number | null;
  readonly min: number | null;
  /** What a value that is there but no plain number counts as: it must not slip past a deny or an ask. */
  readonly otherwise: boolean;
}

export function conditionsOf({ decision, when }: Rule): Conditions {
  const { args = {}, max = {}, min = {} } = when ?? {};
  const own = (limits: Readonly<Record<string, number>>, name: string): number | null =>
    Object.hasOwn(limits, name) ? (limits[name] ?? null) : null;
  return {
    equals: Object.entries(args).map(([name, value]) => ({ name, value })),
    limits: [...new Set([...Object.keys(max), ...Object.keys(min)])].map((name) => ({
      name,
      max: own(max, name),
      // A cap alone is about amounts: a negative one is not below it but something else.
      min: own(min, name) ?? (own(max, name) === null ? null : 0),
      otherwise: decision !== 'allow',
    })),
  };
}

/**
 * Whether conditions hold for these arguments (SPEC A3). A missing value never matches. A value that is no plain number
 * fails the limit of an allow rule, but counts as matching in an ask or deny rule: what cannot be compared must not slip
 * past a limit. Arrays and objects equal nothing.
 */
export function conditionsMatch({ equals, limits }: Conditions, args: Args): boolean {
  for (const { name, value } of equals) {
    if (textOf(own(args, name)) !== value) return false;
  }
  for (const limit of limits) {
    if (!withinLimit(limit, own(args, limit.name))) return false;
  }
  return true;
}

export const conditionsHold = (rule: Rule, args: Args): boolean => conditionsMatch(conditionsOf(rule), args);

/** A value as a rule's text is compared with it; null for what equals no text. */
export function textOf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return null;
  }
}

export const own = (args: Args, name: string): unknown => (Object.hasOwn(args, name) ? args[name] : undefined);

function withinLimit({ max, min, otherwise }: Limit, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !isPlainDecimal(text)) return otherwise;
  return (max === null || compareWith(text, max) <= 0) && (min === null || compareWith(text, min) >= 0);
}

/** Decimals of at most so many characters each have a double of their own, so that doubles compare as they do. */
const EXACT_AS_DOUBLE = 15;

function compareWith(text: string, limit: number): number {
  return text.length <= EXACT_AS_DOUBLE ? Number(text) - limit : compareDecimals(text, String(limit));
}
