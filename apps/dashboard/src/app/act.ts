import { useState } from 'react';
import { onError } from './queries.js';

export interface Act<A extends unknown[]> {
  readonly busy: boolean;
  readonly error: unknown;
  readonly run: (...given: A) => void;
  readonly clear: () => void;
}

/**
 * Does what is given or answered a secret: unlike a mutation of the query library it keeps neither, so that a key or a
 * password is gone with the form.
 */
export function useAct<A extends unknown[]>(act: (...given: A) => Promise<void>): Act<A> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = (...given: A): void => {
    if (busy) return;
    setBusy(true);
    setError(null);
    act(...given)
      .catch((failed: unknown) => {
        onError(failed);
        setError(failed);
      })
      .finally(() => setBusy(false));
  };
  return { busy, error, run, clear: () => setError(null) };
}
