import { CONTROL_WORDS } from '../../args/control.js';
import type { Command, VIEW_KINDS } from '../surface.js';

type Kind = (typeof VIEW_KINDS)[number];

interface Rule {
  readonly kind: Kind;
  /** One of these is among the command's words. */
  readonly words: readonly string[];
  /** All of these are among its arguments. */
  readonly args?: readonly string[];
  /** The command's words also hold one of these. */
  readonly about?: readonly string[];
}

/** First match wins; the same inference as a card's, in small (SPEC C2). */
const RULES: readonly Rule[] = [
  {
    kind: 'payment',
    words: ['transfer', 'pay', 'payment', 'payout', 'refund', 'withdraw', 'charge'],
    args: ['amount'],
  },
  { kind: 'message', words: ['send', 'reply', 'forward'], args: ['to', 'subject'] },
  { kind: 'event', words: ['cancel', 'create', 'invite', 'move', 'update'], about: ['calendar', 'event', 'meeting'] },
  { kind: 'removal', words: ['delete', 'remove', 'rm', 'drop', 'purge', 'destroy'] },
  { kind: 'publish', words: ['publish', 'deploy', 'release'] },
  { kind: 'change', words: ['update', 'set', 'edit', 'change', 'rename', 'move'] },
];

const TITLES: Readonly<Record<Kind, string>> = {
  payment: 'Pay',
  message: 'Send to',
  event: 'Event',
  removal: 'Remove',
  publish: 'Publish',
  change: 'Change',
  command: 'Run',
};

/** Arguments that name the thing well, best first. */
const SUBJECTS = ['payee', 'to', 'recipient', 'title', 'subject', 'name', 'id', 'path', 'file'];

/** The exact preview JSON for a command that has none (finding M025). Every argument gets a field. */
export function suggestPreview(verb_key: string, arg_names: readonly string[]): NonNullable<Command['preview']> {
  const names = arg_names.filter((name) => !(CONTROL_WORDS as readonly string[]).includes(name));
  const kind = inferKind(verb_key, names);
  const subject = SUBJECTS.find((name) => names.includes(name)) ?? names[0];
  const lead = kind === 'command' ? `${TITLES.command} ${verb_key}` : TITLES[kind];
  return {
    kind,
    title: subject === undefined ? lead : `${lead} {{${subject}}}`,
    fields: Object.fromEntries(names.filter((name) => name.length <= 60).map((name) => [name, `{{${name}}}`])),
  };
}

function inferKind(verb_key: string, names: readonly string[]): Kind {
  const words = verb_key.split(/[._-]/);
  const rule = RULES.find(
    (each) =>
      each.words.some((word) => words.includes(word)) &&
      (each.args ?? []).every((name) => names.includes(name)) &&
      (each.about === undefined || each.about.some((word) => words.includes(word))),
  );
  return rule?.kind ?? 'command';
}
