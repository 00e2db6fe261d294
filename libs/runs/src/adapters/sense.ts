import { parseResult, parseSourceEvents, type SourceEvent } from '@hcp/core';
import { redactText } from '@hcp/sandbox';
import type { Outcome } from '../outcome.js';
import type { Adapter, AdapterCall } from './adapter.js';

/** Runs a source as the wrap that it is, and reads the events that it printed (SPEC W8). */
export class SenseAdapter implements Adapter {
  constructor(private readonly wrap: Adapter) {}

  async run(call: AdapterCall): Promise<Outcome> {
    const outcome = await this.wrap.run(call);
    if (outcome.status !== 'succeeded') return outcome;
    const parsed = parseSourceEvents(outcome.truncated === true ? null : parseResult(outcome.stdout ?? ''));
    if (!parsed.ok) {
      return {
        ...outcome,
        status: 'failed',
        code: 'invalid_events',
        error: `the source printed no events: ${parsed.error}`,
        hint: 'the pack has to be mended; nothing was published',
      };
    }
    return { ...outcome, events: parsed.events.map((event) => hide(event, call.lease.secrets)) };
  }
}

/** The output is hidden already; once more, because what JSON wrote in pieces is whole here. */
function hide(event: SourceEvent, secrets: readonly string[]): SourceEvent {
  if (secrets.length === 0) return event;
  const { subject, message, key } = event;
  return {
    ...event,
    subject: redactText(subject, secrets),
    message: redactText(message, secrets),
    key: redactText(key, secrets),
  };
}
