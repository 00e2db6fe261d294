import type { MessageEvent } from '@nestjs/common';
import type { TenantEvent as TenantEventAnswer } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Database, TenantEvent } from '@hcp/database';
import { openPosition, present, readEvents, sealPosition, type Position, type PositionSealer } from '@hcp/events';
import type { Watch } from '@hcp/runs';
import { reauthenticate } from '@hcp/tenancy';
import { seenEvents } from './seen.js';

/** Rows of one look. */
const BATCH = 200;
/** Between two looks, however much happens: what comes meanwhile is read at once. */
const GAP_MS = 100;
/** How long nobody asks whether the reader still may read. */
const RECHECK_MS = 3000;
/** How long a stream is silent at most. */
const PING_MS = 15_000;

export interface TenantEventsSource {
  readonly db: Database;
  readonly sealer: PositionSealer;
  readonly watch: Watch;
  /** Who reads, as the stream was opened. */
  readonly caller: Caller;
  /** Nobody reads any more. */
  readonly gone: () => boolean;
}

/**
 * What happens in the reader's tenant from `last_event_id` on, as far as the reader may see it at the moment it is told
 * (SPEC V5, G5). Ends once the reader's key, session or person is no good any more. Told at least once: who comes back in
 * the middle of a batch may hear parts of it again.
 */
export async function* tenantEvents(
  source: TenantEventsSource,
  last_event_id: string | undefined,
): AsyncGenerator<MessageEvent> {
  const { db, sealer, watch, gone } = source;
  const { tenant_id } = source.caller;
  try {
    const opened = await db.tenant(tenant_id, (tx) => openAt(tx, sealer, last_event_id));
    let position = opened.position;
    if (opened.type !== null) yield message(sealer, position, { type: opened.type, at: new Date().toISOString() });
    let checked_at = 0;
    let told_at = Date.now();
    while (!gone()) {
      const from = position;
      const rows = await db.tenant(tenant_id, (tx) => readEvents(tx, tenant_id, from, BATCH));
      if (rows.length > 0 || Date.now() - checked_at > RECHECK_MS) {
        const again = await reauthenticate(db, source.caller);
        if (!again.ok) return;
        checked_at = Date.now();
        const { caller } = again;
        const seen = await db.tenant(tenant_id, (tx) => seenEvents(tx, caller, rows, new Date()));
        for (const { row, told_up_to } of inOrder(rows, from)) {
          position = told_up_to;
          const event = seen.get(row);
          if (!event) continue;
          yield message(sealer, position, event);
          told_at = Date.now();
        }
      }
      if (Date.now() - told_at > PING_MS) {
        yield message(sealer, position, { type: 'ping', at: new Date().toISOString() });
        told_at = Date.now();
      }
      if (rows.length < BATCH) {
        await new Promise((resolve) => setTimeout(resolve, GAP_MS));
        await watch.wait();
      }
    }
  } finally {
    watch.end();
  }
}

type Tx = Parameters<Parameters<Database['tenant']>[1]>[0];

async function openAt(
  tx: Tx,
  sealer: PositionSealer,
  last_event_id: string | undefined,
): Promise<{ readonly position: Position; readonly type: 'ready' | 'reset' | null }> {
  if (last_event_id === undefined) return { position: await present(tx), type: 'ready' };
  const opened = await openPosition(tx, sealer, last_event_id, new Date());
  return opened.ok ? { position: opened.position, type: null } : { position: await present(tx), type: 'reset' };
}

/**
 * The rows in the order in which things happened, which is that of their numbers, each with the place up to which nothing
 * is left to tell once it was told.
 */
function* inOrder(
  rows: readonly TenantEvent[],
  from: Position,
): Generator<{ readonly row: TenantEvent; readonly told_up_to: Position }> {
  const told = new Set<TenantEvent>();
  let complete = 0;
  for (const row of [...rows].sort((a, b) => (a.seq < b.seq ? -1 : 1))) {
    told.add(row);
    for (let next = rows[complete]; next && told.has(next); next = rows[complete]) complete += 1;
    yield { row, told_up_to: rows[complete - 1] ?? from };
  }
}

function message(sealer: PositionSealer, position: Position, data: TenantEventAnswer): MessageEvent {
  return { id: sealPosition(sealer, position, new Date()), type: data.type, data };
}
