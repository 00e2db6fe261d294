import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../app/api.js';

export interface LiveOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** What is kept of a stream on the page; more is in the run when it has ended. */
const MAX_SHOWN = 200_000;
const NOTHING: LiveOutput = { stdout: '', stderr: '' };

/** The output of a run as it comes, secrets hidden by the server; when the run ends, it is fetched whole. */
export function useLiveOutput(id: string, open: boolean): LiveOutput {
  const client = useQueryClient();
  const [output, setOutput] = useState(NOTHING);
  useEffect(() => {
    if (!open) return;
    const ended = new AbortController();
    void (async () => {
      try {
        for await (const event of api.runs.events(id, { signal: ended.signal })) {
          if (event.type === 'output') {
            setOutput((was) => ({ ...was, [event.stream]: (was[event.stream] + event.text).slice(-MAX_SHOWN) }));
          } else {
            void client.invalidateQueries({ queryKey: ['run', id] });
          }
        }
      } catch {
        // The stream of the tenant tells of the run too; this one is for its output alone.
      }
    })();
    return () => ended.abort();
  }, [client, id, open]);
  return output;
}
