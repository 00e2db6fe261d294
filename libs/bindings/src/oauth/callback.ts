import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '@hcp/core';
import { isNotFound, isUniqueViolation, type Connection, type ProviderClient, type Tx } from '@hcp/database';
import {
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  randomNonce,
  randomPKCECodeVerifier,
} from 'openid-client';
import type { Answer } from '../refusal.js';
import type { Sealer } from '../ports.js';
import { clientSecret } from './client-secret.js';
import { connectable, redirectUri, type ConnectDeps } from './connect.js';
import { knownCode, providerFailure } from './failure.js';
import { exchangeCode } from './grants.js';
import { storeTokens } from './store-tokens.js';
import { codeOf, hashOf, matches, newSecret, readState, stateOf } from './tickets.js';
import { refuseToken } from './tokens.js';

export interface BrowserDeps extends ConnectDeps {
  /** Who began, on the rights of this moment. */
  readonly reload: (
    tx: Tx,
    who: { readonly tenant_id: string; readonly principal_id: string; readonly session_id: string },
  ) => Promise<{ readonly ok: true; readonly caller: Caller } | { readonly ok: false }>;
}

/** Why a browser gets no further, and what its person can do. */
export interface Stuck {
  readonly ok: false;
  readonly why: string;
}

/** The connection whose page in the dashboard this browser is to go to; null: it is told here. */
interface Whereto {
  readonly to_dashboard: string | null;
}

/** What the first page says, for its person to compare with what they asked for. */
export interface StartPage {
  readonly ok: true;
  readonly who: string;
  readonly tenant: string;
  readonly pack_id: string;
  readonly provider: string;
  readonly shared: boolean;
  readonly scopes: readonly string[];
  readonly code: string;
}

const NO_LINK: Stuck = { ok: false, why: 'This link is not valid, was used before, or ran out.' };
const stuck = (why: string): Stuck => ({ ok: false, why });

/** What a link leads to; changes nothing, so whatever previews links may look at it. */
export async function startPage(deps: BrowserDeps, id: string, ticket: string): Promise<StartPage | Stuck> {
  const row = await openLink(deps, id, ticket);
  if (!row) return NO_LINK;
  const { tenant_id, principal_id } = row;
  return deps.db.tenant(tenant_id, async (tx): Promise<StartPage | Stuck> => {
    const tenant = await tx.tenant.findUnique({ where: { id: tenant_id }, select: { name: true } });
    const key = { tenant_id_id: { tenant_id, id: principal_id } };
    const principal = await tx.principal.findUnique({ where: key, select: { name: true } });
    const client = await clientOf(tx, row);
    if (!tenant || !principal || !client) return NO_LINK;
    const { pack_id, provider, shared } = row;
    const { scopes } = client;
    return {
      ok: true,
      who: principal.name,
      tenant: tenant.name,
      pack_id,
      provider,
      shared,
      scopes,
      code: codeOf(ticket),
    };
  });
}

export interface Departure {
  readonly ok: true;
  /** The provider's own page. */
  readonly location: string;
  /** Proves on the way back that it is the same browser. */
  readonly browser: string;
  readonly max_age_s: number;
}

