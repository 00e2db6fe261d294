/** Bytes of `text` in UTF-8; a lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

/** False for a text with a surrogate that has no partner: it has no UTF-8 form, so it would change on its way. */
export function isWellFormed(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) i++;
    else if (isHigh(unit) || isLow(unit)) return false;
  }
  return true;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * Controls, and the format characters that hide, reorder or break text (bidi, zero-width, tags, line separators).
 * Blank letters (Hangul fillers, Braille blank) belong here too: they show as nothing.
 */
const INVISIBLE = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Surrogate}|\p{Default_Ignorable_Code_Point}|\u2800/gu;

/** For showing to a person: what cannot be seen is written as an escape; everything else stays (SPEC C3). */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (char) => {
    const point = char.codePointAt(0) ?? 0;
    if (point === 0x0a) return '\\n';
    if (point === 0x0d) return '\\r';
    if (point === 0x09) return '\\t';
    return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`;
  });
}

const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** A caller's own key as it may stand in an error; a strange one is not repeated. */
export const nameForError = (name: string): string => (PLAIN_NAME.test(name) ? name : '(unprintable name)');
