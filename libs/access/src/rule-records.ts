import type { AccessRuleRecord } from '@hcp/contracts';
import { parseMatch, type Caller, type Pack, type Rule, type SetRule } from '@hcp/core';
import type { AccessRuleRow, Tx } from '@hcp/database';
import type { LoadPack } from './ports.js';
import { ruleOf, type RuleScope } from './stored.js';
import { textDigest } from './text-digest.js';

/** A rule without where it was written, as a person wrote it. Zod's types are mutable, ours are not. */
export function plainRule({
  match,
  decision,
  when,
  op,
  note,
}: Rule): Pick<AccessRuleRecord, 'match' | 'decision' | 'when' | 'op' | 'note'> {
  return {
    match,
    decision,
    ...(when && {
      when: {
        ...(when.args && { args: { ...when.args } }),
        ...(when.max && { max: { ...when.max } }),
        ...(when.min && { min: { ...when.min } }),
      },
    }),
    ...(op !== undefined && { op }),
    ...(note !== undefined && { note }),
  };
}

export function recordOf(row: AccessRuleRow, suspended: string | null): AccessRuleRecord {
  return {
    id: row.id,
    scope: row.scope as RuleScope,
    project_id: row.project_id,
    ...plainRule(ruleOf(row)),
    suspended,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
  };
}

/** Tells why rules do not count now; loads each pack once (SPEC P7). */
export class Suspensions {
  readonly #packs = new Map<string, Pack | null>();

  constructor(
    private readonly tx: Tx,
    private readonly caller: Caller,
    private readonly load: LoadPack,
  ) {}

  /** @param project_id where the rule is asked about: its version of the pack may differ */
  async of(rule: SetRule, project_id: string | null): Promise<string | null> {
    const match = parseMatch(rule.match);
    if (rule.decision !== 'allow' || match?.kind !== 'command') return null;
    if (rule.text === undefined && rule.pack_digest === undefined) return null;
    const pack = await this.#pack(match.pack_id, project_id);
    if (pack === null) return `pack ${match.pack_id} is not there`;
    const { version } = pack.manifest;
    if (rule.pack_digest !== undefined && rule.pack_digest !== pack.digest) {
      return `pack ${match.pack_id} ${version} is another version than it was given for`;
    }
    if (rule.text === undefined || rule.text === textDigest(pack, match.verb_key)) return null;
    return `the text of ${rule.match} is another in version ${version}: read it, then write the rule again`;
  }

  async #pack(pack_id: string, project_id: string | null): Promise<Pack | null> {
    const key = `${pack_id} ${project_id ?? ''}`;
    const known = this.#packs.get(key);
    if (known !== undefined) return known;
    const pack = await this.load(this.tx, this.caller, pack_id, project_id);
    this.#packs.set(key, pack);
    return pack;
  }
}
