import type { ViewKind, ViewRule } from './view.js';

/** The names that a view is inferred from. */
export interface Named {
  readonly pack_id: string;
  readonly verb_key: string;
  /** Names of the arguments that were given. */
  readonly given: ReadonlySet<string>;
}

/** The words of a command's name: `mail.send-all` is mail, send, all. */
export const wordsOf = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[._-]+/)
    .filter(Boolean);

/** The first rule that fits, or null: then it is a plain command. */
export function inferRule(rules: readonly ViewRule[], { pack_id, verb_key, given }: Named): ViewRule | null {
  const verb = wordsOf(verb_key);
  const all = [...wordsOf(pack_id), ...verb];
  return (
    rules.find(
      (rule) =>
        rule.words.some((word) => verb.includes(word)) &&
        (rule.about === undefined || rule.about.some((word) => all.includes(word))) &&
        (rule.needs ?? []).every((names) => names.some((name) => given.has(name))),
    ) ?? null
  );
}

/** The kinds that signals and session options look at: what was declared and what was inferred (SPEC C2). */
export function kindsOf(declared: string | undefined, inferred: ViewKind | null): ReadonlySet<string> {
  return new Set([declared, inferred].filter((kind) => kind !== undefined && kind !== null));
}
