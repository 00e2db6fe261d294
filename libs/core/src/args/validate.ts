import type { Denial } from '../errors/codes.js';
import { declaresArg } from '../packs/lookup.js';
import type { Command, JsonSchema } from '../packs/surface.js';
import { placeholdersOf } from '../argv/template.js';
import { nameForError } from '../text/unicode.js';
import { findBadValue } from './values.js';
import { readDecimals } from './decimals.js';

/**
 * The host's JSON Schema validator: null for a valid value, else where and why, without the value itself.
 * `path` is a JSON pointer or a dotted name.
 */
export type SchemaCheck = (schema: JsonSchema, value: unknown) => { path: string; why: string } | null;

/** Step 3b: arguments (without control words) against what the command declares (SPEC E3, E4). */
export function validateArgs(
  command: Command,
  args: Readonly<Record<string, unknown>>,
  check: SchemaCheck,
): Denial | null {
  const bad = findBadValue(args);
  if (bad !== null) return invalidArgs(bad.path, bad.why);
  if (command.args === undefined) return null;

  const placeholders = placeholdersOf(command.cli ?? []);
  const undeclared = Object.keys(args).find((name) => !declaresArg(command, name) && !placeholders.has(name));
  if (undeclared !== undefined) return invalidArgs(nameForError(undeclared), 'is no argument of this command');

  const decimals = readDecimals(command.args, args);
  if (!decimals.ok) return invalidArgs(decimals.path, 'is a number that a double cannot hold exactly');
  const finding = check(command.args, decimals.value);
  return finding === null ? null : invalidArgs(finding.path, finding.why);
}

/** The one wording of `invalid_args`; `why` must not hold the value. */
export function invalidArgs(path: string, why: string): Denial {
  return {
    code: 'invalid_args',
    error: `invalid args: ${dotted(path)} ${why}`,
    hint: 'Correct the named argument and send the call again; the command\'s "args" in the pack tell what it takes.',
  };
}

/** Where and why, of an error that {@link invalidArgs} worded: for a form, which puts it beside the field. */
export function argsFault(error: string): { readonly path: readonly string[]; readonly why: string } | null {
  const [, path, why] = /^invalid args: (\S+) (.+)$/s.exec(error) ?? [];
  return path === undefined || why === undefined ? null : { path: path === 'args' ? [] : path.split('.'), why };
}

/** `/to/0/name` and `to.0.name` name the same thing; errors use the second. */
function dotted(path: string): string {
  if (path === '' || path === '/') return 'args';
  if (!path.startsWith('/')) return path;
  return path
    .slice(1)
    .split('/')
    .map((part) => nameForError(part.replaceAll('~1', '/').replaceAll('~0', '~')))
    .join('.');
}
