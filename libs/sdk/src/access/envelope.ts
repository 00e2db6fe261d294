import { invalidEnvelope, parseEnvelope, type EnvelopeResult } from '@hcp/core';

/**
 * A call as it would arrive over a wire: a copy, so that nobody changes it between the decision and the run, and JSON,
 * so that the same call is the same call on every face.
 */
export function asEnvelope(value: object): EnvelopeResult {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(value));
  } catch {
    return { ok: false, denial: invalidEnvelope('args', 'cannot be written as JSON') };
  }
  return parseEnvelope(copy);
}
