import { refuseSecretValue } from '@hcp/core';
import type { Fields } from '../secret.js';
import type { TokenSet } from './grants.js';

export const OAUTH_KINDS = ['oauth2_code', 'oauth2_client_credentials'] as const;
export type OauthKind = (typeof OAUTH_KINDS)[number];

export const isOauthKind = (kind: string): kind is OauthKind => (OAUTH_KINDS as readonly string[]).includes(kind);

/** What a pack's `binding.env` may ask of a connection by OAuth: the access token, by either name. */
export const OAUTH_FIELDS: readonly string[] = ['token', 'access_token'];

export const fieldsOf = (access_token: string): Fields => ({ token: access_token, access_token });

/** What is sealed. */
export interface StoredTokens {
  readonly access_token: string;
  readonly refresh_token: string | null;
}

export const contentOf = ({ access_token, refresh_token }: StoredTokens): Fields => ({
  access_token,
  ...(refresh_token !== null && { refresh_token }),
});

export const tokensOf = (content: Fields): StoredTokens => ({
  access_token: content['access_token'] ?? '',
  refresh_token: content['refresh_token'] ?? null,
});

/** What keeps a token from being lent to a program, or null (SPEC B6); says nothing of the token itself. */
export const refuseToken = ({ access_token }: TokenSet): string | null => refuseSecretValue(access_token);

/** At most a year: what a provider says beyond that, a date could not hold. */
const MAX_LIFE_S = 366 * 86_400;

export interface TokenClocks {
  readonly token_obtained_at: Date;
  readonly token_expires_at: Date | null;
  readonly refreshable: boolean;
  /** Where no new token can be had without a person, the connection ends with the one in hand. */
  readonly expires_at: Date | null;
}

/** Times of a new token, by our own clock from when the provider was asked, so that none seems to live longer than it does. */
export function clocksOf(set: TokenSet, asked_at: Date, refreshable: boolean): TokenClocks {
  const life_s = set.expires_in === null ? null : Math.min(Math.max(0, set.expires_in), MAX_LIFE_S);
  const ends = life_s === null ? null : new Date(asked_at.getTime() + life_s * 1000);
  return {
    token_obtained_at: asked_at,
    token_expires_at: ends,
    refreshable,
    expires_at: refreshable ? null : ends,
  };
}
