import type { OutputStream } from '@hcp/sandbox';

/** A part of one stream: its text, and how many characters of that stream came before. */
export interface Piece {
  readonly stream: OutputStream;
  readonly at: number;
  readonly text: string;
}

/** What a command printed and nobody has been shown. It is taken in parts, each once, without a hole. */
export class PendingOutput {
  readonly #waiting: { readonly stream: OutputStream; readonly text: string }[] = [];
  readonly #taken = { stdout: 0, stderr: 0 };

  get empty(): boolean {
    return this.#waiting.length === 0;
  }

  add(stream: OutputStream, text: string): void {
    if (text !== '') this.#waiting.push({ stream, text });
  }

  /** At most so many characters (two or more), as at most one piece of each stream; never a half of a character. */
  take(max: number): Piece[] {
    const texts = new Map<OutputStream, string>();
    for (let room = max; room > 0;) {
      const next = this.#waiting.shift();
      if (!next) break;
      const { stream, text } = next;
      const cut = cutAt(text, room);
      if (cut < text.length) this.#waiting.unshift({ stream, text: text.slice(cut) });
      if (cut > 0) texts.set(stream, (texts.get(stream) ?? '') + text.slice(0, cut));
      if (cut < text.length) break;
      room -= cut;
    }
    return Array.from(texts, ([stream, text]) => {
      const at = this.#taken[stream];
      this.#taken[stream] += text.length;
      return { stream, at, text };
    });
  }
}

/** Up to `max` characters, less one where the cut would go through a surrogate pair. */
export function cutAt(text: string, max: number): number {
  if (text.length <= max) return text.length;
  return (text.codePointAt(max - 1) ?? 0) > 0xffff ? max - 1 : max;
}
