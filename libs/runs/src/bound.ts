import type { Caller, Plan } from '@hcp/core';
import type { Tx } from '@hcp/database';
import type { Bound } from './digest.js';
import { hashFiles } from './file-arguments.js';
import { identify } from './mint.js';
import type { Workspaces } from './workspaces.js';

/**
 * What binds a call at this moment (SPEC V1).
 * @param workspaces null in a process that has no way to them: a call whose arguments name a file there is then not the
 *   one that was approved, and asks again
 */
export async function bind(tx: Tx, workspaces: Workspaces | null, caller: Caller, plan: Plan): Promise<Bound> {
  const owner = {
    tenant_id: caller.tenant_id,
    principal_id: caller.principal.id,
    pack_id: plan.pack.manifest.pack_id,
    project_id: plan.project_id,
  };
  const workspace = workspaces?.of(owner, plan.workspace_mode) ?? null;
  // Only where somebody is asked: a plain run's digest need not read its files.
  const asks = plan.judged.decision === 'ask';
  return {
    binding: await identify(tx, caller, plan),
    workspace: keyOf(owner, plan),
    files: asks ? await hashFiles(workspace?.dir ?? null, plan.args) : {},
  };
}

function keyOf(owner: { principal_id: string; pack_id: string; project_id: string | null }, plan: Plan): string | null {
  switch (plan.workspace_mode) {
    case 'project':
      return `project/${owner.project_id ?? ''}`;
    case 'workspace':
      return `private/${owner.principal_id}/${owner.pack_id}`;
    default:
      return null;
  }
}
