import type { Matcher } from './matcher.js';

/** Longer runs of ignored characters part what stands around them: it bounds what has to wait. */
const MAX_IGNORED = 64;
/** So much of a secret at the very end of the output is hidden, though its rest never came. */
const MIN_CUT = 8;

const BACKSLASH = 92;
const ESCAPED_SPACE: ReadonlySet<number> = new Set([...'nrt'].map((char) => char.charCodeAt(0)));

/** Which characters of a text are passed over. */
export type Ignore = (code: number) => boolean;

export const ignoreSpace: Ignore = (code) => code === 32 || (code >= 9 && code <= 13);
export const ignoreSymbols: Ignore = (code) =>
  code < 48 || (code > 57 && code < 65) || (code > 90 && code < 97) || (code > 122 && code < 128);

/** Walks over one text, character by character, and knows where a secret that ends here began. */
export class Scanner {
  #state = 0;
  #ignored = 0;
  #backslash = false;
  /** Where the last characters that counted stand. */
  readonly #places: Float64Array;
  #count = 0;

  /** @param escapes `\n`, `\r` and `\t`, as JSON writes them, are passed over too */
  constructor(
    private readonly matcher: Matcher,
    private readonly ignore: Ignore,
    private readonly escapes: boolean,
  ) {
    this.#places = new Float64Array(Math.max(1, matcher.longest));
  }

  /** @returns where the longest secret that ends with this character begins, or -1 */
  feed(code: number, place: number): number {
    const escaped = this.escapes && this.#backslash && ESCAPED_SPACE.has(code);
    this.#backslash = code === BACKSLASH && !this.#backslash;
    if (escaped || this.ignore(code)) {
      this.#ignored += 1;
      if (this.#ignored > MAX_IGNORED) this.#state = 0;
      return -1;
    }
    this.#ignored = 0;
    this.#places[this.#count % this.#places.length] = place;
    this.#count += 1;
    this.#state = this.matcher.step(this.#state, code);
    const length = this.matcher.ends[this.#state] ?? 0;
    return length === 0 ? -1 : this.#back(length);
  }

  /** Where a secret that is not complete yet may have begun; infinity for nowhere. */
  waitsFrom(): number {
    const depth = this.matcher.depth[this.#state] ?? 0;
    return depth === 0 ? Number.POSITIVE_INFINITY : this.#back(depth);
  }

  /** What stands there of a secret that the end of the output cut off, or null. */
  cut(): { start: number; end: number } | null {
    const depth = this.matcher.depth[this.#state] ?? 0;
    return depth < MIN_CUT ? null : { start: this.#back(depth), end: this.#back(1) + 1 };
  }

  #back(length: number): number {
    return this.#places[(this.#count - length) % this.#places.length] ?? 0;
  }
}
