import {
  authorizationCodeGrant,
  clientCredentialsGrant,
  fetchProtectedResource,
  refreshTokenGrant,
  tokenRevocation,
  type Configuration,
  type TokenEndpointResponse,
} from 'openid-client';

/** What a provider gave. */
export interface TokenSet {
  readonly access_token: string;
  readonly refresh_token: string | null;
  /** In seconds; null where it says nothing. */
  readonly expires_in: number | null;
  /** Null: what was asked for (RFC 6749, 5.1), or as before. */
  readonly scopes: readonly string[] | null;
}

/** Whose account it is, as far as the provider tells. */
export interface Account {
  readonly account: string | null;
  readonly account_name: string | null;
}

export interface CodeChecks {
  readonly state: string;
  readonly verifier: string;
  /** Null where no id token was asked for. */
  readonly nonce: string | null;
}

/** @throws what `providerFailure` reads */
export async function exchangeCode(
  config: Configuration,
  answer: URL,
  { state, verifier, nonce }: CodeChecks,
): Promise<TokenSet & Account> {
  const tokens = await authorizationCodeGrant(config, answer, {
    expectedState: state,
    pkceCodeVerifier: verifier,
    ...(nonce !== null && { expectedNonce: nonce }),
  });
  const set = tokenSet(tokens);
  const claims = tokens.claims();
  const told = claims ? accountOf(claims) : NOBODY;
  if (told.account !== null && told.account_name !== null) return { ...set, ...told };
  const asked = await userinfo(config, set.access_token);
  // Another subject's answer says nothing of this account.
  const same = told.account === null || told.account === asked.account;
  return {
    ...set,
    account: told.account ?? asked.account,
    account_name: told.account_name ?? (same ? asked.account_name : null),
  };
}

/** @throws what `providerFailure` reads */
export async function refreshTokens(config: Configuration, refresh_token: string): Promise<TokenSet> {
  return tokenSet(await refreshTokenGrant(config, refresh_token));
}

/** @throws what `providerFailure` reads */
export async function clientTokens(config: Configuration, scopes: readonly string[]): Promise<TokenSet> {
  const asked = new URLSearchParams(scopes.length > 0 ? { scope: scopes.join(' ') } : {});
  return { ...tokenSet(await clientCredentialsGrant(config, asked)), refresh_token: null };
}

/** RFC 7009. Does nothing where the provider has no such endpoint. @throws what `providerFailure` reads */
export async function revokeToken(config: Configuration, token: string, hint: string): Promise<void> {
  if (config.serverMetadata().revocation_endpoint === undefined) return;
  await tokenRevocation(config, token, { token_type_hint: hint });
}

function tokenSet(tokens: TokenEndpointResponse): TokenSet {
  return {
    access_token: tokens.access_token,
    refresh_token: tokens.refresh_token ?? null,
    expires_in: tokens.expires_in ?? null,
    scopes: tokens.scope === undefined ? null : tokens.scope.split(' ').filter(Boolean).slice(0, 100),
  };
}

const NOBODY: Account = { account: null, account_name: null };

/** Nice to have: that a provider does not tell who it is keeps nobody from connecting. */
async function userinfo(config: Configuration, access_token: string): Promise<Account> {
  const { userinfo_endpoint } = config.serverMetadata();
  if (userinfo_endpoint === undefined) return NOBODY;
  try {
    const headers = new Headers({ accept: 'application/json' });
    const answer = await fetchProtectedResource(config, access_token, new URL(userinfo_endpoint), 'GET', null, headers);
    if (!answer.ok) return NOBODY;
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null ? accountOf(body as Record<string, unknown>) : NOBODY;
  } catch {
    return NOBODY;
  }
}

/** Other providers' words for the same (`id`, `login`) count too. */
function accountOf(claims: Readonly<Record<string, unknown>>): Account {
  const first = (...names: string[]): string | null =>
    names.map((name) => plainLine(claims[name])).find((value) => value !== null) ?? null;
  return {
    account: first('sub', 'id'),
    account_name: first('email', 'preferred_username', 'login', 'name'),
  };
}

/** One line of ordinary text or a number; anything else is no name. */
function plainLine(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string' || value.length === 0 || value.length > 255) return null;
  return /^[^\p{Cc}\p{Cs}]+$/u.test(value) ? value : null;
}
