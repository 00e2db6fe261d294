import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer } from 'react';
import { HcpError } from '@hcp/sdk';
import type { RunEvent } from '@hcp/contracts';
import { api } from '../../app/api.js';

type Printed = Extract<RunEvent, { type: 'output' }>;

/** What came of one stream until the other one spoke; parts have numbers, so that what was shown stays as it is. */
export interface Passage {
  readonly stream: Printed['stream'];
  readonly parts: readonly { readonly number: number; readonly text: string }[];
}

export interface LiveOutput {
  readonly passages: readonly Passage[];
  /** Characters in them. */
  readonly size: number;
  /** Parts that came, ever. */
  readonly count: number;
  /** The beginning is not kept here any more. */
  readonly cut: boolean;
  /** Which start of the command it is of. */
  readonly attempt: number;
}

/** What is kept on the page; more is in the run when it has ended. */
const MAX_SHOWN = 300_000;
const TRY_AGAIN_MS = 2000;
const NOTHING: LiveOutput = { passages: [], size: 0, count: 0, cut: false, attempt: 0 };

type Change = Exclude<RunEvent, { type: 'end' }> | { readonly type: 'anew' };

export function grown(was: LiveOutput, event: Change): LiveOutput {
  if (event.type === 'anew') return NOTHING;
  const { attempt } = event;
  // Another start begins with nothing.
  const now = attempt === was.attempt ? was : { ...NOTHING, attempt };
  if (event.type === 'state') return now;
  const part = { number: now.count, text: event.text };
  const last = now.passages.at(-1);
  const passages =
    last?.stream === event.stream
      ? [...now.passages.slice(0, -1), { ...last, parts: [...last.parts, part] }]
      : [...now.passages, { stream: event.stream, parts: [part] }];
  return shortened({ ...now, passages, size: now.size + event.text.length, count: now.count + 1 });
}

/** Lets go of whole parts at the beginning. */
function shortened(output: LiveOutput): LiveOutput {
  let { size, cut } = output;
  const passages = [...output.passages];
  while (size > MAX_SHOWN) {
    const [first] = passages;
    const part = first?.parts[0];
    if (!first || !part) break;
    const parts = first.parts.slice(1);
    if (parts.length > 0) passages[0] = { ...first, parts };
    else passages.shift();
    size -= part.text.length;
    cut = true;
  }
  return { ...output, passages, size, cut };
}

/** The output of a run as it comes, secrets hidden by the server; its end makes the run be fetched whole. */
export function useLiveOutput(id: string, follow: boolean): LiveOutput {
  const client = useQueryClient();
  const [output, take] = useReducer(grown, NOTHING);
  useEffect(() => {
    if (!follow) return;
    const ended = new AbortController();
    void (async () => {
      while (!ended.signal.aborted) {
        take({ type: 'anew' });
        try {
          for await (const event of api.runs.events(id, { signal: ended.signal })) {
            if (event.type !== 'end') take(event);
            if (event.type !== 'output') void client.invalidateQueries({ queryKey: ['run', id] });
          }
          return;
        } catch (error) {
          // Refused: the run's own answer says why. Broken off: the stream of the tenant says so, and this one begins anew.
          if (error instanceof HcpError && error.status >= 400 && error.status < 500 && error.status !== 429) return;
        }
        await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
      }
    })();
    return () => ended.abort();
  }, [client, id, follow]);
  return output;
}
