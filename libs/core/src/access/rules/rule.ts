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

/** A rule in force, with where it was written. */
export interface SetRule extends Rule {
  /** The stored rule's id. */
  readonly id?: string | undefined;
  readonly layer?: Layer | undefined;
  /** Of an allow rule that names one command: the digest of that command's text when a person wrote it (SPEC P7). */
  readonly text?: string | undefined;
  /** Of a rule that ends with a new version of its pack (SPEC C4). */
  readonly pack_digest?: string | undefined;
}

/** Where a setting comes from, from the widest to the narrowest (SPEC A6). */
export const LAYERS = ['platform', 'tenant', 'pack', 'member', 'session', 'project', 'process'] as const;
export type Layer = (typeof LAYERS)[number];

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
/** What a database keeps as it is: no NUL, no half surrogate. */
const STORABLE = /^[^\0\p{Cs}]*$/u;
/** The same on one line, as a log shows it. */
const LINE = /^[^\p{Cc}\p{Cs}]*$/u;
const equals = z
  .union([z.string().max(4096).regex(STORABLE, 'must be well-formed text without NUL'), z.number(), z.boolean()])
  .transform(String)
  .pipe(z.string());

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
  note: z.string().max(500).regex(LINE, 'must be one line of well-formed text').optional(),
});

/** Whether it names exactly one command: only such an allow lets `confirm: "always"` run (SPEC A2). */
export const isExact = (rule: Pick<Rule, 'match'>): boolean => parseMatch(rule.match)?.kind === 'command';

/** The arguments that a rule's conditions name. */
export function conditionNames(when: Rule['when']): string[] {
  return [...new Set([when?.args, when?.max, when?.min].flatMap((part) => Object.keys(part ?? {})))];
}
