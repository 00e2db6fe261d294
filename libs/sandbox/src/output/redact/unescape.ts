/** Takes one character that counts: its code, and the places of the first and last character it is written with. */
export type Emit = (code: number, first: number, last: number) => void;

const PERCENT = 37;
const AMPERSAND = 38;
const BACKSLASH = 92;
/** What stands for any symbol: which one does not matter. */
const SYMBOL = 32;

const CONTROL_ESCAPE = /^\\[nrtbfv]$/;
const HEX_ESCAPE = /^(?:%|\\x|\\u)([0-9a-f]*)$/i;
const ENTITY = /^&(?:#x([0-9a-f]{1,4})|#([0-9]{1,5})|amp|lt|gt|quot|apos);$/i;
const ENTITY_BEGUN = /^&(?:#x?[0-9a-f]{0,5}|[a-z]{0,4})$/i;

/**
 * Reads `%2F`, `\u002f`, `\x2f`, `\n`, `&amp;` and `&#47;` as the one character that they stand for, chunk by chunk, nested
 * ones as far as that is plain: languages differ in what they escape, but not in how.
 */
export class Unescape {
  #pending = '';
  /** Where each character of it stands. */
  #places: number[] = [];

  /** Whether nothing waits and this character begins no escape: then it is what it is. */
  isPlain(code: number): boolean {
    return this.#pending === '' && code !== PERCENT && code !== BACKSLASH && code !== AMPERSAND;
  }

  /** Where an escape began that may still become one; infinity for nowhere. */
  waitsFrom(): number {
    return this.#places[0] ?? Number.POSITIVE_INFINITY;
  }

  feed(code: number, place: number, emit: Emit): void {
    if (this.isPlain(code)) {
      emit(code, place, place);
      return;
    }
    this.#pending += String.fromCharCode(code);
    this.#places.push(place);
    const read = readEscape(this.#pending);
    if (read === 'more') return;
    if (read !== 'none') {
      const first = this.#places[0] ?? place;
      // A percent sign that was itself written as one begins another.
      this.#pending = read === PERCENT ? '%' : '';
      this.#places = read === PERCENT ? [first] : [];
      if (read !== PERCENT) emit(read, first, place);
      return;
    }
    this.#giveBack(emit);
  }

  /** What waited, as it is: its rest never came. */
  end(emit: Emit): void {
    while (this.#pending !== '') this.#giveBack(emit);
  }

  /** The first character is only itself; those behind it may begin an escape of their own. */
  #giveBack(emit: Emit): void {
    const [text, places] = [this.#pending, this.#places];
    this.#pending = '';
    this.#places = [];
    emit(text.charCodeAt(0), places[0] ?? 0, places[0] ?? 0);
    for (let at = 1; at < text.length; at += 1) this.feed(text.charCodeAt(at), places[at] ?? 0, emit);
  }
}

function readEscape(text: string): number | 'more' | 'none' {
  if (text.length === 1) return 'more';
  if (text.charCodeAt(0) === AMPERSAND) {
    const entity = ENTITY.exec(text);
    if (entity) return entity[1] ? parseInt(entity[1], 16) : entity[2] ? Number(entity[2]) : SYMBOL;
    return ENTITY_BEGUN.test(text) ? 'more' : 'none';
  }
  if (CONTROL_ESCAPE.test(text)) return SYMBOL;
  const digits = HEX_ESCAPE.exec(text)?.[1];
  if (digits === undefined) return 'none';
  const wanted = text.startsWith('\\u') ? 4 : 2;
  return digits.length < wanted ? 'more' : parseInt(digits, 16);
}