/** Sends this browser to the provider, and no other one after it: the link is good once. */
export async function depart(deps: BrowserDeps, id: string, ticket: string): Promise<Departure | Stuck> {
  const row = await openLink(deps, id, ticket);
  if (!row) return NO_LINK;
  const { tenant_id } = row;
  const client = await deps.db.tenant(tenant_id, (tx) => clientOf(tx, row));
  if (!client) return NO_LINK;
  let config;
  try {
    config = await deps.providers.configuration(client, null);
  } catch (error) {
    return stuck(`The provider ${providerFailure(error).why}. Try the same link again in a while.`);
  }
  const [verifier, nonce, secret, browser] = [randomPKCECodeVerifier(), randomNonce(), newSecret(), newSecret()];
  const state = stateOf(id, secret);
  const { scopes } = client;
  const location = buildAuthorizationUrl(config, {
    redirect_uri: redirectUri(deps.public_url),
    response_type: 'code',
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(scopes.includes('openid') && { nonce }),
    // OpenID Connect Core 11: without it the scope is to be ignored.
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
  });
  const sealer = await deps.sealer(tenant_id);
  const { count } = await deps.db.tenant(tenant_id, (tx) =>
    tx.connection.updateMany({
      where: { tenant_id, id, status: 'pending', expires_at: { gt: new Date() } },
      data: {
        status: 'started',
        state_hash: hashOf(secret),
        browser_hash: hashOf(browser),
        sealed: Buffer.from(sealer.seal(Buffer.from(JSON.stringify({ verifier, nonce })), placeOf(id))),
      },
    }),
  );
  if (count === 0) return NO_LINK;
  const max_age_s = Math.ceil((row.expires_at.getTime() - Date.now()) / 1000);
  return { ok: true, location: location.href, browser, max_age_s };
}

export interface Arrival {
  readonly ok: true;
  readonly pack_id: string;
  readonly provider: string;
  readonly account_name: string | null;
}

/**
 * A browser that comes back from the provider (SPEC B2): its state is good once, for ten minutes, for the browser that
 * left and the person who began, on that person's rights of now.
 * @param cookie what this browser has for a connection
 */
export async function arrive(
  deps: BrowserDeps,
  query: URLSearchParams,
  cookie: (connection_id: string) => string | undefined,
): Promise<(Arrival | Stuck) & Whereto> {
  const row = await connectionOf(deps, query);
  const here = row !== null && matches(cookie(row.id) ?? '', row.browser_hash);
  const arrived = row === null ? UNKNOWN : await finish(deps, row, here, query);
  // Only the browser that began hears of it there; its page asks the API how far the connection has come.
  return { ...arrived, to_dashboard: here && row.to_dashboard ? row.id : null };
}

const UNKNOWN: Stuck = { ok: false, why: 'This answer names no connection that began here.' };

/** The connection that the state of this answer was made for. */
async function connectionOf({ db }: BrowserDeps, query: URLSearchParams): Promise<Connection | null> {
  const states = query.getAll('state');
  const named = states.length === 1 ? readState(states[0] ?? '') : null;
  if (!named) return null;
  const row = await db.lookup(named.id, (tx) => tx.connection.findFirst({ where: { id: named.id } }));
  return row && matches(named.secret, row.state_hash) ? row : null;
}

/** @param here whether this browser is the one that left */
async function finish(
  deps: BrowserDeps,
  row: Connection,
  here: boolean,
  query: URLSearchParams,
): Promise<Arrival | Stuck> {
  if (row.status !== 'started') return stuck('This answer was used before: each is good once.');
  if (row.expires_at <= new Date()) return stuck('It took longer than ten minutes.');
  if (!here) {
    return stuck('It did not begin in this browser. Open the link in the browser that you sign in with.');
  }
  const { tenant_id, id } = row;
  const sealer = await deps.sealer(tenant_id);
  const claimed = await deps.db.tenant(tenant_id, (tx) =>
    tx.connection.updateMany({
      where: { tenant_id, id, status: 'started', state_hash: row.state_hash, expires_at: { gt: new Date() } },
      data: { status: 'exchanging', sealed: null },
    }),
  );
  if (claimed.count === 0) return stuck('This answer was used before: each is good once.');
  const arrived = await exchange(deps, sealer, row, query).catch((error: unknown) => {
    deps.onError(error as Error);
    return stuck('It could not be kept. Tell an operator if it stays so.');
  });
  if (!arrived.ok) await fail(deps, row, arrived.why);
  return arrived;
}

