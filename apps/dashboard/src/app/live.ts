import { useEffect, useState } from 'react';
import { HcpError } from '@hcp/sdk';
import type { TenantEvent } from '@hcp/contracts';
import { api } from './api.js';
import { forgetSession, queryClient } from './queries.js';
import { runChanged } from './run-cache.js';

const TRY_AGAIN_MS = 2000;
/** Many things that happen at once lead to one fetch. */
const GATHER_MS = 200;

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });

/**
 * Follows what happens in the tenant, in one stream for all pages, and fetches anew what it touches.
 * @returns whether the stream stands
 */
export function useLive(): boolean {
  const [live, setLive] = useState(true);
  useEffect(() => {
    const ended = new AbortController();
    const gather = gatherer();
    void (async () => {
      for (let first = true; !ended.signal.aborted; first = false) {
        try {
          for await (const event of api.events.follow({ signal: ended.signal })) {
            setLive(true);
            if (event.type === 'ready' && first) continue;
            gather(event);
          }
        } catch (error) {
          if (ended.signal.aborted) return;
          if (error instanceof HcpError && error.status === 401) return forgetSession();
          setLive(false);
        }
        await sleep(TRY_AGAIN_MS, ended.signal);
      }
    })();
    return () => ended.abort();
  }, []);
  return live;
}

function gatherer(): (event: Exclude<TenantEvent, { type: 'ping' }>) => void {
  const touched = new Map<string, readonly string[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (event) => {
    // `ready` after a break, and `reset`: anything may have happened meanwhile.
    if (event.type === 'ready' || event.type === 'reset') return void queryClient.invalidateQueries();
    const keys: (readonly string[])[] = [['overview']];
    if (event.type === 'run.updated') {
      runChanged(event);
      keys.push(['run', event.run_id]);
    } else if (event.type === 'sense.changed') {
      keys.push(['sense']);
      if (event.kind === 'credential_stale') keys.push(['bindings']);
    } else {
      keys.push(['approvals'], ['approval', event.approval_id]);
    }
    for (const key of keys) touched.set(key.join(' '), key);
    timer ??= setTimeout(() => {
      timer = undefined;
      for (const queryKey of touched.values()) void queryClient.invalidateQueries({ queryKey });
      touched.clear();
    }, GATHER_MS);
  };
}
