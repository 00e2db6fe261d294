import type { Binding as BindingAnswer, CreateBinding, RotateBinding } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { isUniqueViolation, type Database, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { recordBindingAct } from './audit.js';
import { acceptNew, acceptRotated } from './kinds/registry.js';
import { bindingAnswer } from './list.js';
import type { LoadPack, TenantSealer } from './ports.js';
import type { CredentialEvents } from './oauth/events.js';
import { revocationOf, type RevokeAtProvider } from './oauth/revoke.js';
import { done, refuse, unknownThing, type Answer } from './refusal.js';
import { manageProblem, noAgents } from './rights.js';
import { expiryProblem, familyProblem, manageable, packProblem, projectProblem } from './scope-checks.js';
import { sealFields } from './secret.js';

export interface BindingDeps {
  readonly db: Database;
  readonly sealer: TenantSealer;
  readonly pack: LoadPack;
  readonly events: CredentialEvents;
}

/** Stores a credential, for oneself or shared; takes the place of a revoked one (SPEC B1, B3). */
export async function createBinding(
  deps: BindingDeps,
  caller: Caller,
  input: CreateBinding,
  now: Date,
): Promise<Answer<BindingAnswer>> {
  const { tenant_id, principal } = caller;
  const { pack_id, family, kind } = input;
  const project_id = input.project_id ?? caller.session.project_id;
  const principal_id = input.shared === true ? null : principal.id;
  const early = noAgents(caller) ?? familyProblem(caller, input) ?? expiryProblem(input.expires_at, now);
  if (early) return early;
  const sealer = await deps.sealer(tenant_id);
  const create = async (tx: Tx): Promise<Answer<BindingAnswer>> => {
    const project = await projectProblem(tx, tenant_id, project_id);
    if (project) return project;
    const right = manageProblem(caller, { pack_id, principal_id, project_id }, now);
    if (right) return right;
    const pack = await deps.pack(tx, caller, pack_id, project_id);
    if (!pack) return unknownThing();
    const problem = packProblem(pack, input);
    if (problem) return problem;
    const accepted = acceptNew(pack, input);
    if (!accepted.ok) return accepted;
    const scope = { tenant_id, pack_id, family, principal_id, project_id };
    await tx.binding.deleteMany({ where: { ...scope, revoked_at: { not: null } } });
    const place = { id: uuidv7(), version: 1, pack_id, family, kind };
    const row = await tx.binding.create({
      data: {
        ...scope,
        ...place,
        field_names: [...accepted.field_names],
        secret_enc: sealFields(sealer, place, accepted.content),
        expires_at: input.expires_at === undefined ? null : new Date(input.expires_at),
        created_by: principal.id,
        rotated_by: principal.id,
      },
    });
    await deps.events.mended(tx, { ...row, reason: null });
    await recordBindingAct(tx, caller, 'binding.create', row);
    return done(bindingAnswer(row, now));
  };
  try {
    return await deps.db.tenant(tenant_id, create);
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('conflict', 'there is such a binding already: rotate or revoke it');
    throw error;
  }
}

/** Gives a binding a new secret; runs that start from now on have it. */
export async function rotateBinding(
  deps: BindingDeps,
  caller: Caller,
  id: string,
  input: RotateBinding,
  now: Date,
): Promise<Answer<BindingAnswer>> {
  const { tenant_id, principal } = caller;
  const early = noAgents(caller) ?? expiryProblem(input.expires_at, now);
  if (early) return early;
  const sealer = await deps.sealer(tenant_id);
  return deps.db.tenant(tenant_id, async (tx): Promise<Answer<BindingAnswer>> => {
    const found = await manageable(tx, caller, id, now);
    if (!found.ok) return found;
    const before = found.value;
    if (before.revoked_at !== null) return refuse('conflict', 'the binding is revoked: connect it anew');
    const pack = await deps.pack(tx, caller, before.pack_id, before.project_id);
    if (!pack) return unknownThing();
    const problem = packProblem(pack, before);
    if (problem) return problem;
    const accepted = acceptRotated(pack, before.kind, input);
    if (!accepted.ok) return accepted;
    const version = before.version + 1;
    const { count } = await tx.binding.updateMany({
      where: { tenant_id, id, version: before.version, revoked_at: null },
      data: {
        version,
        field_names: [...accepted.field_names],
        secret_enc: sealFields(sealer, { ...before, version }, accepted.content),
        expires_at: input.expires_at === undefined ? null : new Date(input.expires_at),
        rotated_by: principal.id,
        rotated_at: now,
        stale_at: null,
        stale_reason: null,
      },
    });
    if (count === 0) return refuse('conflict', 'the binding was changed at the same time: look at it again');
    const row = await tx.binding.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id } } });
    await deps.events.mended(tx, { ...row, reason: null });
    await recordBindingAct(tx, caller, 'binding.rotate', row);
    return done(bindingAnswer(row, now));
  });
}

/**
 * Erases a secret: no run is given it any more (SPEC B6). The binding stays, so that a wider one does not step in for it,
 * until it is connected anew or forgotten. A provider that gave it hears of it afterwards, if it listens (RFC 7009).
 */
export async function revokeBinding(
  deps: Pick<BindingDeps, 'db' | 'events' | 'sealer'> & { readonly atProvider: RevokeAtProvider },
  caller: Caller,
  id: string,
  { forget }: { readonly forget: boolean },
  now: Date,
): Promise<Answer<null>> {
  const { tenant_id } = caller;
  const refusal = noAgents(caller);
  if (refusal) return refusal;
  const sealer = await deps.sealer(tenant_id);
  const gone = await deps.db.tenant(tenant_id, async (tx) => {
    const found = await manageable(tx, caller, id, now);
    if (!found.ok) return found;
    const row = found.value;
    if (row.revoked_at === null) {
      const data = { revoked_at: now, secret_enc: null, refreshable: false, stale_at: null, stale_reason: null };
      const { count } = await tx.binding.updateMany({ where: { tenant_id, id, revoked_at: null }, data });
      if (count > 0) {
        await deps.events.stale(tx, { ...row, reason: 'revoked' });
        await recordBindingAct(tx, caller, 'binding.revoke', row);
      }
    }
    if (forget) {
      const { count } = await tx.binding.deleteMany({ where: { tenant_id, id } });
      if (count > 0) {
        await deps.events.mended(tx, { ...row, reason: null });
        await recordBindingAct(tx, caller, 'binding.forget', row);
      }
    }
    return done(row);
  });
  if (!gone.ok) return gone;
  const revocation = revocationOf(sealer, gone.value);
  if (revocation !== null) await deps.atProvider(revocation);
  return done(null);
}
