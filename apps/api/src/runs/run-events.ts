import type { MessageEvent } from '@nestjs/common';
import type { RunEvent } from '@hcp/contracts';
import { RUN_STATUSES, type RunStatus } from '@hcp/core';
import type { Database, Run } from '@hcp/database';
import {
  cutAt,
  isTerminal,
  MAX_PIECE,
  outcomeOf,
  readOutput,
  type RunView,
  type RunWaiter,
  type TenantKeys,
} from '@hcp/runs';
import { openPlace, placeId, type Place } from './run-place.js';

interface Source {
  readonly run_id: string;
  readonly db: Database;
  readonly waiter: RunWaiter;
  readonly keys: TenantKeys;
  /** The run as its reader may see it now; null ends the stream. */
  readonly load: () => Promise<RunView | null>;
}

/**
 * The events of one run from `last_event_id` on: each state it is seen in, its output as it comes, its end (SPEC R5). The
 * id of an event says how far its reader is, so that one who comes back, to whichever replica, hears everything once. Who
 * reads the output is decided anew with each look, by the rule of the outcome.
 */
export async function* runEvents(source: Source, last_event_id: string | undefined): AsyncGenerator<MessageEvent> {
  const place = openPlace(last_event_id);
  const watch = source.waiter.follow(source.run_id);
  try {
    for (let view = await source.load(); view !== null; view = await source.load()) {
      yield* stateOf(view.run, place);
      if (isTerminal(view.run.status)) {
        yield* endOf(source, view, place);
        return;
      }
      yield* printed(source, view, place);
      await watch.wait();
    }
  } finally {
    watch.end();
  }
}

function* stateOf(run: Run, place: Place): Generator<MessageEvent> {
  const status = run.status as RunStatus;
  const step = RUN_STATUSES.indexOf(status);
  const again = place.attempt > 0 && run.attempts !== place.attempt;
  if (run.attempts !== place.attempt) Object.assign(place, { attempt: run.attempts, seq: 0, stdout: 0, stderr: 0 });
  // Back in line, or started once more: its worker was lost.
  if (!again && step <= place.step && (status !== 'queued' || place.step === step)) return;
  place.step = step;
  yield event(place, { type: 'state', run_id: run.id, status, attempt: run.attempts, at: new Date().toISOString() });
}

/** What was printed by now. */
async function* printed({ db, keys }: Source, view: RunView, place: Place): AsyncGenerator<MessageEvent> {
  for (;;) {
    const pieces = await readOutput(db, keys, view, place.seq);
    if (pieces.length === 0) return;
    for (const { seq, stream, at, text } of pieces) {
      const before = place[stream];
      place.seq = seq;
      place[stream] = Math.max(before, at + text.length);
      const rest = text.slice(Math.max(0, before - at));
      if (rest !== '') yield output(view.run, place, stream, rest);
    }
  }
}

async function* endOf(source: Source, view: RunView, place: Place): AsyncGenerator<MessageEvent> {
  const { run } = view;
  const outcome = await outcomeOf(source.keys, view);
  // Of one whose worker was lost there is no more than it had shown.
  if (outcome === null) yield* printed(source, view, place);
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = outcome?.[stream] ?? '';
    while (place[stream] < text.length) {
      const from = place[stream];
      const part = text.slice(from, from + cutAt(text.slice(from, from + MAX_PIECE + 1), MAX_PIECE));
      place[stream] += part.length;
      yield output(run, place, stream, part);
    }
  }
  const { ok, exit_code } = run;
  const status = run.status as RunStatus;
  const code = run.code as Extract<RunEvent, { type: 'end' }>['code'];
  yield event(place, { type: 'end', run_id: run.id, status, ok, code, exit_code });
}

const output = (run: Run, place: Place, stream: 'stdout' | 'stderr', text: string): MessageEvent =>
  event(place, { type: 'output', run_id: run.id, attempt: run.attempts, stream, text });

function event(place: Place, data: RunEvent): MessageEvent {
  return { id: placeId(place), type: data.type, data };
}
