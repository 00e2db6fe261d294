import { bindingFamilies, commandFamily, isStoredFamily, type Caller, type Pack } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { chooseBinding, stateOf, type BindingState } from './choose.js';

export interface BindingAvailability {
  readonly family: string;
  readonly state: BindingState | 'missing';
  /** Some commands of the pack need it, or all of them. */
  readonly needed_by: 'some' | 'all';
}

/** Whether the credential that a pack's commands need is there for this caller; null where they need none. */
export async function bindingAvailability(
  tx: Tx,
  caller: Caller,
  pack: Pack,
  { project_id, now }: { readonly project_id: string | null; readonly now: Date },
): Promise<BindingAvailability | null> {
  const family = bindingFamilies(pack)[0];
  if (family === undefined) return null;
  const binding = await chooseBinding(tx, {
    tenant_id: caller.tenant_id,
    pack_id: pack.manifest.pack_id,
    family,
    principal_id: caller.principal.id,
    acts_for: caller.acts_for,
    project_id,
  });
  const verbs = Object.keys(pack.policy.commands);
  const all = verbs.every((verb_key) => isStoredFamily(commandFamily(pack, verb_key)));
  return { family, state: binding ? stateOf(binding, now) : 'missing', needed_by: all ? 'all' : 'some' };
}
