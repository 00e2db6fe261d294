import { bindingFamilies, isStoredFamily, refuseBindingEnv, type Caller, type Pack } from '@hcp/core';
import type { Binding, Tx } from '@hcp/database';
import { done, refuse, unknownThing, wrongField, type Answer, type BindingRefusal } from './refusal.js';
import { manageProblem, sees } from './rights.js';

/** The binding, where the caller may see and manage it. */
export async function manageable(tx: Tx, caller: Caller, id: string, now: Date): Promise<Answer<Binding>> {
  const { tenant_id } = caller;
  const row = await tx.binding.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
  if (!row || !sees(caller, row, now)) return unknownThing();
  return manageProblem(caller, row, now) ?? done(row);
}

/** The families that have a stored credential, each for those it is meant for (SPEC B1). */
export function familyProblem(
  caller: Caller,
  { family, shared }: { readonly family: string; readonly shared?: boolean | undefined },
): BindingRefusal | null {
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

export function expiryProblem(expires_at: string | undefined, now: Date): BindingRefusal | null {
  if (expires_at === undefined || Date.parse(expires_at) > now.getTime()) return null;
  return wrongField('/expires_at', 'must be in the future');
}

export async function projectProblem(tx: Tx, tenant_id: string, id: string | null): Promise<BindingRefusal | null> {
  if (id === null) return null;
  const found = await tx.project.findUnique({ where: { tenant_id_id: { tenant_id, id } }, select: { id: true } });
  return found ? null : unknownThing();
}

export function packProblem(pack: Pack, { family }: { readonly family: string }): BindingRefusal | null {
  if (!(bindingFamilies(pack) as string[]).includes(family)) {
    return wrongField('/family', 'is not what this pack’s commands run with');
  }
  const variable = refuseBindingEnv(pack.manifest);
  return variable === null ? null : refuse('conflict', `the pack’s binding.env: ${variable}`);
}
