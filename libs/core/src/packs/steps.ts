import { z } from 'zod';
import { PACK_ID } from './manifest.js';
import { VERB_KEY, VERB_WORDS } from './names.js';

/** Steps of one command. */
export const MAX_STEPS = 20;
/** How deep steps of steps may go. */
export const MAX_STEP_DEPTH = 3;
/** Steps of one call, those of its steps included: each of them is decided before anything runs. */
export const MAX_ALL_STEPS = 100;
export const STEP_NAME = /^[a-z][a-z0-9_]{0,31}$/;

/** One step of a composite: another command, with arguments made of the composite's own (SPEC W6). */
export const stepSchema = z.strictObject({
  name: z.string().regex(STEP_NAME, 'must be lower-case letters, digits and _'),
  pack_id: z.string().regex(PACK_ID).optional().describe('The pack of the step; this one by default.'),
  verb_key: z.string().regex(VERB_KEY, VERB_WORDS),
  args: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Values, with {{name}} for an argument and {{steps.name.path}} for a part of an earlier result.'),
});

export type Step = z.infer<typeof stepSchema>;

const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)\}\}/g;
const WHOLE = new RegExp(`^${PLACEHOLDER.source}$`);

/** Every placeholder in the arguments of a step. */
export function stepPlaceholders(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stepPlaceholders);
}

/** Braces that look like a placeholder and are none. */
export function hasStrayBraces(value: unknown): boolean {
  if (typeof value === 'string') return /\{\{|\}\}/.test(value.replace(PLACEHOLDER, ''));
  return typeof value === 'object' && value !== null && Object.values(value).some(hasStrayBraces);
}

/** `{{steps.plan.id}}` names the step `plan`; null for an argument. */
export function stepOf(placeholder: string): string | null {
  const [first, name] = placeholder.split('.');
  return first === 'steps' && name !== undefined ? name : null;
}

/** Whether some argument of the step is a part of an earlier result, which is known only when that has run. */
export const isDynamic = (step: Step): boolean => stepPlaceholders(step.args).some((name) => stepOf(name) !== null);

/** Characters of all that is put in for placeholders; as much as arguments may have together (SPEC W4). */
const MAX_FILLED = 1024 * 1024;

export type FilledArgs =
  | { readonly ok: true; readonly args: Record<string, unknown> }
  | { readonly ok: false; readonly placeholder: string; readonly why: 'missing' | 'too_large' };

/**
 * The arguments of a step. A value that is one placeholder keeps its type, and is left out where the caller gave none;
 * within a longer text it is written as text, and the whole value is left out. What is put in is never looked at again.
 * @param results of the steps that have run, by name
 * @returns the placeholder of an earlier result that has no such part, or the one that made them too large, instead
 */
export function fillSteps(
  step: Step,
  args: Readonly<Record<string, unknown>>,
  results: Readonly<Record<string, unknown>>,
): FilledArgs {
  let problem: Extract<FilledArgs, { ok: false }> | null = null;
  let left = MAX_FILLED;
  const look = (placeholder: string): unknown => {
    // An answer of megabytes can be named again and again: what does not fit is not put in at all.
    if (problem !== null) return undefined;
    const earlier = stepOf(placeholder) !== null;
    const found = earlier ? placeholder.split('.').slice(1).reduce<unknown>(own, results) : own(args, placeholder);
    if (earlier && (found === undefined || found === null)) problem = { ok: false, placeholder, why: 'missing' };
    left -= charactersOf(found, left);
    if (left < 0) problem ??= { ok: false, placeholder, why: 'too_large' };
    return problem === null ? found : undefined;
  };
  const filled = fill(step.args, look) as Record<string, unknown>;
  return problem ?? { ok: true, args: filled };
}

/** About as many as its JSON has; a little more than `most` where there are more. */
function charactersOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  let sum = 2;
  for (const [key, each] of Object.entries(value)) {
    sum += key.length + charactersOf(each, most - sum);
    if (sum > most) break;
  }
  return sum;
}

function fill(value: unknown, look: (placeholder: string) => unknown): unknown {
  if (typeof value === 'string') {
    const whole = WHOLE.exec(value)?.[1];
    if (whole !== undefined) return look(whole);
    let absent = false;
    const text = value.replaceAll(PLACEHOLDER, (_, name: string) => {
      const found = look(name);
      absent ||= found === undefined || found === null;
      return typeof found === 'string' ? found : JSON.stringify(found);
    });
    return absent ? undefined : text;
  }
  if (Array.isArray(value)) return value.map((each) => fill(each, look)).filter((each) => each !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, each]): [string, unknown] => [name, fill(each, look)]);
  return Object.fromEntries(members.filter(([, each]) => each !== undefined));
}

const own = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
