import type { Readable } from 'node:stream';
import { Redactor, type Secrets } from './redact/redactor.js';
import { OutputDecoder } from './text-decoder.js';

/**
 * Collects one output stream as text, up to `max_bytes` bytes (SPEC S5). What comes after is read and dropped, so that
 * memory stays bounded, one endless line included; `onLimit` is called once. Secrets are hidden before anyone, `onText`
 * included, gets to see the text (SPEC B4).
 */
export class Capture {
  readonly #decoder = new OutputDecoder();
  readonly #redactor: Redactor;
  readonly #parts: string[] = [];
  #bytes = 0;
  truncated = false;
  /** Resolves when the stream ended, broke or was destroyed. */
  readonly closed: Promise<void>;

  constructor(
    private readonly stream: Readable,
    max_bytes: number,
    private readonly onText: (text: string) => void,
    onLimit: () => void,
    secrets: Secrets,
  ) {
    this.#redactor = new Redactor(secrets);
    stream.on('data', (chunk: Buffer) => {
      if (this.truncated) return;
      const room = max_bytes - this.#bytes;
      this.#bytes += Math.min(chunk.length, room);
      const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
      this.#take(this.#redactor.write(this.#decoder.write(kept)));
      if (chunk.length <= room) return;
      this.truncated = true;
      onLimit();
    });
    this.closed = new Promise((resolve) => {
      stream.once('end', resolve);
      stream.once('error', () => resolve());
      stream.once('close', resolve);
    });
  }

  /** Stops reading, whoever still holds the other end, and gives the whole text. Call once. */
  finish(): string {
    this.stream.destroy();
    this.#take(this.#redactor.write(this.#decoder.end()) + this.#redactor.end());
    return this.#parts.join('');
  }

  #take(text: string): void {
    if (text === '') return;
    this.#parts.push(text);
    this.onText(text);
  }
}
