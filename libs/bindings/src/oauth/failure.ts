import { EgressError } from '@hcp/egress';
import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';

/**
 * What a failed request to a provider means for a connection: `refused` and `client_refused` end it until somebody does
 * something (SPEC B6), `transient` passes by itself, `unusable` is an address that may not be reached.
 */
export interface ProviderFailure {
  readonly kind: 'refused' | 'client_refused' | 'transient' | 'unusable';
  /** For people, after "the provider "; no word of it is the provider's own. */
  readonly why: string;
}

const CLIENT_CODES = new Set(['invalid_client', 'unauthorized_client']);
const PASSING_CODES = new Set(['server_error', 'temporarily_unavailable', 'slow_down']);
/** RFC 6749, 7009: these may be repeated to people; anything else might be anything. */
const KNOWN_CODES = new Set([
  ...CLIENT_CODES,
  ...PASSING_CODES,
  'access_denied',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'unsupported_grant_type',
  'unsupported_response_type',
]);
const PASSING_STATUS = new Set([408, 425, 429]);
const UNUSABLE: ReadonlySet<string> = new Set(['bad_host', 'bad_request', 'private_address', 'tls_failed']);

/** The provider's error code where it is one of the known ones, for people. */
export const knownCode = (code: string): string => (KNOWN_CODES.has(code) ? code : 'an error of its own');

/** What an error of the client library, or of the checked fetch in it, means. */
export function providerFailure(error: unknown): ProviderFailure {
  if (error instanceof ResponseBodyError) return byAnswer(error.status, error.error);
  if (error instanceof WWWAuthenticateChallengeError) return byAnswer(error.status, 'invalid_client');
  const cause = error instanceof ClientError ? error.cause : error;
  if (cause instanceof EgressError) {
    return UNUSABLE.has(cause.code)
      ? { kind: 'unusable', why: 'cannot be spoken to safely: it has no proper public https address' }
      : { kind: 'transient', why: 'cannot be reached' };
  }
  if (cause instanceof Response) return byAnswer(cause.status, null);
  // An answer that makes no sense may be a proxy's on the way.
  return { kind: 'transient', why: 'gave no answer that can be understood' };
}

function byAnswer(status: number, code: string | null): ProviderFailure {
  if (status >= 500 || PASSING_STATUS.has(status) || (code !== null && PASSING_CODES.has(code))) {
    return { kind: 'transient', why: `answered ${String(status)}` };
  }
  if (code !== null && CLIENT_CODES.has(code)) return { kind: 'client_refused', why: `refused the client (${code})` };
  if (status >= 400) {
    return { kind: 'refused', why: code === null ? `answered ${String(status)}` : `refused (${knownCode(code)})` };
  }
  return { kind: 'transient', why: `answered ${String(status)}` };
}
