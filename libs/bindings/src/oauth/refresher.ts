import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binding, Database, ProviderClient } from '@hcp/database';
import { sql } from '@hcp/database';
import type { TenantSealer } from '../ports.js';
import { openFields, sealFields } from '../secret.js';
import { clientSecret } from './client-secret.js';
import type { CredentialEvents } from './events.js';
import { providerFailure, type ProviderFailure } from './failure.js';
import { clientTokens, refreshTokens, type TokenSet } from './grants.js';
import type { Providers } from './providers.js';
import { markStale, staleWords, type StaleReason } from './stale.js';
import { clocksOf, contentOf, refuseToken, tokensOf } from './tokens.js';

export interface RefresherDeps {
  readonly db: Database;
  readonly sealer: TenantSealer;
  readonly providers: Providers;
  readonly events: CredentialEvents;
  readonly onError: (error: Error) => void;
}

/** All in milliseconds. */
export interface RefresherOptions {
  /** How long a refresh is left to one who is not heard of; renewed while the provider is being asked. */
  readonly lease_ms: number;
  /** How long those who wait for another's refresh do so. */
  readonly wait_ms: number;
  /** Between looks at another's refresh. */
  readonly poll_ms: number;
  /** Pauses before each further try after an error that may pass. */
  readonly retry_ms: readonly number[];
}

const DEFAULTS: RefresherOptions = { lease_ms: 10_000, wait_ms: 60_000, poll_ms: 100, retry_ms: [250, 1000] };
/** How often a token that the provider gave is tried to be kept: the one before is good for nothing any more. */
const KEEP_TRIES = 10;

/** A connection whose token is due, as it was when somebody looked. */
export interface DueRefresh {
  readonly tenant_id: string;
  readonly id: string;
  readonly version: number;
  readonly token_version: number;
}

export type Refreshed =
  /** There is another token than the one that was seen. */
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** True: it stays so until somebody connects anew. */
      readonly stale: boolean;
      readonly why: string;
    };

/**
 * Gets new tokens, one at a time for each connection over all replicas (SPEC B5): who refreshes holds a lease in the row,
 * renewed for as long as the provider takes, and writes only over the very token that it used. Everyone else waits.
 */
export class Refresher {
  readonly #options: RefresherOptions;
  readonly #running = new Map<string, Promise<Refreshed>>();

  constructor(
    private readonly deps: RefresherDeps,
    options: Partial<RefresherOptions> = {},
  ) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Runs of one process that wait for the same token ask once. Never throws for what a provider does. */
  async refresh(due: DueRefresh): Promise<Refreshed> {
    const key = `${due.tenant_id}/${due.id}/${String(due.version)}/${String(due.token_version)}`;
    const known = this.#running.get(key);
    if (known) return known;
    const running = this.#refresh(due).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #refresh(due: DueRefresh): Promise<Refreshed> {
    const { wait_ms, poll_ms } = this.#options;
    const until = Date.now() + wait_ms;
    const me = randomUUID();
    for (;;) {
      const taken = await this.#take(due, me);
      if (taken.kind === 'mine') return this.#holding(taken.row, me);
      if (taken.kind === 'changed') return { ok: true };
      if (taken.kind === 'over') return { ok: false, stale: true, why: taken.why };
      if (Date.now() > until) return { ok: false, stale: false, why: 'another refresh of it takes too long' };
      await sleep(poll_ms);
    }
  }

