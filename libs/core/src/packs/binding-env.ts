import { parseToken } from '../argv/template.js';
import { binOwner, refuseEnvironment } from './environment.js';
import type { Family, Manifest } from './manifest.js';
import type { Pack } from './pack.js';

/** Families whose credential is stored: the others have none (SPEC B1). */
export const STORED_FAMILIES = ['user', 'mothership'] as const satisfies readonly Family[];
export type StoredFamily = (typeof STORED_FAMILIES)[number];

export const isStoredFamily = (family: string): family is StoredFamily =>
  (STORED_FAMILIES as readonly string[]).includes(family);

/** The fields of a credential that the pack's `binding.env` names, in the order it names them. */
export function bindingFields({ binding }: Pick<Manifest, 'binding'>): string[] {
  return [...new Set(Object.values(binding.env ?? {}).flatMap((value) => parseToken(value).names))];
}

/** The stored families that the pack's commands run with: the manifest's and those of its policy rows (SPEC P4, B1). */
export function bindingFamilies({ manifest, policy }: Pick<Pack, 'manifest' | 'policy'>): StoredFamily[] {
  const rows = Object.values(policy.commands).map((row) => row.binding ?? manifest.binding.family);
  return STORED_FAMILIES.filter((family) => rows.includes(family));
}

/**
 * What keeps `binding.env` from being set at all, or null, by the rules that the sandbox has for the pack's program
 * (SPEC B6, S1). The check, the binding and the run ask here, so what may be installed may be bound and run. Names the variable.
 */
export function refuseBindingEnv(manifest: Pick<Manifest, 'binding' | 'wrap'>): string | null {
  return refuseEnvironment(manifest.binding.env ?? {}, binOwner(manifest));
}

/**
 * The child's environment of one run: each `{{field}}` replaced in one pass, values never looked at again (SPEC B4).
 * @returns the first field that has no value, instead
 */
export function renderBindingEnv(
  { binding }: Pick<Manifest, 'binding'>,
  fields: Readonly<Record<string, string>>,
): { readonly ok: true; readonly env: Record<string, string> } | { readonly ok: false; readonly field: string } {
  const env: Record<string, string> = {};
  for (const [name, template] of Object.entries(binding.env ?? {})) {
    const { parts, names } = parseToken(template);
    const missing = names.find((field) => !Object.hasOwn(fields, field));
    if (missing !== undefined) return { ok: false, field: missing };
    env[name] = parts.map((part, index) => (index % 2 === 0 ? part : (fields[part] ?? ''))).join('');
  }
  return { ok: true, env };
}
