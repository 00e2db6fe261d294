import { isStoredFamily, refuseBindingEnv, renderBindingEnv, tokenDue } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { chooseBinding, identityOf, stateOf, type BindingFacts, type MintNeed, type Need } from './choose.js';
import type { MintDeps } from './kinds/kind.js';
import { mintByKind } from './kinds/registry.js';
import { findClient } from './oauth/find-client.js';
import type { DueRefresh, Refresher } from './oauth/refresher.js';
import { staleWords } from './oauth/stale.js';
import { openFields } from './secret.js';

/** What one run is lent (SPEC B4): it lives in the worker's memory and dies with the run. */
export interface MintedLease {
  readonly identity: string;
  /** Goes to the child's environment and nowhere else. */
  readonly env: Readonly<Record<string, string>>;
  /** Goes into the request of a command of an API, where its document says, and nowhere else. */
  readonly fields: Readonly<Record<string, string>>;
  /** What must be hidden in all that the child says. */
  readonly secrets: readonly string[];
  /** When it ends: the run ends before; null: it does not end by itself. */
  readonly expires_at: Date | null;
}

export interface MintRefusal {
  readonly ok: false;
  readonly reason: string;
  /** How to connect, or connect again. */
  readonly hint: string;
}

export type Minted = { readonly ok: true; readonly lease: MintedLease } | MintRefusal;

/**
 * Opens the credential of one run and renders the environment from it. Never another one in its place: where the binding
 * that the run has is stale, the run is refused (SPEC E4, B6).
 * @throws where the stored secret was tampered with
 */
export async function mintStored(deps: MintDeps, need: MintNeed): Promise<Minted> {
  const ready = await deps.db.tenant(need.tenant_id, (tx) => readyBinding(tx, need));
  if (!ready.ok) return ready;
  const { chosen, secret_enc } = ready;
  const { manifest, family } = need;
  const refused = refuseBindingEnv(manifest);
  if (refused !== null) return { ok: false, reason: `binding.env of ${manifest.pack_id}: ${refused}`, hint: PACK_HINT };
  const content = openFields(deps.sealer, chosen, secret_enc);
  const minted = await mintByKind(chosen.kind, deps, { need, chosen, content });
  if (!minted.ok) return minted;
  const rendered = renderBindingEnv(manifest, minted.fields);
  if (!rendered.ok) {
    const reason = `the ${family} binding for ${serviceOf(need)} has no field ${rendered.field}`;
    return { ok: false, reason, hint: rotateHint(chosen) };
  }
  const { fields, secrets, expires_at = null } = minted;
  return { ok: true, lease: { identity: identityOf(chosen), env: rendered.env, fields, secrets, expires_at } };
}

/**
 * The connection whose token has to be renewed before a run of this length begins; null where none has (SPEC B4, B5).
 * Opens no secret.
 */
export async function dueRefresh(tx: Tx, need: MintNeed, run_ms: number): Promise<Due | null> {
  const ready = await readyBinding(tx, need);
  if (!ready.ok) return null;
  const { id, version, token_version, token_obtained_at, token_expires_at, refreshable } = ready.chosen;
  if (!refreshable || token_obtained_at === null) return null;
  const life = { obtained_at: token_obtained_at, expires_at: token_expires_at };
  if (!tokenDue(life, run_ms, need.now)) return null;
  return { tenant_id: need.tenant_id, id, version, token_version, chosen: ready.chosen };
}

/** A connection that has to be renewed, as it was when the run was looked at. */
export interface Due extends DueRefresh {
  readonly chosen: BindingFacts;
}

/** Renews it. Null where that went well, or another did it; the run is then decided again. */
export async function renewDue(refresher: Refresher, need: MintNeed, due: Due): Promise<MintRefusal | null> {
  const refreshed = await refresher.refresh(due);
  if (refreshed.ok) return null;
  const { stale, why } = refreshed;
  const what = `the ${need.family} binding for ${serviceOf(need)}`;
  return stale
    ? { ok: false, reason: `${what} is stale: ${why}`, hint: reconnectHint(need, due.chosen) }
    : { ok: false, reason: `${what} could not be renewed: ${why}`, hint: 'send the call again in a while' };
}

