import type { Binding as BindingAnswer, CreateBinding, RotateBinding } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Binding, ProviderClient } from '@hcp/database';
import { bindingAnswer } from '../list.js';
import { done, refuse, wrongField, type Answer, type BindingRefusal } from '../refusal.js';
import { noAgents } from '../rights.js';
import { manageable } from '../scope-checks.js';
import { clientSecret } from './client-secret.js';
import { connectable, type ConnectDeps, type Wanted } from './connect.js';
import { providerFailure } from './failure.js';
import { clientTokens, type TokenSet } from './grants.js';
import { storeTokens } from './store-tokens.js';
import { refuseToken } from './tokens.js';

const KIND = 'oauth2_client_credentials';

/** Connects the OAuth client's own account (SPEC B2): the provider is asked for a token before anything is kept. */
export async function createOwnAccount(
  deps: ConnectDeps,
  caller: Caller,
  input: CreateBinding,
  now: Date,
): Promise<Answer<BindingAnswer>> {
  const { pack_id, family, shared = false } = input;
  const project_id = input.project_id ?? caller.session.project_id;
  const early = noAgents(caller) ?? extraProblem(input);
  return early ?? connect(deps, caller, { pack_id, family, project_id, shared }, null, now);
}

/** A new token now, as a new version: what was approved for the one before is not for it. */
export async function rotateOwnAccount(
  deps: ConnectDeps,
  caller: Caller,
  binding_id: string,
  input: RotateBinding,
  now: Date,
): Promise<Answer<BindingAnswer>> {
  const early = noAgents(caller) ?? extraProblem(input);
  if (early) return early;
  const found = await deps.db.tenant(caller.tenant_id, (tx) => manageable(tx, caller, binding_id, now));
  if (!found.ok) return found;
  const row = found.value;
  if (row.revoked_at !== null) return refuse('conflict', 'the binding is revoked: connect it anew');
  return connect(deps, caller, { ...row, shared: row.principal_id === null }, row, now);
}

/** Its kind, where the caller may see it; anything else is for the use case to answer. */
export async function kindOf(
  deps: Pick<ConnectDeps, 'db'>,
  caller: Caller,
  id: string,
  now: Date,
): Promise<string | null> {
  const found = await deps.db.tenant(caller.tenant_id, (tx) => manageable(tx, caller, id, now));
  return found.ok ? found.value.kind : null;
}

export const isOwnAccount = (kind: string | null): boolean => kind === KIND;

async function connect(
  deps: ConnectDeps,
  caller: Caller,
  wanted: Wanted,
  before: Binding | null,
  now: Date,
): Promise<Answer<BindingAnswer>> {
  const { tenant_id } = caller;
  const ready = await deps.db.tenant(tenant_id, async (tx): Promise<Answer<{ client: ProviderClient }>> => {
    const may = await connectable(deps, tx, caller, wanted, KIND, now);
    if (!may.ok || before) return may;
    const { pack_id, family, project_id } = wanted;
    const scope = { tenant_id, pack_id, family, project_id, principal_id: wanted.shared ? null : caller.principal.id };
    const taken = await tx.binding.findFirst({ where: { ...scope, revoked_at: null }, select: { id: true } });
    return taken ? refuse('conflict', 'there is such a binding already: rotate or revoke it') : may;
  });
  if (!ready.ok) return ready;
  const { client } = ready.value;
  const asked_at = new Date();
  const asked = await ask(deps, client);
  if (!asked.ok) return asked;
  const sealer = await deps.sealer(tenant_id);
  return deps.db.tenant(tenant_id, async (tx): Promise<Answer<BindingAnswer>> => {
    const again = await connectable(deps, tx, caller, wanted, KIND, now);
    if (!again.ok) return again;
    if (again.value.client.id !== client.id) return refuse('conflict', 'the OAuth client was changed at the same time');
    const row = await storeTokens(tx, { sealer, events: deps.events }, caller, wanted, {
      kind: KIND,
      client,
      pack: again.value.pack,
      set: asked.value,
      account: { account: client.client_id, account_name: null },
      asked_at,
    });
    return done(bindingAnswer(row, now));
  });
}

async function ask({ providers, sealer }: ConnectDeps, client: ProviderClient): Promise<Answer<TokenSet>> {
  const secret = await clientSecret(sealer, client);
  try {
    const set = await clientTokens(await providers.configuration(client, secret), client.scopes);
    const bad = refuseToken(set);
    return bad === null ? done(set) : refuse('conflict', `the provider's token ${bad}`);
  } catch (error) {
    return refuse('conflict', `the provider ${providerFailure(error).why}`);
  }
}

function extraProblem({ fields, expires_at }: Pick<CreateBinding, 'fields' | 'expires_at'>): BindingRefusal | null {
  if (fields !== undefined) return wrongField('/fields', 'are not given: the provider is asked for a token');
  return expires_at === undefined ? null : wrongField('/expires_at', 'is the provider’s to say');
}
