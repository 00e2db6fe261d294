import type { MessageEvent } from '@nestjs/common';
import type { RunEvent } from '@hcp/contracts';
import { RUN_STATUSES, type RunStatus } from '@hcp/core';
import type { Run } from '@hcp/database';
import { isTerminal, outcomeOf, type RunView, type RunWaiter, type TenantKeys, type Watch } from '@hcp/runs';

/** How long one look waits before the stream checks whether its reader is still there. */
const LOOK_MS = 15_000;

interface Source {
  readonly run_id: string;
  readonly waiter: RunWaiter;
  readonly keys: TenantKeys;
  /** The run as its reader may see it now; null ends the stream. */
  readonly load: () => Promise<RunView | null>;
}

/**
 * The events of one run from `last_event_id` on: each state it is seen in, then its output and its end (SPEC R5). The id
 * of an event is its state's number, so that a reader who comes back hears nothing twice.
 */
export async function* runEvents(source: Source, last_event_id: string | undefined): AsyncGenerator<MessageEvent> {
  let seen = Number.parseInt(last_event_id ?? '', 10);
  if (Number.isNaN(seen)) seen = -1;
  const watch = source.waiter.watch(source.run_id);
  try {
    for (let view = await source.load(); view !== null; view = await next(source, watch, view)) {
      const { run } = view;
      const status = run.status as RunStatus;
      const step = RUN_STATUSES.indexOf(status);
      if (step > seen) {
        yield event(step, { type: 'state', run_id: run.id, status, at: new Date().toISOString() });
        seen = step;
      }
      if (!isTerminal(status)) continue;
      yield* endEvents(await outcomeOf(source.keys, view), run, step);
      return;
    }
  } finally {
    watch.end();
  }
}

function* endEvents(outcome: Awaited<ReturnType<typeof outcomeOf>>, run: Run, step: number): Generator<MessageEvent> {
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = outcome?.[stream];
    if (text) yield event(step, { type: 'output', run_id: run.id, stream, text });
  }
  const { ok, exit_code } = run;
  const status = run.status as RunStatus;
  const code = run.code as Extract<RunEvent, { type: 'end' }>['code'];
  yield event(step, { type: 'end', run_id: run.id, status, ok, code, exit_code });
}

async function next({ load }: Source, watch: Watch, before: RunView): Promise<RunView | null> {
  const changed = await watch.until(LOOK_MS, async () => {
    const view = await load();
    return view?.run.status === before.run.status ? null : { view };
  });
  return changed ? changed.view : load();
}

function event(step: number, data: RunEvent): MessageEvent {
  return { id: String(step), type: data.type, data };
}
