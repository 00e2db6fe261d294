import type { Caller } from '@hcp/core';
import { Observable } from 'rxjs';
import { ProblemError } from './problem.js';

/** Streams that one principal may have open on one replica. */
export const MAX_STREAMS = 20;

type Reader = Pick<Caller, 'tenant_id' | 'principal'>;

/** Counts streams of every kind by who reads them, so that nobody holds connections without end. */
export class OpenStreams {
  readonly #open = new Map<string, number>();

  constructor(private readonly max = MAX_STREAMS) {}

  /**
   * A stream that counts from when it is read until its reader leaves or it ends.
   * @param start makes it; `gone` tells it when nobody reads any more
   * @throws ProblemError 429
   */
  open<T>(caller: Reader, start: (gone: () => boolean) => Observable<T>): Observable<T> {
    const reader = readerOf(caller);
    const refusal = this.#refusal(reader);
    if (refusal) throw refusal;
    return new Observable<T>((subscriber) => {
      // Others may have come since it was made.
      const late = this.#refusal(reader);
      if (late) return subscriber.error(late);
      this.#open.set(reader, this.#count(reader) + 1);
      let ended = false;
      const inner = start(() => ended).subscribe(subscriber);
      return () => {
        ended = true;
        inner.unsubscribe();
        this.#leave(reader);
      };
    });
  }

  /**
   * For a stream that is no Observable: it counts from now until `release` is called.
   * @throws ProblemError 429
   */
  hold(caller: Reader): () => void {
    const reader = readerOf(caller);
    const refusal = this.#refusal(reader);
    if (refusal) throw refusal;
    this.#open.set(reader, this.#count(reader) + 1);
    let held = true;
    return () => {
      if (held) this.#leave(reader);
      held = false;
    };
  }

  #leave(reader: string): void {
    const left = this.#count(reader) - 1;
    if (left > 0) this.#open.set(reader, left);
    else this.#open.delete(reader);
  }

  #count(reader: string): number {
    return this.#open.get(reader) ?? 0;
  }

  #refusal(reader: string): ProblemError | null {
    if (this.#count(reader) < this.max) return null;
    const extras = { retry_after_ms: 5000 };
    return new ProblemError(429, 'rate_limited', `no more than ${this.max} streams at a time`, undefined, extras);
  }
}

const readerOf = ({ tenant_id, principal }: Reader): string => `${tenant_id} ${principal.id}`;