async function exchange(
  deps: BrowserDeps,
  sealer: Sealer,
  row: Connection,
  query: URLSearchParams,
): Promise<Arrival | Stuck> {
  const { tenant_id, id } = row;
  const client = await deps.db.tenant(tenant_id, (tx) => clientOf(tx, row));
  if (!client || row.sealed === null) return stuck('The OAuth client was removed meanwhile.');
  const opened = sealer.open(Buffer.from(row.sealed), placeOf(id)).toString();
  const { verifier, nonce } = JSON.parse(opened) as { verifier: string; nonce: string };
  const secret = await clientSecret(deps.sealer, client);
  const answer = new URL(redirectUri(deps.public_url));
  answer.search = query.toString();
  const asked_at = new Date();
  let tokens;
  try {
    const config = await deps.providers.configuration(client, secret);
    const checks = {
      state: query.get('state') ?? '',
      verifier,
      nonce: client.scopes.includes('openid') ? nonce : null,
    };
    tokens = await exchangeCode(config, answer, checks);
  } catch (error) {
    return stuck(exchangeWords(error));
  }
  const bad = refuseToken(tokens);
  if (bad !== null) return stuck(`The provider's token ${bad}.`);
  const { account, account_name } = tokens;
  const kept = await keep(async () =>
    deps.db.tenant(tenant_id, async (tx): Promise<Answer<null>> => {
      const who = await deps.reload(tx, row);
      if (!who.ok) return { ok: false, code: 'forbidden', detail: 'whoever began may not act here any more' };
      const ready = await connectable(deps, tx, who.caller, row, 'oauth2_code', new Date());
      if (!ready.ok) return ready;
      // A client that was changed while the browser was away may be another one.
      if (ready.value.client.id !== client.id)
        return { ok: false, code: 'conflict', detail: 'the OAuth client was changed' };
      const binding = await storeTokens(tx, { sealer, events: deps.events }, who.caller, row, {
        kind: 'oauth2_code',
        client,
        pack: ready.value.pack,
        set: tokens,
        account: { account, account_name },
        asked_at,
      });
      await tx.connection.updateMany({
        where: { tenant_id, id, status: 'exchanging' },
        data: { status: 'connected', binding_id: binding.id, ended_at: new Date() },
      });
      return { ok: true, value: null };
    }),
  );
  if (!kept.ok) return stuck(`It may not be connected now: ${kept.detail}.`);
  return { ok: true, pack_id: row.pack_id, provider: row.provider, account_name };
}

/** Two connections of one scope may end at the same moment: the later one is a new version of the other. */
async function keep<T>(write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (tries === 5 || !(isUniqueViolation(error) || isNotFound(error))) throw error;
      await sleep(20 * tries);
    }
  }
}

/** No word of it is the provider's, which might say anything. */
function exchangeWords(error: unknown): string {
  if (error instanceof AuthorizationResponseError) {
    return error.error === 'access_denied'
      ? 'The provider says that access was denied.'
      : `The provider answered ${knownCode(error.error)}.`;
  }
  if (error instanceof ClientError && MISMATCH.has(error.code ?? '')) {
    return 'The answer is not what this provider has to send (its issuer, state or identity token differs).';
  }
  return `The provider ${providerFailure(error).why}.`;
}

const MISMATCH = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
]);

async function fail({ db }: BrowserDeps, { tenant_id, id }: Connection, reason: string): Promise<void> {
  await db.tenant(tenant_id, (tx) =>
    tx.connection.updateMany({
      where: { tenant_id, id, status: 'exchanging' },
      data: { status: 'failed', reason, ended_at: new Date() },
    }),
  );
}

/** The connection of a link that nobody went through yet. */
async function openLink({ db }: BrowserDeps, id: string, ticket: string): Promise<Connection | null> {
  const row = await db.lookup(id, (tx) => tx.connection.findFirst({ where: { id } }));
  if (!row || !matches(ticket, row.ticket_hash)) return null;
  return row.status === 'pending' && row.expires_at > new Date() ? row : null;
}

function clientOf(
  tx: Tx,
  { provider_client_tenant_id, provider_client_id }: Connection,
): Promise<ProviderClient | null> {
  const key = { tenant_id: provider_client_tenant_id, id: provider_client_id };
  return tx.providerClient.findUnique({ where: { tenant_id_id: key } });
}

const placeOf = (id: string): string => `connection/${id}`;
