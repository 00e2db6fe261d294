import { isStoredFamily, refuseBindingEnv, renderBindingEnv } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { chooseBinding, identityOf, stateOf, type BindingFacts, type MintNeed, type Need } from './choose.js';
import type { MintDeps } from './kinds/kind.js';
import { mintByKind } from './kinds/registry.js';
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
  return {
    ok: true,
    lease: { identity: identityOf(chosen), env: rendered.env, fields: minted.fields, secrets: minted.secrets },
  };
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
  if (!chosen) return { ok: false, reason: `no ${family} binding for ${service}`, hint: connectHint(need) };
  const state = stateOf(chosen, now);
  const { secret_enc } = chosen;
  // The place for the event `credential_stale` once there are any (SPEC B6, N1).
  if (state !== 'active' || secret_enc === null) {
    return { ok: false, reason: `the ${family} binding for ${service} is ${state}`, hint: reconnectHint(need, chosen) };
  }
  return { ok: true, chosen, secret_enc };
}

/** Which credential a run would be given, for its records; null where it would be given none. */
export async function bindingIdentity(tx: Tx, need: Need): Promise<string | null> {
  const chosen = await chooseBinding(tx, need);
  return chosen && identityOf(chosen);
}

const PACK_HINT = 'the pack has to name its variables otherwise';

function connectHint({ pack_id, acts_for, family }: MintNeed): string {
  if (family === 'mothership') return 'an operator stores it with POST /v1/bindings, then send the call again';
  const who = acts_for === null ? 'connect it' : 'the person it acts for connects it';
  return `${who} with \`hcpx bindings add ${pack_id}\` or POST /v1/bindings, then send the call again`;
}

function reconnectHint(need: MintNeed, { principal_id, id, revoked_at }: BindingFacts): string {
  if (revoked_at === null) return rotateHint({ id });
  if (principal_id !== null) return connectHint(need);
  return `who holds binding.manage connects it again with \`hcpx bindings add ${need.pack_id} --shared\`, then send the call again`;
}

const rotateHint = ({ id }: { id: string }): string =>
  `give it a new secret with \`hcpx bindings rotate ${id}\`, then send the call again`;
