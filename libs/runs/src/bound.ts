import { namedTexts, type Caller, type Plan, type Step } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { hashFiles, insideWorkspace } from '@hcp/sandbox';
import { callDigest, waitingStepDigest, type Bound } from './digest.js';
import { identify } from './mint.js';
import type { Workspaces } from './workspaces.js';

/** Where a call is bound. */
export interface Binder {
  readonly tx: Tx;
  /**
   * Null in a process that has no way to them: a call whose arguments name a file there is then not the one that was
   * approved, and asks again.
   */
  readonly workspaces: Workspaces | null;
  /** The tenant's, for digests. */
  readonly digest_key: Buffer;
  readonly caller: Caller;
}

/**
 * What a yes to a composite is a yes to, by the place of the step. Not by what a step does alone: a step whose arguments
 * were not there yet may come to the same call as one that the person saw, and would do it once more.
 */
export type Covers = ReadonlyMap<string, string>;

/** Names a step below the call that was sent. */
export const stepPlace = (above: string, { name }: Pick<Step, 'name'>): string => `${above}/${name}`;

/** A call as it is bound now. */
export interface BoundCall {
  readonly binding: string;
  /** Of the call with all that it is bound to, its steps included (SPEC V1). */
  readonly digest: string;
  /** The digest of each step of a composite, and of their steps, by its place: a yes to the call is one to each of these. */
  readonly covers: Covers;
}

/** What binds a call at this moment (SPEC V1). */
export async function bind(binder: Binder, plan: Plan, place = ''): Promise<BoundCall> {
  const { tx, workspaces, digest_key, caller } = binder;
  const owner = {
    tenant_id: caller.tenant_id,
    principal_id: caller.principal.id,
    pack_id: plan.pack.manifest.pack_id,
    project_id: plan.project_id,
  };
  const workspace = workspaces?.of(owner, plan.workspace_mode) ?? null;
  // Only where somebody is asked: a plain run's digest need not read its files.
  const asks = plan.judged.decision === 'ask';
  const steps: string[] = [];
  const covers = new Map<string, string>();
  for (const each of plan.steps) {
    const step = stepPlace(place, each.step);
    const bound = each.plan && (await bind(binder, each.plan, step));
    steps.push(bound?.digest ?? waitingStepDigest(digest_key, each));
    if (!bound) continue;
    covers.set(step, bound.digest);
    for (const [below, digest] of bound.covers) covers.set(below, digest);
  }
  const bound: Bound = {
    ...(await identify(tx, caller, plan)),
    workspace: keyOf(owner, plan),
    files: asks && workspace ? await hashFiles(namedTexts(plan), insideWorkspace(workspace.dir)) : {},
    steps,
  };
  return { binding: bound.binding, digest: callDigest(digest_key, caller, plan, bound), covers };
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
