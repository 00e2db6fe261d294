import { isControlWord } from '../../args/control.js';
import { DEFAULT_VIEW_RULES } from '../../views/default-rules.js';
import { inferRule, titleOf } from '../../views/infer.js';
import { argumentNames } from '../lookup.js';
import type { Manifest } from '../manifest.js';
import type { Command } from '../surface.js';

type Preview = NonNullable<Command['preview']>;

/** Longest name of a field; a longer argument is shown among the rest. */
const MAX_FIELD = 60;

/**
 * The exact preview JSON for a command that has none (finding M025), by the rules that infer a card: the card stays what
 * it was, and its words are then the pack's to change. Every argument gets a field.
 */
export function suggestPreview(manifest: Manifest, verb_key: string, command: Command): Preview {
  const names = [...argumentNames(manifest, command)].filter((name) => !isControlWord(name));
  const rule = inferRule(DEFAULT_VIEW_RULES, { pack_id: manifest.pack_id, verb_key, given: new Set(names) });
  const sources = new Map(
    Object.entries(rule?.fields ?? {}).flatMap(([field, aliases]) => {
      const source = aliases.find((alias) => names.includes(alias));
      return source === undefined ? [] : [[field, source] as const];
    }),
  );
  const used = new Set(sources.values());
  const rest = names.filter((name) => !used.has(name) && name.length <= MAX_FIELD);
  const fields = [...sources, ...rest.map((name) => [name, name] as const)];
  return {
    kind: rule?.kind ?? 'command',
    title: titleOf(rule, verb_key, (field) => placeholder(sources.get(field), command)),
    fields: Object.fromEntries(fields.map(([field, name]) => [field, `{{${name}}}`])),
  };
}

/** A title is no place for what a call may leave out, where the command says what it may. */
function placeholder(name: string | undefined, { args }: Command): string | null {
  if (name === undefined || (args !== undefined && !(args.required ?? []).includes(name))) return null;
  return `{{${name}}}`;
}
