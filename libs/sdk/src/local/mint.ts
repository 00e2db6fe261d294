import { bindingFields, renderBindingEnv, type Denial, type Plan } from '@hcp/core';
import type { GatedCall } from '../access/gate.js';
import type { Mint } from './options.js';

/** What a run is lent: the child's environment, and what must not be seen in its output (SPEC B4). */
export interface Lease {
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

const NOTHING: Lease = { env: {}, secrets: [] };

/** Step 5: never a fallback to a token of the environment (SPEC E4). */
export async function lend(
  mint: Mint | undefined,
  { plan, caller }: GatedCall,
): Promise<{ readonly ok: true; readonly lease: Lease } | { readonly ok: false; readonly denial: Denial }> {
  const { family } = plan;
  if (family !== 'user' && family !== 'mothership') return { ok: true, lease: NOTHING };
  if (mint === undefined) return failed(plan, 'Give local() a mint that lends it.');
  const { manifest } = plan.pack;
  const { pack_id, binding } = manifest;
  let fields: Readonly<Record<string, string>> | null;
  try {
    fields = await mint({
      family,
      provider: binding.provider ?? null,
      pack_id,
      verb_key: plan.verb_key,
      principal_id: caller.principal.id,
      fields: bindingFields(manifest),
    });
  } catch {
    return failed(plan, 'The host could not lend it.');
  }
  if (fields === null) return failed(plan, 'Nobody has connected one.');
  const rendered = renderBindingEnv(manifest, fields);
  if (!rendered.ok) return failed(plan, `The credential has no ${rendered.field}.`);
  return { ok: true, lease: { env: rendered.env, secrets: Object.values(fields) } };
}

const failed = ({ family, pack }: Plan, hint: string): { ok: false; denial: Denial } => ({
  ok: false,
  denial: { code: 'mint_failed', error: `no ${family} binding for ${pack.manifest.pack_id}`, hint },
});
