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

/**
 * The first title of the rule whose fields are all there; the command's own words where none is.
 * @param shown what stands for a field, or null where it has nothing
 */
export function titleOf(rule: ViewRule | null, verb_key: string, shown: (field: string) => string | null): string {
  const verb = capitalised(wordsOf(verb_key).join(' '));
  const value = (name: string): string | null => (name === 'verb' ? verb : shown(name));
  const template = rule?.titles.find((title) => namesIn(title).every((name) => value(name) !== null)) ?? '{verb}';
  return template.replace(FIELD, (_whole, name: string) => value(name) ?? '');
}

const FIELD = /\{([a-z_]+)\}/g;
const namesIn = (title: string): string[] => [...title.matchAll(FIELD)].map(([, name]) => name ?? '');
const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The kinds that signals and session options look at: what was declared and what was inferred (SPEC C2). */
export function kindsOf(declared: string | undefined, inferred: ViewKind | null): ReadonlySet<string> {
  return new Set([declared, inferred].filter((kind) => kind !== undefined && kind !== null));
}