/** Why the credential that a run has could not be lent now; null where it could. Opens no secret. */
export async function staleBinding(tx: Tx, need: MintNeed): Promise<MintRefusal | null> {
  const ready = await readyBinding(tx, need);
  return ready.ok ? null : ready;
}

type Ready =
  | { readonly ok: true; readonly chosen: BindingFacts; readonly secret_enc: NonNullable<BindingFacts['secret_enc']> }
  | MintRefusal;

const serviceOf = ({ manifest }: MintNeed): string => manifest.binding.provider ?? manifest.pack_id;

async function readyBinding(tx: Tx, need: MintNeed): Promise<Ready> {
  const { family, now } = need;
  const service = serviceOf(need);
  if (!isStoredFamily(family) || (family === 'mothership' && !need.platform)) {
    return { ok: false, reason: `no ${family} binding for ${service}`, hint: 'its credential is the platform’s alone' };
  }
  const chosen = await chooseBinding(tx, need);
  if (!chosen) {
    const way = await wayToConnect(tx, need);
    return { ok: false, reason: `no ${family} binding for ${service}`, hint: connectHint(need, way) };
  }
  const state = stateOf(chosen, now);
  const { secret_enc } = chosen;
  if (state !== 'active' || secret_enc === null) {
    const why = state === 'stale' ? `: ${staleWords(chosen.stale_reason)}` : '';
    const reason = `the ${family} binding for ${service} is ${state}${why}`;
    return { ok: false, reason, hint: reconnectHint(need, chosen) };
  }
  return { ok: true, chosen, secret_enc };
}

/**
 * Which credential a run would be given and whose account it is, for its records and its digest; null where it would be
 * given none. The token of the moment is no part of it: a refresh leaves what was approved (SPEC V1).
 */
export async function bindingIdentity(
  tx: Tx,
  need: Need,
): Promise<{ readonly identity: string; readonly account: string | null } | null> {
  const chosen = await chooseBinding(tx, need);
  return chosen && { identity: identityOf(chosen), account: chosen.account };
}

const PACK_HINT = 'the pack has to name its variables otherwise';

type Way = 'add' | 'connect';

/** By OAuth where there is a client for it, else by a secret. */
async function wayToConnect(tx: Tx, { tenant_id, manifest }: MintNeed): Promise<Way> {
  const { provider } = manifest.binding;
  if (provider === undefined) return 'add';
  return (await findClient(tx, tenant_id, provider, 'authorization_code')) === null ? 'add' : 'connect';
}

function connectHint({ pack_id, acts_for, family }: MintNeed, way: Way, shared = false): string {
  const flag = shared ? ' --shared' : '';
  if (way === 'connect') {
    const who = shared
      ? 'who holds binding.manage connects'
      : acts_for === null
        ? 'connect'
        : 'the person it acts for connects';
    return `${who} it with \`hcpx connect ${pack_id}${flag}\`, then send the call again`;
  }
  if (family === 'mothership') return 'an operator stores it with POST /v1/bindings, then send the call again';
  const who = acts_for === null ? 'connect it' : 'the person it acts for connects it';
  return `${who} with \`hcpx bindings add ${pack_id}\` or POST /v1/bindings, then send the call again`;
}

function reconnectHint(need: MintNeed, { kind, principal_id, id, revoked_at }: BindingFacts): string {
  if (kind === 'oauth2_code') return connectHint(need, 'connect', principal_id === null);
  if (revoked_at === null) return rotateHint({ id });
  if (principal_id !== null) return connectHint(need, 'add');
  return `who holds binding.manage connects it again with \`hcpx bindings add ${need.pack_id} --shared\`, then send the call again`;
}

const rotateHint = ({ id }: { id: string }): string =>
  `give it a new secret with \`hcpx bindings rotate ${id}\`, then send the call again`;
