import type { FieldError } from '@hcp/contracts';
import { checkRule, isExact, parseMatch, type Caller, type Pack, type Rule } from '@hcp/core';
import type { Tx } from '@hcp/database';
import type { LoadPack } from './ports.js';
import { packOfMatch } from './rights.js';
import { textDigest } from './text-digest.js';

/** A rule that may be saved, with what binds it to the command that its author read. */
export interface Checked {
  readonly rule: Rule;
  readonly command_text: string | null;
}

export interface CheckedRules {
  readonly rules: readonly Checked[];
  readonly errors: readonly FieldError[];
  readonly warnings: readonly FieldError[];
}

/**
 * Checks rules against the packs as the tenant has them; nothing is saved where there are errors (SPEC A3).
 * @param at the JSON pointer of each rule
 */
export async function checkRules(
  tx: Tx,
  caller: Caller,
  load: LoadPack,
  given: readonly unknown[],
  project_id: string | null,
  at: (index: number) => string,
): Promise<CheckedRules> {
  const packs = await packsOf(tx, caller, load, given, project_id);
  const packOf = (pack_id: string): Pack | null => packs.get(pack_id) ?? null;
  const rules: Checked[] = [];
  const errors: FieldError[] = [];
  const warnings: FieldError[] = [];
  for (const [index, value] of given.entries()) {
    const pointed = ({ path, message }: { path: string; message: string }): FieldError => ({
      path: `${at(index)}/${path.split('.').join('/')}`,
      message,
    });
    const checked = checkRule(value, packOf);
    if (checked.ok) {
      rules.push({ rule: checked.rule, command_text: textFor(checked.rule, packOf) });
      warnings.push(...checked.warnings.map(pointed));
    } else errors.push(...checked.problems.map(pointed));
  }
  return { rules, errors, warnings };
}

async function packsOf(
  tx: Tx,
  caller: Caller,
  load: LoadPack,
  given: readonly unknown[],
  project_id: string | null,
): Promise<ReadonlyMap<string, Pack | null>> {
  const matches = given.map((value) => (value as { match?: unknown } | null)?.match);
  const ids = new Set(matches.map((match) => (typeof match === 'string' ? packOfMatch(match) : null)));
  const packs = new Map<string, Pack | null>();
  for (const pack_id of ids) {
    if (pack_id !== null) packs.set(pack_id, await load(tx, caller, pack_id, project_id));
  }
  return packs;
}

function textFor(rule: Rule, packOf: (pack_id: string) => Pack | null): string | null {
  if (rule.decision !== 'allow' || !isExact(rule)) return null;
  const match = parseMatch(rule.match);
  const pack = match?.kind === 'command' ? packOf(match.pack_id) : null;
  return match?.kind === 'command' && pack !== null ? textDigest(pack, match.verb_key) : null;
}
