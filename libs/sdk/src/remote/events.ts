import { type OperationId, type RunEvent, runEventSchema, type TenantEvent, tenantEventSchema } from '@hcp/contracts';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { z } from 'zod';
import { HcpError } from '../errors.js';
import type { CallOptions } from '../runtime.js';
import { problemOf, type Transport } from './transport.js';

export interface FollowOptions extends CallOptions {
  /** Go on after this event (SPEC R5). */
  readonly last_event_id?: string;
  /** Pause before the stream is opened again, in milliseconds; 500 by default, the server's `retry` wins. */
  readonly retry_ms?: number;
}

/** Openings in a row that bring nothing before it gives up. */
const MAX_IDLE_OPENINGS = 5;
/** Characters of one event: an output chunk is far smaller. */
const MAX_EVENT_SIZE = 4 * 1024 * 1024;

/** What a stream is of: the route, and the shape of its events. */
interface Stream<E> {
  readonly operation: OperationId;
  readonly params?: Record<string, string>;
  readonly schema: z.ZodType<E>;
}

/** Follows a run until its `end` event. */
export async function* followRun(
  transport: Transport,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<RunEvent, void> {
  const stream = { operation: 'runs_events', params: { id }, schema: runEventSchema } as const;
  for await (const event of follow(transport, stream, options)) {
    yield event;
    if (event.type === 'end') return;
  }
}

/**
 * Follows what happens in the tenant, as far as the caller may see it, until it is told to stop. After `reset` something
 * may have been missed: fetch anew what is shown.
 */
export async function* followTenant(
  transport: Transport,
  options: FollowOptions = {},
): AsyncGenerator<Exclude<TenantEvent, { type: 'ping' }>, void> {
  for await (const event of follow(transport, { operation: 'events_follow', schema: tenantEventSchema }, options)) {
    if (event.type !== 'ping') yield event;
  }
}

/**
 * The events of a stream. One that breaks off is opened again where it stopped. Events of types that this client does
 * not know are passed over.
 */
async function* follow<E>(
  transport: Transport,
  { operation, params = {}, schema }: Stream<E>,
  options: FollowOptions,
): AsyncGenerator<E, void> {
  const call: CallOptions = options.signal === undefined ? {} : { signal: options.signal };
  let last = options.last_event_id;
  let pause = options.retry_ms ?? 500;
  for (let idle = 0; idle < MAX_IDLE_OPENINGS; idle++) {
    if (idle > 0) await sleep(pause, options.signal);
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (last !== undefined) headers['last-event-id'] = last;
    let response: Response;
    try {
      response = await transport.send(operation, { params }, { ...call, headers });
    } catch (error) {
      if (error instanceof HcpError && error.code === 'network') continue;
      throw error;
    }
    if (response.status >= 500) {
      await response.body?.cancel();
      continue;
    }
    if (!response.ok) throw await problemOf(response);
    if (response.body === null) continue;

    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(
      new EventSourceParserStream({
        maxBufferSize: MAX_EVENT_SIZE,
        onRetry: (milliseconds) => {
          pause = milliseconds;
        },
      }),
    );
    const reader = events.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (value.id !== undefined && value.id !== '') last = value.id;
        const event = parseEvent(schema, value.data);
        if (event === null) continue;
        idle = 0;
        yield event;
      }
    } catch {
      // The connection broke; the next opening goes on after `last`.
      options.signal?.throwIfAborted();
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }
  throw new HcpError({ code: 'network', status: 0, message: 'the stream of events broke off' });
}

function parseEvent<E>(schema: z.ZodType<E>, data: string): E | null {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return null;
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : null;
}

async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
  });
  signal?.throwIfAborted();
}
