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

/**
 * Compares two plain decimals exactly, however long they are.
 * @returns negative, zero or positive, like a sort function
 */
export function compareDecimals(a: string, b: string): number {
  const negative_a = a.startsWith('-');
  const negative_b = b.startsWith('-');
  const sign = compareMagnitudes(negative_a ? a.slice(1) : a, negative_b ? b.slice(1) : b);
  if (negative_a === negative_b) return negative_a ? -sign : sign;
  const zeros = isZero(a) && isZero(b);
  if (zeros) return 0;
  return negative_a ? -1 : 1;
}

const isZero = (text: string): boolean => /^-?0(?:\.0+)?$/.test(text);

function compareMagnitudes(a: string, b: string): number {
  const [whole_a = '', fraction_a = ''] = a.split('.');
  const [whole_b = '', fraction_b = ''] = b.split('.');
  if (whole_a.length !== whole_b.length) return whole_a.length - whole_b.length;
  if (whole_a !== whole_b) return whole_a < whole_b ? -1 : 1;
  const length = Math.max(fraction_a.length, fraction_b.length);
  const padded_a = fraction_a.padEnd(length, '0');
  const padded_b = fraction_b.padEnd(length, '0');
  return padded_a === padded_b ? 0 : padded_a < padded_b ? -1 : 1;
}
