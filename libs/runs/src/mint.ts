import {
  bindingIdentity,
  dueRefresh,
  mintStored,
  staleBinding,
  type Due,
  type MintNeed,
  type Need,
} from '@hcp/bindings';
import { leaseLeft, type Caller, type Denial, type Plan } from '@hcp/core';
import type { Database, Run, Tx } from '@hcp/database';
import type { SignWorkload, TenantKeys } from './ports.js';

/** What a command runs with: it dies with the run (SPEC B4). */
export interface Lease {
  /** Which binding, for the audit: `public`, `local`, `mock`, or `<family>:<binding id>@<version>`. */
  readonly identity: string;
  /** Goes to the child's environment and nowhere else. */
  readonly env: Readonly<Record<string, string>>;
  /** Goes into the request of a command of an API and nowhere else. */
  readonly fields: Readonly<Record<string, string>>;
  /** Must not be seen in anything that the child says. */
  readonly secrets: readonly string[];
  /** When what is lent ends: the run ends before; null: it does not end by itself. */
  readonly expires_at: Date | null;
}

export type Mint =
  { readonly ok: true; readonly lease: Lease } | { readonly ok: false; readonly reason: string; readonly hint: string };

export interface MintDeps {
  readonly db: Database;
  readonly keys: TenantKeys;
  /** Null where this process cannot sign tokens of the issuer. */
  readonly workload: SignWorkload | null;
}

/** The run that a credential is for. */
export type MintedFor = Pick<Run, 'id' | 'args_digest' | 'timeout_ms'>;

/**
 * Step 5 of the pipeline (SPEC B1): `public` has no credential, `local` only its workspace, `mock` none by definition.
 * The others get the stored one or are refused: there is never a fallback to an environment token (SPEC E4).
 */
export async function mint(deps: MintDeps, caller: Caller, plan: Plan, run: MintedFor): Promise<Mint> {
  switch (plan.family) {
    case 'public':
    case 'local':
    case 'mock':
      return { ok: true, lease: { identity: plan.family, env: {}, fields: {}, secrets: [], expires_at: null } };
    case 'user':
    case 'mothership': {
      const sealer = await deps.keys(caller.tenant_id);
      const workload = workloadOf(deps.workload, caller, plan, run);
      return mintStored({ db: deps.db, sealer, workload }, mintNeed(caller, plan));
    }
    default:
      return { ok: false, reason: 'unknown binding family', hint: 'install the pack again' };
  }
}

/** The credential that a plan would be given now, and whose account it is, for its records and its digest (SPEC U1, V1). */
export async function identify(
  tx: Tx,
  caller: Caller,
  plan: Plan,
): Promise<{ readonly binding: string; readonly account: string | null }> {
  const found = await bindingIdentity(tx, needOf(caller, plan));
  return { binding: found?.identity ?? plan.family, account: found?.account ?? null };
}

/**
 * A connection whose token has to be renewed before a run (SPEC B4, B5), those of a composite's steps among them: a provider
 * that refuses then has spent no approval (SPEC V2), and nothing is left half done. Null where none has.
 * @param default_ms how long a command may take whose pack sets no time-out
 */
export async function dueFor(tx: Tx, caller: Caller, plan: Plan, default_ms: number): Promise<DueRenewal | null> {
  let until_ms = 0;
  for (const { at, plan: one } of partsOf(plan)) {
    // A step may begin as late as those before it let it.
    until_ms += one.timeout_ms ?? default_ms;
    if (one.family !== 'user' && one.family !== 'mothership') continue;
    const need = mintNeed(caller, one);
    const due = await dueRefresh(tx, need, until_ms);
    if (due) return { at, need, due };
  }
  return null;
}

export interface DueRenewal {
  /** Which step it is for, to stand before what is said of it. */
  readonly at: string;
  readonly need: MintNeed;
  readonly due: Due;
}

/** The command itself; of a composite its steps and theirs, as far as their arguments are known. */
function partsOf(plan: Plan, at = ''): { readonly at: string; readonly plan: Plan }[] {
  if (plan.steps.length === 0) return [{ at, plan }];
  return plan.steps.flatMap((each) => (each.plan ? partsOf(each.plan, `${at}step ${each.step.name}: `) : []));
}

/**
 * Step 5 looked at before an approval is spent: a stale credential keeps it (SPEC V2).
 * @returns null where the credential could be lent now, or none is needed
 */
export async function mintProblem(tx: Tx, caller: Caller, plan: Plan): Promise<Denial | null> {
  for (const step of plan.steps) {
    const denial = step.plan && (await mintProblem(tx, caller, step.plan));
    if (denial) return { ...denial, error: `step ${step.step.name}: ${denial.error}` };
  }
  if (plan.family !== 'user' && plan.family !== 'mothership') return null;
  const stale = await staleBinding(tx, mintNeed(caller, plan));
  return stale && { code: 'mint_failed', error: stale.reason, hint: stale.hint };
}

function workloadOf(sign: SignWorkload | null, caller: Caller, plan: Plan, run: MintedFor) {
  if (sign === null) return null;
  return (audience: string): Promise<string> =>
    sign({
      audience,
      tenant_id: caller.tenant_id,
      project_id: plan.project_id,
      principal_id: caller.principal.id,
      acts_for: caller.acts_for,
      pack_id: plan.pack.manifest.pack_id,
      verb_key: plan.verb_key,
      args_digest: run.args_digest,
      run_id: run.id,
      timeout_ms: run.timeout_ms ?? 0,
    });
}

const mintNeed = (caller: Caller, plan: Plan): MintNeed => ({
  ...needOf(caller, plan),
  manifest: plan.pack.manifest,
  platform: caller.platform,
  now: new Date(),
});

const needOf = (caller: Caller, plan: Plan): Need => ({
  tenant_id: caller.tenant_id,
  pack_id: plan.pack.manifest.pack_id,
  family: plan.family,
  principal_id: caller.principal.id,
  acts_for: caller.acts_for,
  project_id: plan.project_id,
});

/** The lease dies before the token does, and the run with it (SPEC B4). */
export function endingBefore({ expires_at }: Lease, run: Run): Run {
  const left_ms = leaseLeft(expires_at, new Date());
  return left_ms === null ? run : { ...run, timeout_ms: Math.max(1, Math.min(run.timeout_ms, left_ms)) };
}
