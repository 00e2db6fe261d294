import type { Binding as BindingAnswer, CreateBinding, RotateBinding } from '@hcp/contracts';
import { bindingFamilies, isStoredFamily, refuseBindingEnv, type Caller, type Pack } from '@hcp/core';
import { isUniqueViolation, type Binding, type Database, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { recordBindingAct } from './audit.js';
import { acceptNew, acceptRotated } from './kinds/registry.js';
import { bindingAnswer } from './list.js';
import type { LoadPack, TenantSealer } from './ports.js';
import { done, refuse, unknownThing, wrongField, type Answer, type BindingRefusal } from './refusal.js';
import { manageProblem, noAgents, sees } from './rights.js';
import { sealFields } from './secret.js';

export interface BindingDeps {
  readonly db: Database;
  readonly sealer: TenantSealer;
  readonly pack: LoadPack;
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
      },
    });
    if (count === 0) return refuse('conflict', 'the binding was changed at the same time: look at it again');
    const row = await tx.binding.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id } } });
    await recordBindingAct(tx, caller, 'binding.rotate', row);
    return done(bindingAnswer(row, now));
  });
}

/**
 * Erases a secret: no run is given it any more (SPEC B6). The binding stays, so that a wider one does not step in for it,
 * until it is connected anew or forgotten.
 */
export async function revokeBinding(
  { db }: Pick<BindingDeps, 'db'>,
  caller: Caller,
  id: string,
  { forget }: { readonly forget: boolean },
  now: Date,
): Promise<Answer<null>> {
  const { tenant_id } = caller;
  const refusal = noAgents(caller);
  if (refusal) return refusal;
  return db.tenant(tenant_id, async (tx): Promise<Answer<null>> => {
    const found = await manageable(tx, caller, id, now);
    if (!found.ok) return found;
    if (found.value.revoked_at === null) {
      const data = { revoked_at: now, secret_enc: null };
      const { count } = await tx.binding.updateMany({ where: { tenant_id, id, revoked_at: null }, data });
      if (count > 0) await recordBindingAct(tx, caller, 'binding.revoke', found.value);
    }
    if (forget) {
      const { count } = await tx.binding.deleteMany({ where: { tenant_id, id } });
      if (count > 0) await recordBindingAct(tx, caller, 'binding.forget', found.value);
    }
    return done(null);
  });
}

async function manageable(tx: Tx, caller: Caller, id: string, now: Date): Promise<Answer<Binding>> {
  const { tenant_id } = caller;
  const row = await tx.binding.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
  if (!row || !sees(caller, row, now)) return unknownThing();
  return manageProblem(caller, row, now) ?? done(row);
}

/** The families that have a stored credential, each for those it is meant for (SPEC B1). */
function familyProblem(caller: Caller, { family, shared }: CreateBinding): BindingRefusal | null {
  if (!isStoredFamily(family)) return wrongField('/family', 'has no stored credential');
  if (family === 'mothership') {
    if (!caller.platform) return refuse('forbidden', 'mothership credentials are the platform’s alone');
    if (shared !== true) return wrongField('/shared', 'must be true: a mothership credential is nobody’s own');
  }
  if (shared !== true && caller.acts_for !== null) {
    return refuse('forbidden', 'who acts for a person uses that person’s binding: the person connects it');
  }
  return null;
}

function expiryProblem(expires_at: string | undefined, now: Date): BindingRefusal | null {
  if (expires_at === undefined || Date.parse(expires_at) > now.getTime()) return null;
  return wrongField('/expires_at', 'must be in the future');
}

async function projectProblem(tx: Tx, tenant_id: string, id: string | null): Promise<BindingRefusal | null> {
  if (id === null) return null;
  const found = await tx.project.findUnique({ where: { tenant_id_id: { tenant_id, id } }, select: { id: true } });
  return found ? null : unknownThing();
}

function packProblem(pack: Pack, { family }: { readonly family: string }): BindingRefusal | null {
  if (!(bindingFamilies(pack) as string[]).includes(family)) {
    return wrongField('/family', 'is not what this pack’s commands run with');
  }
  const variable = refuseBindingEnv(pack.manifest);
  return variable === null ? null : refuse('conflict', `the pack’s binding.env: ${variable}`);
}
