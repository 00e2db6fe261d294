import { createHmac } from 'node:crypto';
import { canonicalJson, type Caller, type ExecEnvelope, type Plan, type StepPlan } from '@hcp/core';

/** What a call is bound to besides caller, pack and arguments. */
export interface Bound {
  /** Which credential it would be given: family, binding id and version. */
  readonly binding: string;
  /** The provider's name for the account that it is; null where there is none or nobody said. */
  readonly account: string | null;
  /** Names the workspace it runs in; null where it has none that outlives it. */
  readonly workspace: string | null;
  /** Content hashes of the files that the call names. */
  readonly files: Readonly<Record<string, string>>;
  /** Of a composite: the digest of each of its steps, in their order. */
  readonly steps: readonly string[];
}

/**
 * The keyed digest of one exact call (SPEC V1, U1): HMAC-SHA256 with the tenant's key over the canonical form
 * (RFC 8785), so that nobody without the key can guess arguments by trying.
 * @returns `hmac-sha256:<hex>`
 */
export function callDigest(
  key: Buffer,
  caller: Caller,
  plan: Plan,
  { binding, account, workspace, files, steps }: Bound,
): string {
  const { manifest, digest } = plan.pack;
  return hmac(key, {
    tenant_id: caller.tenant_id,
    project_id: plan.project_id,
    principal_id: caller.principal.id,
    // A yes to a person is none to an agent that has that person's token (SPEC T2).
    principal_kind: caller.is_agent ? 'agent' : caller.principal.kind,
    acts_for: caller.acts_for,
    pack_id: manifest.pack_id,
    pack_version: manifest.version,
    pack_digest: digest,
    image: manifest.wrap?.image ?? null,
    binding,
    account,
    verb_key: plan.verb_key,
    args: plan.args,
    mode: plan.control.mode ?? null,
    access_mode: plan.mode,
    workspace_mode: plan.workspace_mode,
    workspace,
    files,
    ...(steps.length > 0 && { steps }),
  });
}

/** Of a step whose arguments wait for an earlier result: what is known of it. */
export function waitingStepDigest(key: Buffer, { step, pack }: StepPlan): string {
  const { manifest, digest } = pack;
  return hmac(key, { step, pack_id: manifest.pack_id, pack_version: manifest.version, pack_digest: digest });
}

/** Equal for equal envelopes only (SPEC E7). */
export function envelopeDigest(key: Buffer, envelope: ExecEnvelope, project_id: string | null): string {
  return hmac(key, { envelope, project_id });
}

function hmac(key: Buffer, value: object): string {
  return `hmac-sha256:${createHmac('sha256', key).update(canonicalJson(value)).digest('hex')}`;
}
