import type { Matcher } from './matcher.js';

/** Longer runs of ignored characters part what stands around them: it bounds what has to wait. */
const MAX_IGNORED = 64;
/** So much of a secret at the very end of the output is hidden, though its rest never came. */
const MIN_CUT = 8;

const BACKSLASH = 92;
const ESCAPED_SPACE: ReadonlySet<number> = new Set([...'nrt'].map((char) => char.charCodeAt(0)));

/** Part of a text, by the places of its first character and of the one after its last. */
export interface Interval {
  start: number;
  end: number;
}

/** Which characters of a text are passed over, by their code; all beyond ASCII count. */
export type Ignored = Uint8Array;

const asciiWhere = (ignored: (code: number) => boolean): Ignored =>
  Uint8Array.from({ length: 128 }, (_, code) => (ignored(code) ? 1 : 0));

export const SPACE: Ignored = asciiWhere((code) => code === 32 || (code >= 9 && code <= 13));
export const SYMBOLS: Ignored = asciiWhere((code) => !/[A-Za-z0-9]/.test(String.fromCharCode(code)));

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
    private readonly skip: Ignored,
    private readonly escapes: boolean,
  ) {
    this.#places = new Float64Array(Math.max(1, matcher.longest));
  }

  /** Walks on over `text`, whose first character is at `from`. Answers what ends in it, in order and apart. */
  scan(text: string, from: number): Interval[] {
    const { matcher, skip, escapes } = this;
    const places = this.#places;
    const found: Interval[] = [];
    let last: Interval | undefined;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const escaped = escapes && this.#backslash && ESCAPED_SPACE.has(code);
      if (escapes) this.#backslash = code === BACKSLASH && !this.#backslash;
      if (escaped || (code < 128 && skip[code] === 1)) {
        this.#ignored += 1;
        if (this.#ignored > MAX_IGNORED) this.#state = 0;
        continue;
      }
      this.#ignored = 0;
      places[this.#count % places.length] = from + at;
      this.#count += 1;
      this.#state = matcher.step(this.#state, code);
      const length = matcher.ends[this.#state] ?? 0;
      if (length === 0) continue;
      let start = this.#back(length);
      while (last && last.end > start) {
        start = Math.min(start, last.start);
        found.pop();
        last = found.at(-1);
      }
      last = { start, end: from + at + 1 };
      found.push(last);
    }
    return found;
  }

  /** Where a secret that is not complete yet may have begun; infinity for nowhere. */
  waitsFrom(): number {
    const depth = this.matcher.depth[this.#state] ?? 0;
    return depth === 0 ? Number.POSITIVE_INFINITY : this.#back(depth);
  }

  /** What stands there of a secret that the end of the output cut off, or null. */
  cut(): Interval | null {
    const depth = this.matcher.depth[this.#state] ?? 0;
    return depth < MIN_CUT ? null : { start: this.#back(depth), end: this.#back(1) + 1 };
  }

  #back(length: number): number {
    return this.#places[(this.#count - length) % this.#places.length] ?? 0;
  }
}
