const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const JSON_NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A plain decimal number as text: no exponent, hex, blanks or unit (SPEC A3, E4). */
export const isPlainDecimal = (text: string): boolean => DECIMAL.test(text);

/**
 * Whether a double holds exactly the number that was written: `2.80` yes, `9007199254740993`, `1e400`, `-0` and
 * `0.10000000000000000001` no. The text may be any JSON number. (SPEC E4)
 */
export function numberRoundTrips(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  const written = digits(text);
  const held = digits(String(value));
  return written !== null && held !== null && written === held;
}

/** Whether a number that JSON already parsed can be trusted to be what was written. */
export const isFaithfulNumber = (value: number): boolean =>
  Number.isFinite(value) && !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value));

/** One spelling for each decimal number: sign, digits without outer zeros, power of ten. */
function digits(text: string): string | null {
  const match = JSON_NUMBER.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const all = (whole + fraction).replace(/^0+/, '');
  if (all === '') return '0';
  const significant = stripZeros(all);
  const exponent = Number(power) - fraction.length + (all.length - significant.length);
  return `${sign}${significant}e${exponent}`;
}

/** Not by a regular expression: `/0+$/` takes quadratic time on long runs of zeros. */
function stripZeros(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '0') end--;
  return text.slice(0, end);
}