  /** The lease, where nobody has it and the token is still the one that was seen. */
  async #take(
    { tenant_id, id, version, token_version }: DueRefresh,
    me: string,
  ): Promise<
    | { readonly kind: 'mine'; readonly row: Binding }
    | { readonly kind: 'changed' | 'busy' }
    | { readonly kind: 'over'; readonly why: string }
  > {
    const { lease_ms } = this.#options;
    return this.deps.db.tenant(tenant_id, async (tx) => {
      const won = await tx.$executeRaw(sql`
        update bindings set refresh_by = ${me}::uuid,
          refresh_until = clock_timestamp() + ${lease_ms} * interval '1 millisecond'
        where tenant_id = ${tenant_id}::uuid and id = ${id}::uuid and version = ${version}
          and token_version = ${token_version} and revoked_at is null and stale_at is null and refreshable
          and (refresh_until is null or refresh_until < clock_timestamp())`);
      const row = await tx.binding.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
      if (row?.revoked_at !== null) return { kind: 'over', why: 'it is revoked' };
      if (won === 1) return { kind: 'mine', row };
      if (row.version !== version || row.token_version !== token_version) return { kind: 'changed' };
      if (row.stale_at !== null || !row.refreshable) return { kind: 'over', why: staleWords(row.stale_reason) };
      return { kind: 'busy' };
    });
  }

  async #holding(row: Binding, me: string): Promise<Refreshed> {
    const { lease_ms } = this.#options;
    const beat = setInterval(() => void this.#renew(row, me).catch(this.deps.onError), lease_ms / 3);
    try {
      const asked = await this.#ask(row);
      if (asked.ok) return await this.#keep(row, asked.set, asked.asked_at);
      if (asked.reason !== null) return await this.#giveUp(row, asked.reason);
      return { ok: false, stale: false, why: asked.why };
    } finally {
      clearInterval(beat);
      await this.#release(row, me).catch(this.deps.onError);
    }
  }

  /** The provider, again where what went wrong may pass. `reason` null: it did not pass. */
  async #ask(
    row: Binding,
  ): Promise<
    | { readonly ok: true; readonly set: TokenSet; readonly asked_at: Date }
    | { readonly ok: false; readonly reason: StaleReason | null; readonly why: string }
  > {
    const client = await this.#client(row);
    if (client === null) return { ok: false, reason: 'client_removed', why: '' };
    // Before any try: what cannot be opened is no fault of the provider's.
    const grant = await this.#grant(row, client);
    for (let tries = 0; ; tries += 1) {
      const asked_at = new Date();
      try {
        const set = await grant();
        const bad = refuseToken(set);
        if (bad === null) return { ok: true, set, asked_at };
        this.deps.onError(new Error(`a provider's token ${bad}`));
        return { ok: false, reason: 'refused', why: '' };
      } catch (error) {
        const failure = providerFailure(error);
        const reason = staleReason(failure);
        if (reason !== null) return { ok: false, reason, why: failure.why };
        const pause = this.#options.retry_ms[tries];
        if (failure.kind !== 'transient' || pause === undefined) {
          return { ok: false, reason: null, why: `the provider ${failure.why}` };
        }
        await sleep(pause);
      }
    }
  }

  async #client({ tenant_id, provider_client_tenant_id, provider_client_id }: Binding): Promise<ProviderClient | null> {
    if (provider_client_tenant_id === null || provider_client_id === null) return null;
    const key = { tenant_id: provider_client_tenant_id, id: provider_client_id };
    return this.deps.db.tenant(tenant_id, (tx) => tx.providerClient.findUnique({ where: { tenant_id_id: key } }));
  }

  async #grant(row: Binding, client: ProviderClient): Promise<() => Promise<TokenSet>> {
    const { sealer, providers } = this.deps;
    const secret = await clientSecret(sealer, client);
    const { refresh_token } = tokensOf(
      openFields(await sealer(row.tenant_id), row, row.secret_enc ?? new Uint8Array()),
    );
    return async () => {
      const config = await providers.configuration(client, secret);
      if (row.kind === 'oauth2_client_credentials') return clientTokens(config, client.scopes);
      return refreshTokens(config, refresh_token ?? '');
    };
  }

  /** Over the very token that was used, and nothing else; the connection may have been made anew meanwhile. */
  async #keep(row: Binding, set: TokenSet, asked_at: Date): Promise<Refreshed> {
    const { db, sealer, events, onError } = this.deps;
    const { tenant_id, id, version } = row;
    const token_version = row.token_version + 1;
    const sealing = await sealer(tenant_id);
    const before = tokensOf(openFields(sealing, row, row.secret_enc ?? new Uint8Array()));
    // A provider that does not rotate says nothing of the refresh token: it stays.
    const refresh_token = set.refresh_token ?? before.refresh_token;
    const content = contentOf({ access_token: set.access_token, refresh_token });
    const data = {
      ...clocksOf(set, asked_at, true),
      token_version,
      secret_enc: sealFields(sealing, { ...row, token_version }, content),
      ...(set.scopes !== null && { scopes: [...set.scopes] }),
      refresh_by: null,
      refresh_until: null,
      stale_at: null,
      stale_reason: null,
    };
    for (let tries = 1; ; tries += 1) {
      try {
        await db.tenant(tenant_id, async (tx) => {
          const where = { tenant_id, id, version, token_version: row.token_version, revoked_at: null };
          const was = await tx.binding.findFirst({ where, select: { stale_at: true } });
          const { count } = await tx.binding.updateMany({ where, data });
          // Somebody else found it stale while this one's answer was on its way.
          if (count > 0 && was?.stale_at) await events.mended(tx, { ...row, reason: null });
        });
        return { ok: true };
      } catch (error) {
        onError(error as Error);
        if (tries === KEEP_TRIES) throw error;
        await sleep(Math.min(2000, 50 * 2 ** tries));
      }
    }
  }

  /** Unless another token came meanwhile: then that one is used. */
  async #giveUp(row: Binding, reason: StaleReason): Promise<Refreshed> {
    const { db, events } = this.deps;
    const { tenant_id, id } = row;
    return db.tenant(tenant_id, async (tx): Promise<Refreshed> => {
      if (await markStale(tx, events, row, reason, new Date()))
        return { ok: false, stale: true, why: staleWords(reason) };
      const now = await tx.binding.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
      if (now?.revoked_at !== null) return { ok: false, stale: true, why: 'it is revoked' };
      if (now.stale_at !== null) return { ok: false, stale: true, why: staleWords(now.stale_reason) };
      return { ok: true };
    });
  }

  async #renew({ tenant_id, id }: Binding, me: string): Promise<void> {
    const { lease_ms } = this.#options;
    await this.deps.db.tenant(tenant_id, (tx) =>
      tx.$executeRaw(sql`
        update bindings set refresh_until = clock_timestamp() + ${lease_ms} * interval '1 millisecond'
        where tenant_id = ${tenant_id}::uuid and id = ${id}::uuid and refresh_by = ${me}::uuid`),
    );
  }

  async #release({ tenant_id, id }: Binding, me: string): Promise<void> {
    await this.deps.db.tenant(tenant_id, (tx) =>
      tx.binding.updateMany({
        where: { tenant_id, id, refresh_by: me },
        data: { refresh_by: null, refresh_until: null },
      }),
    );
  }
}

const staleReason = ({ kind }: ProviderFailure): StaleReason | null =>
  kind === 'refused' || kind === 'client_refused' ? kind : null;
