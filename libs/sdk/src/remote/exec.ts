import { resultEnvelopeSchema } from '@hcp/contracts';
import type { ExecCode, ExecEnvelope, ResultEnvelope } from '@hcp/core';
import { HcpError } from '../errors.js';
import type { CallOptions } from '../runtime.js';
import { problemOf, readAs, type Transport } from './transport.js';

/**
 * Sends an envelope. Answers a result envelope in every case: the API's own (also with HTTP 400), else one made here
 * from the problem, so that a caller branches in one place.
 */
export async function remoteExec(
  transport: Transport,
  envelope: ExecEnvelope,
  options: CallOptions = {},
): Promise<ResultEnvelope> {
  const started = Date.now();
  try {
    JSON.stringify(envelope);
  } catch {
    return failure(envelope, started, {
      code: 'invalid_envelope',
      error: 'args cannot be written as JSON',
      hint: 'Pass plain JSON values.',
    });
  }
  try {
    const response = await transport.send('exec', { body: envelope }, options);
    if (!response.ok && response.status !== 400) throw await problemOf(response);
    // A run may have begun where the answer breaks off, so a broken answer is no plain failure.
    return await readAs(response, resultEnvelopeSchema);
  } catch (cause) {
    options.signal?.throwIfAborted();
    if (cause instanceof HcpError) return failure(envelope, started, describe(cause));
    return failure(envelope, started, LOST);
  }
}

interface Failure {
  readonly code: ExecCode;
  readonly error: string;
  readonly hint: string;
  readonly retry_after_ms?: number;
}

const LOST: Failure = {
  code: 'outcome_unknown',
  error: 'the API did not answer',
  hint: 'The command may have run: look at the runs first, or repeat with the same idempotency_key.',
};

function describe(error: HcpError): Failure {
  if (neverConnected(error.cause)) {
    const hint = 'Nothing was sent: check the address, and that the API is up.';
    return { code: 'unreachable', error: error.message, hint };
  }
  switch (error.code) {
    case 'network':
    case 'invalid_response':
      return { ...LOST, error: error.message };
    case 'unauthenticated':
    case 'invalid_credentials':
      return {
        code: 'unauthenticated',
        error: `not signed in: ${error.message}`,
        hint: 'Sign in again, or use an API key that is still valid.',
      };
    case 'rate_limited': {
      const wait = error.problem?.retry_after_ms;
      const base: Failure = { code: 'rate_limited', error: error.message, hint: 'Wait, then repeat the call.' };
      return wait === undefined ? base : { ...base, retry_after_ms: wait };
    }
    case 'human_only':
    case 'missing_capability':
    case 'idempotency_conflict':
      return { code: error.code, error: error.message, hint: 'The caller may not do this as it is.' };
    case 'payload_too_large':
    case 'unsupported_media_type':
    case 'invalid_request':
      return { code: 'invalid_envelope', error: error.message, hint: 'Change the envelope.' };
    default:
      return { code: 'internal', error: error.message, hint: 'See whether the API is ready, then look at the runs.' };
  }
}

/** Failures before the first byte, by the codes that Node puts on a cause; elsewhere it cannot be told. */
const BEFORE_SENDING = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** A host with several addresses fails as one error of many: no attempt may have got through. */
function neverConnected(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.every(neverConnected);
  if ('code' in cause && BEFORE_SENDING.includes(String(cause.code))) return true;
  if ('syscall' in cause && cause.syscall === 'connect') return true;
  return neverConnected(cause.cause);
}

function failure(envelope: ExecEnvelope, started: number, what: Failure): ResultEnvelope {
  return {
    ok: false,
    pack_id: envelope.pack_id,
    verb_key: envelope.verb_key,
    result: null,
    ...what,
    run_id: null,
    duration_ms: Date.now() - started,
  };
}
