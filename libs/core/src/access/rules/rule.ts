import { z } from 'zod';
import { PACK_ID } from '../../packs/manifest.js';
import { OPERATIONS, type Operation } from '../../packs/policy.js';
import { ARG_NAME, VERB_KEY } from '../../packs/surface.js';

export const RULE_DECISIONS = ['allow', 'ask', 'deny'] as const;
export type RuleDecision = (typeof RULE_DECISIONS)[number];

/** What a person set for one command, a whole pack or everything (SPEC A3). */
export interface Rule {
  /** `pack.verb`, `pack.*` or `*`. */
  readonly match: string;
  readonly decision: RuleDecision;
  /** Every one must hold, else the rule does not apply. */
  readonly when?: {
    /** The argument, as text, equals. */
    readonly args?: Readonly<Record<string, string>>;
    /** The argument is a plain decimal of at most this; alone it must not be negative either. */
    readonly max?: Readonly<Record<string, number>>;
    /** The argument is a plain decimal of at least this. */
    readonly min?: Readonly<Record<string, number>>;
  };
  /** Only commands of this operation. */
  readonly op?: Operation;
  readonly note?: string;
}

/** How narrowly a rule names what it is about; the larger number wins (SPEC A4). */
export type Specificity = 0 | 1 | 2;

/** What a match says, taken apart. */
export type Match =
  | { readonly kind: 'all' }
  | { readonly kind: 'pack'; readonly pack_id: string }
  | { readonly kind: 'command'; readonly pack_id: string; readonly verb_key: string };

/** @returns null for what is no match; a pack_id has no dot, so the first one parts pack and command */
export function parseMatch(match: string): Match | null {
  if (match === '*') return { kind: 'all' };
  const dot = match.indexOf('.');
  const pack_id = match.slice(0, dot);
  const verb_key = match.slice(dot + 1);
  if (dot < 0 || !PACK_ID.test(pack_id)) return null;
  if (verb_key === '*') return { kind: 'pack', pack_id };
  return VERB_KEY.test(verb_key) ? { kind: 'command', pack_id, verb_key } : null;
}

/** A limit that is written like a plain decimal: `1e21` is no amount that anyone reads right. */
const limit = z.number().refine((value) => /^-?\d+(\.\d+)?$/.test(String(value)), 'must be a plain decimal number');
const argName = z.string().regex(ARG_NAME);
const equals = z.union([z.string().max(4096), z.number().transform(String), z.boolean().transform(String)]);

/** A rule as a person writes it; unknown fields and words are refused by name. */
export const ruleSchema = z.strictObject({
  match: z
    .string()
    .max(400)
    .refine((match) => parseMatch(match) !== null, 'must be pack.verb, pack.* or *'),
  decision: z.enum(RULE_DECISIONS),
  when: z
    .strictObject({
      args: z.record(argName, equals).optional(),
      max: z.record(argName, limit).optional(),
      min: z.record(argName, limit).optional(),
    })
    .refine((when) => conditionNames(when).length > 0, 'must name at least one argument')
    .optional(),
  op: z.enum(OPERATIONS).optional(),
  note: z.string().max(500).optional(),
});

/** The arguments that a rule's conditions name. */
export function conditionNames(when: Rule['when']): string[] {
  return [...new Set([when?.args, when?.max, when?.min].flatMap((part) => Object.keys(part ?? {})))];
}
