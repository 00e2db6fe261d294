import { canonicalJson, type Caller, type Pack, type Plan } from '@hcp/core';
import type { HostPack } from '../runtime.js';

/** `sha256:<hex>` of a text. */
export async function sha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `sha256:${Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Of arguments, for the audit; null where they have no canonical form. */
export async function argsDigest(args: Readonly<Record<string, unknown>>): Promise<string | null> {
  try {
    return await sha256(canonicalJson(args));
  } catch {
    return null;
  }
}

/**
 * Names one exact call: whatever in it changes, an approval of it is none of the changed one (SPEC V1).
 * @param bound what the runtime binds it to besides
 */
export async function callDigest(
  caller: Caller,
  plan: Plan,
  bound: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { manifest, digest } = plan.pack;
  const steps = await Promise.all(
    plan.steps.map(async (each) =>
      each.plan
        ? callDigest(caller, each.plan)
        : sha256(canonicalJson({ step: each.step, pack_digest: each.pack.digest })),
    ),
  );
  return sha256(
    canonicalJson({
      tenant_id: caller.tenant_id,
      project_id: plan.project_id,
      principal_id: caller.principal.id,
      principal_kind: caller.is_agent ? 'agent' : caller.principal.kind,
      acts_for: caller.acts_for,
      pack_id: manifest.pack_id,
      pack_version: manifest.version,
      pack_digest: digest,
      binding: plan.family,
      verb_key: plan.verb_key,
      args: plan.args,
      mode: plan.control.mode ?? null,
      access_mode: plan.mode,
      workspace_mode: plan.workspace_mode,
      bound,
      ...(steps.length > 0 && { steps }),
    }),
  );
}

const completed = new WeakMap<HostPack, Promise<Pack>>();

/** The pack with a digest: the host's, else one of what it says. */
export async function completePack(pack: HostPack): Promise<Pack> {
  if (pack.digest !== undefined) return { ...pack, skill: pack.skill ?? null, digest: pack.digest };
  const present = completed.get(pack);
  if (present !== undefined) return present;
  const { manifest, surface, policy } = pack;
  const made = sha256(canonicalJson({ manifest, surface, policy })).then((digest): Pack => ({
    manifest,
    surface,
    policy,
    skill: pack.skill ?? null,
    digest,
  }));
  completed.set(pack, made);
  return made;
}
