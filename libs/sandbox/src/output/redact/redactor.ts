import { Matcher } from './matcher.js';
import { Scanner, type Interval, type Reading } from './scanner.js';
import { patternsOf } from './spellings.js';

/** What stands in the output where a secret stood. */
export const REDACTED = '[redacted]';

/** The secrets of one run, made ready once for both streams. */
export class Secrets {
  readonly #matchers: readonly (readonly [Reading, Matcher])[];

  /** Those shorter than `MIN_SECRET_LENGTH` without white space cannot be hidden and are left out. */
  constructor(secrets: readonly string[]) {
    const patterns = patternsOf(secrets);
    const readings = ['tight', 'loose', 'decoded'] as const;
    this.#matchers = readings.flatMap((reading) =>
      patterns[reading].length > 0 ? [[reading, new Matcher(patterns[reading])] as const] : [],
    );
  }

  scanners(): Scanner[] {
    return this.#matchers.map(([reading, matcher]) => new Scanner(matcher, reading));
  }
}

/** A whole text with the secrets hidden. */
export function redacted(text: string, secrets: Secrets): string {
  const redactor = new Redactor(secrets);
  return redactor.write(text) + redactor.end();
}

/**
 * Hides secrets in a stream of text (SPEC B4): in one pass, whatever the chunks, and whatever white space or (for longer
 * secrets) punctuation stands between their parts. Only what may still become a secret waits. It is there against
 * accidents: a program that means to give a secret away can always spell it in a way of its own.
 */
export class Redactor {
  readonly #scanners: readonly Scanner[];
  /** Text that has not gone on yet; its first character is at `#base` of the whole. */
  #held = '';
  #base = 0;
  /** What is to be hidden, all of it within what is held. */
  #found: Interval[] = [];

  constructor(secrets: Secrets) {
    this.#scanners = secrets.scanners();
  }

  /** The text that may go on by now. */
  write(text: string): string {
    const from = this.#base + this.#held.length;
    for (const scanner of this.#scanners) {
      for (const each of scanner.scan(text, from)) this.#found.push(each);
    }
    this.#held += text;
    const end = this.#base + this.#held.length;
    return this.#release(this.#scanners.reduce((first, scanner) => Math.min(first, scanner.waitsFrom()), end));
  }

  /** The rest. */
  end(): string {
    for (const scanner of this.#scanners) this.#found.push(...scanner.end());
    return this.#release(this.#base + this.#held.length);
  }

  /** Lets go of what lies before `limit`; what is hidden across it waits, because it may still grow. */
  #release(limit: number): string {
    const merged: Interval[] = [];
    for (const { start, end } of this.#found.sort((a, b) => a.start - b.start || b.end - a.end)) {
      const last = merged.at(-1);
      if (last && start < last.end) last.end = Math.max(last.end, end);
      else merged.push({ start, end });
    }
    const open = merged.findIndex((each) => each.end > limit);
    const done = open < 0 ? merged : merged.slice(0, open);
    const to = Math.min(limit, merged[open]?.start ?? limit);
    const parts: string[] = [];
    let cursor = this.#base;
    for (const { start, end } of done) {
      parts.push(this.#held.slice(cursor - this.#base, start - this.#base), REDACTED);
      cursor = end;
    }
    parts.push(this.#held.slice(cursor - this.#base, to - this.#base));
    this.#found = open < 0 ? [] : merged.slice(open);
    this.#held = this.#held.slice(to - this.#base);
    this.#base = to;
    return parts.join('');
  }
}
