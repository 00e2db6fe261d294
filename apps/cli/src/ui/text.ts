import { escapeInvisible } from '@hcp/core';

/** One line of text that came from elsewhere, safe on a terminal (SPEC C3). */
export const oneLine = (text: string): string => escapeInvisible(text);

/** Text of several lines: line ends and tabs stay, everything else that cannot be seen is written as an escape. */
export const manyLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.split('\t').map(escapeInvisible).join('\t'))
    .join('\n');

/** The same JSON value, with what cannot be seen as JSON escapes; safe to print anywhere. */
export function safeJson(value: unknown, indent: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  return text
    .split('\n')
    .map((line) => (escapeInvisible(line) === line ? line : Array.from(line, escapeForJson).join('')))
    .join('\n');
}

function escapeForJson(char: string): string {
  if (escapeInvisible(char) === char) return char;
  return Array.from(
    { length: char.length },
    (_, unit) => `\\u${char.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('');
}
