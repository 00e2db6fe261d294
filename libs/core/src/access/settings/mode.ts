import type { Layer } from '../rules/rule.js';
import type { AccessLayers, Ignored } from './layers.js';
import { DEFAULT_MODE, looserThan, type Mode } from './settings.js';

export interface ModeChoice {
  readonly mode: Mode;
  readonly layer: Layer | 'default';
  /** What the process asked for and did not get. */
  readonly ignored: readonly Ignored[];
}

const NONE: readonly Ignored[] = [];

/**
 * The base's mode for a pack: process, own, pack, tenant, the first that is set. The process tightens freely and loosens
 * up to what a human set on its key or session (SPEC A1, A6).
 * @param pack_id null: for packs that have no mode of their own
 */
export function baseMode(layers: AccessLayers, pack_id: string | null): ModeChoice {
  const set = settledMode(layers, pack_id);
  const { process_mode: wanted, max_mode } = layers;
  if (wanted === null || wanted === set.mode) return set;
  if (!looserThan(wanted, set.mode)) return { mode: wanted, layer: 'process', ignored: NONE };
  // A bound that is stricter than what is set anyway does not tighten: it only bounds the process.
  const bound = max_mode !== null && looserThan(max_mode, set.mode) ? max_mode : set.mode;
  if (!looserThan(wanted, bound)) return { mode: wanted, layer: 'process', ignored: NONE };
  const why =
    max_mode === null ? 'no person let this key or session loosen the mode' : `it may loosen up to ${max_mode} only`;
  const ignored: readonly Ignored[] = [{ layer: 'process', setting: 'mode', why }];
  return bound === set.mode ? { ...set, ignored } : { mode: bound, layer: 'process', ignored };
}

function settledMode({ own_mode, base }: AccessLayers, pack_id: string | null): ModeChoice {
  if (own_mode !== null) return { mode: own_mode, layer: 'member', ignored: NONE };
  const { pack_modes, mode } = base;
  const for_pack = pack_id !== null && Object.hasOwn(pack_modes, pack_id) ? pack_modes[pack_id] : undefined;
  if (for_pack !== undefined) return { mode: for_pack, layer: 'pack', ignored: NONE };
  return mode === null
    ? { mode: DEFAULT_MODE, layer: 'default', ignored: NONE }
    : { mode, layer: 'tenant', ignored: NONE };
}
