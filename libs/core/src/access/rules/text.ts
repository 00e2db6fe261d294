import { canonicalJson } from '../../digest/canonical-json.js';
import { findCommand, findPolicyRow } from '../../packs/lookup.js';
import type { Pack } from '../../packs/pack.js';

/**
 * What a person read when they wrote a rule for exactly this command: its surface and its policy row (SPEC P7).
 * @returns one canonical text; empty for no such command
 */
export function commandText(pack: Pick<Pack, 'surface' | 'policy'>, verb_key: string): string {
  const surface = findCommand(pack, verb_key);
  const policy = findPolicyRow(pack, verb_key);
  return surface === null || policy === null ? '' : canonicalJson({ surface, policy });
}
