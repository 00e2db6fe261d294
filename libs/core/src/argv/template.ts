/** A token of `cli[]` or `argv_template`, cut into literal text and placeholders. */
export interface TemplateToken {
  readonly source: string;
  /** Texts at even, argument names at odd places, as `String.split` with one group gives them. */
  readonly parts: readonly string[];
  readonly names: readonly string[];
}

const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}\}/;

/** Cuts a token once; what a value holds is never looked at again (SPEC W1). */
export function parseToken(source: string): TemplateToken {
  const parts = source.split(new RegExp(PLACEHOLDER, 'g'));
  return { source, parts, names: parts.filter((_, index) => index % 2 === 1) };
}

/** Only literal text. */
export const isLiteral = (token: TemplateToken): boolean => token.names.length === 0;

/** Just `{{name}}`, nothing around it. */
export const isBare = (token: TemplateToken): boolean =>
  token.names.length === 1 && token.parts[0] === '' && token.parts[2] === '';

/** A literal such as `--memo` or `-m`: what may stand in front of its value. `--` and `-` are no flags. */
export const isBareFlag = (token: TemplateToken): boolean =>
  isLiteral(token) && /^--?[A-Za-z][^=]*$/.test(token.source);

/** Braces that look like a placeholder and are none, for instance `{{ name }}`. */
export const hasMalformedPlaceholder = (token: TemplateToken): boolean =>
  token.parts.some((part, index) => index % 2 === 0 && (part.includes('{{') || part.includes('}}')));

/** Every argument that the tokens name. The first token of `cli[]` is the program's name and renders nothing. */
export function placeholdersOf(cli: readonly string[]): ReadonlySet<string> {
  return new Set(cli.slice(1).flatMap((token) => parseToken(token).names));
}
