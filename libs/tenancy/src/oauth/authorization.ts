import type { OauthClient } from '@hcp/database';
import { fail, type OAuthFailure, type OAuthOutcome } from './failure.js';
import { CHALLENGE } from './pkce.js';
import { redirectFits } from './redirects.js';

const MAX_STATE = 2048;

/** What a client asks a person for; checked. */
export interface AuthorizationRequest {
  readonly client_id: string;
  readonly client_name: string;
  readonly redirect_uri: string;
  readonly code_challenge: string;
  readonly state?: string;
}

/** The one value of a parameter; `twice` where there are more, which RFC 6749 forbids. */
export type Parameters = Readonly<Record<string, unknown>>;

/** The client that a request names, before anything is known of it. */
export function clientOf(parameters: Parameters): OAuthOutcome<string> {
  const { client_id } = parameters;
  if (typeof client_id === 'string' && client_id !== '') return { ok: true, value: client_id };
  return fail('invalid_request', 'client_id is missing or there more than once');
}

/**
 * Checks a request for a code (OAuth 2.1 section 4.1.1, RFC 7636, RFC 8707). A failure is for the person's eyes: nobody is
 * sent to a client's address before a person has signed in, or this would be a way to send anybody anywhere (RFC 9700).
 * @param resource the only one that tokens are given for
 */
export function checkAuthorization(
  parameters: Parameters,
  client: Pick<OauthClient, 'id' | 'name' | 'redirect_uris'>,
  resource: string,
): OAuthOutcome<AuthorizationRequest> {
  const twice = Object.entries(parameters).find(([, value]) => typeof value !== 'string');
  if (twice) return fail('invalid_request', 'a parameter is there more than once');
  const given = parameters as Readonly<Record<string, string>>;
  const { redirect_uri, code_challenge, state } = given;
  if (redirect_uri === undefined || !redirectFits(client.redirect_uris, redirect_uri)) {
    return fail('invalid_request', 'redirect_uri is none that the client registered');
  }
  const wrong = wrongFlow(given);
  if (wrong) return wrong;
  if (code_challenge === undefined || !CHALLENGE.test(code_challenge)) {
    return fail('invalid_request', 'code_challenge is missing or no S256 challenge');
  }
  if (state !== undefined && state.length > MAX_STATE) return fail('invalid_request', 'state is too long');
  if (given['resource'] !== undefined && !isResource(given['resource'], resource)) return wrongResource();
  const { id: client_id, name: client_name } = client;
  const value = { client_id, client_name, redirect_uri, code_challenge, ...(state === undefined ? {} : { state }) };
  return { ok: true, value };
}

function wrongFlow(given: Readonly<Record<string, string>>): OAuthFailure | null {
  if (given['request'] !== undefined || given['request_uri'] !== undefined) {
    return fail('invalid_request', 'request objects are not supported');
  }
  if (given['response_type'] !== 'code') return fail('unsupported_response_type', 'response_type must be code');
  if ((given['response_mode'] ?? 'query') !== 'query') return fail('invalid_request', 'response_mode must be query');
  // Left out it would mean plain, which protects nobody who reads along.
  if (given['code_challenge_method'] !== 'S256') return fail('invalid_request', 'code_challenge_method must be S256');
  return null;
}

/** With or without a slash at its end, as clients write it. */
export const isResource = (asked: string, resource: string): boolean => asked.replace(/\/$/, '') === resource;

export const wrongResource = (): OAuthFailure =>
  fail('invalid_target', 'resource must be the /mcp address of this API');
