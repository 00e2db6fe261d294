import { isWellFormed } from '../text/unicode.js';

/** Shorter secrets are not taken: hiding them in output would blank ordinary text (SPEC B4). */
export const MIN_SECRET_LENGTH = 6;
/** UTF-16 units of one field. */
export const MAX_SECRET_LENGTH = 4096;

/** How long a secret is to whoever looks for it: white space between its parts does not count. */
export const secretLength = (value: string): number => value.replace(/[\t-\r ]/g, '').length;

/** What is wrong with the value of a secret field, or null (SPEC B6). Says nothing of the value itself. */
export function refuseSecretValue(value: string): string | null {
  // A program that reads its environment line by line would take the rest for a variable of its own.
  if (/[\n\v\f\r\u0085\u2028\u2029]/.test(value)) return 'holds a line break';
  if (value.includes('\0')) return 'holds a NUL';
  if (!isWellFormed(value)) return 'is not valid Unicode';
  if (secretLength(value) < MIN_SECRET_LENGTH) {
    return `is too short to be hidden in output: at least ${MIN_SECRET_LENGTH} characters`;
  }
  if (value.length > MAX_SECRET_LENGTH) return `is too long: at most ${MAX_SECRET_LENGTH} characters`;
  return null;
}
