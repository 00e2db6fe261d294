import type { Matcher } from './matcher.js';
import { Unescape, type Emit } from './unescape.js';

/** Longer runs of ignored characters part what stands around them: it bounds what has to wait. */
const MAX_IGNORED = 64;
/** So much of a secret at the very end of the output is hidden, though its rest never came. */
const MIN_CUT = 8;

/** Part of a text, by the places of its first character and of the one after its last. */
export interface Interval {
  start: number;
  end: number;
}

/** Which ASCII characters are passed over, by their code. */
const asciiWhere = (ignored: (code: number) => boolean): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (ignored(code) ? 1 : 0));
const SPACE = asciiWhere((code) => code === 32 || (code >= 9 && code <= 13));
const SYMBOLS = asciiWhere((code) => !/[A-Za-z0-9]/.test(String.fromCharCode(code)));

/**
 * `tight`: white space is passed over. `loose`: symbols too. `decoded`: escapes are read first, and all but ASCII letters
 * and digits is passed over.
 */
export type Reading = 'tight' | 'loose' | 'decoded';

/** Walks over one text, character by character, and knows where a secret that ends here began. */
export class Scanner {
  #state = 0;
  #ignored = 0;
  /** Where the last characters that counted begin, and where the last of them ends. */
  readonly #places: Float64Array;
  #count = 0;
  #end = 0;
  readonly #ascii: Uint8Array;
  readonly #all_beyond: boolean;
  readonly #unescape: Unescape | null;
  #found: Interval[] = [];

  constructor(
    private readonly matcher: Matcher,
    reading: Reading,
  ) {
    this.#places = new Float64Array(Math.max(1, matcher.longest));
    this.#ascii = reading === 'tight' ? SPACE : SYMBOLS;
    this.#all_beyond = reading === 'decoded';
    this.#unescape = reading === 'decoded' ? new Unescape() : null;
  }

  /** Walks on over `text`, whose first character is at `from`. Answers what ends in it, in order and apart. */
  scan(text: string, from: number): Interval[] {
    const unescape = this.#unescape;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (unescape === null || unescape.isPlain(code)) this.#take(code, from + at, from + at);
      else unescape.feed(code, from + at, this.#emit);
    }
    return this.#taken();
  }

  /** What is found once nothing more comes: what the end cut off of a secret counts as well. */
  end(): Interval[] {
    this.#unescape?.end(this.#emit);
    const depth = this.matcher.depth[this.#state] ?? 0;
    if (depth >= MIN_CUT) this.#hide(this.#back(depth), this.#end);
    return this.#taken();
  }

  /** Where a secret that is not complete yet may have begun; infinity for nowhere. */
  waitsFrom(): number {
    const depth = this.matcher.depth[this.#state] ?? 0;
    const begun = depth === 0 ? Number.POSITIVE_INFINITY : this.#back(depth);
    return Math.min(begun, this.#unescape?.waitsFrom() ?? Number.POSITIVE_INFINITY);
  }

  readonly #emit: Emit = (code, first, last) => this.#take(code, first, last);

  #take(code: number, first: number, last: number): void {
    if (code < 128 ? this.#ascii[code] === 1 : this.#all_beyond) {
      this.#ignored += 1;
      if (this.#ignored > MAX_IGNORED) this.#state = 0;
      return;
    }
    this.#ignored = 0;
    this.#places[this.#count % this.#places.length] = first;
    this.#count += 1;
    this.#end = last + 1;
    this.#state = this.matcher.step(this.#state, code);
    const length = this.matcher.ends[this.#state] ?? 0;
    if (length > 0) this.#hide(this.#back(length), this.#end);
  }

  #hide(start: number, end: number): void {
    const last = this.#found.at(-1);
    if (!last || last.end <= start) {
      this.#found.push({ start, end });
      return;
    }
    last.start = Math.min(last.start, start);
    last.end = Math.max(last.end, end);
    for (let before = this.#found.at(-2); before && before.end > last.start; before = this.#found.at(-2)) {
      last.start = Math.min(last.start, before.start);
      this.#found.splice(-2, 1);
    }
  }

  #taken(): Interval[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #back(length: number): number {
    return this.#places[(this.#count - length) % this.#places.length] ?? 0;
  }
}
