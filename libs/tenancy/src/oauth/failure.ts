/** Why an OAuth request is refused, in the words of RFC 6749, 7591, 7009 and 8707. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'temporarily_unavailable';

export interface OAuthFailure {
  readonly ok: false;
  readonly error: OAuthErrorCode;
  /** For people; never holds a value that was sent. */
  readonly detail: string;
}

export type OAuthOutcome<T> = { readonly ok: true; readonly value: T } | OAuthFailure;

export const fail = (error: OAuthErrorCode, detail: string): OAuthFailure => ({ ok: false, error, detail });

/** One answer for every code that is not good, so that none tells how near it was. */
export const badGrant = (): OAuthFailure =>
  fail('invalid_grant', 'the code or refresh token is not good, or no longer');
