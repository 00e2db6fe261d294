/** No such character in any pattern. */
const OTHER = 0;

/**
 * Finds many patterns at once in one step a character (Aho-Corasick, as a complete table). Patterns and the codes that
 * are fed must be in the same form; upper case ASCII letters are fed as they are.
 */
export class Matcher {
  readonly longest: number;
  /** How much of a pattern the text up to here may be the beginning of, by state. */
  readonly depth: Int32Array;
  /** The length of the longest pattern that ends here, or 0, by state. */
  readonly ends: Int32Array;
  readonly #classes: number;
  readonly #ascii = new Uint8Array(128);
  readonly #beyond = new Map<number, number>();
  readonly #table: Int32Array;

  constructor(patterns: readonly string[]) {
    let classes = 1;
    for (const pattern of patterns) {
      for (let at = 0; at < pattern.length; at += 1) {
        const code = pattern.charCodeAt(at);
        if (this.#classOf(code) !== OTHER) continue;
        if (code < 128) this.#ascii[code] = classes;
        else this.#beyond.set(code, classes);
        classes += 1;
      }
    }
    for (let code = 65; code <= 90; code += 1) this.#ascii[code] = this.#ascii[code + 32] ?? OTHER;
    this.#classes = classes;
    const most = 1 + patterns.reduce((sum, pattern) => sum + pattern.length, 0);
    const table = new Int32Array(most * classes);
    const depth = new Int32Array(most);
    const ends = new Int32Array(most);
    this.longest = patterns.reduce((length, pattern) => Math.max(length, pattern.length), 0);
    const states = this.#insert(patterns, table, depth, ends);
    complete(table, ends, classes, states);
    this.#table = table.slice(0, states * classes);
    this.depth = depth.slice(0, states);
    this.ends = ends.slice(0, states);
  }

  /** The state after one more character. */
  step(state: number, code: number): number {
    return this.#table[state * this.#classes + this.#classOf(code)] ?? 0;
  }

  #classOf(code: number): number {
    return (code < 128 ? this.#ascii[code] : this.#beyond.get(code)) ?? OTHER;
  }

  #insert(patterns: readonly string[], table: Int32Array, depth: Int32Array, ends: Int32Array): number {
    let states = 1;
    for (const pattern of patterns) {
      let state = 0;
      for (let at = 0; at < pattern.length; at += 1) {
        const cell = state * this.#classes + this.#classOf(pattern.charCodeAt(at));
        if (table[cell] === 0) {
          table[cell] = states;
          depth[states] = at + 1;
          states += 1;
        }
        state = table[cell] ?? 0;
      }
      ends[state] = pattern.length;
    }
    return states;
  }
}

/** Gives each state, in order of depth, the way of its longest suffix where it has none of its own. */
function complete(table: Int32Array, ends: Int32Array, classes: number, states: number): void {
  const suffix = new Int32Array(states);
  const queue = new Int32Array(states);
  let tail = 0;
  for (let each = 1; each < classes; each += 1) {
    const child = table[each] ?? 0;
    if (child !== 0) queue[tail++] = child;
  }
  for (let head = 0; head < tail; head += 1) {
    const state = queue[head] ?? 0;
    const shorter = suffix[state] ?? 0;
    if (ends[state] === 0) ends[state] = ends[shorter] ?? 0;
    for (let each = 1; each < classes; each += 1) {
      const cell = state * classes + each;
      const child = table[cell] ?? 0;
      const other = table[shorter * classes + each] ?? 0;
      if (child === 0) table[cell] = other;
      else {
        suffix[child] = other;
        queue[tail++] = child;
      }
    }
  }
}
