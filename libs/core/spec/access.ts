import {
  DEFAULT_ACCESS,
  EMPTY_LAYER,
  RuleSet,
  type AccessLayers,
  type LayerSettings,
  type Rule,
} from '../src/index.js';

/** Layers as a spec wants them: what is left out was set by nobody. */
export const layersOf = (change: Partial<AccessLayers> = {}): AccessLayers => ({ ...DEFAULT_ACCESS, ...change });

export const layerOf = (rules: readonly Rule[], change: Partial<LayerSettings> = {}): LayerSettings => ({
  ...EMPTY_LAYER,
  rules: new RuleSet(rules),
  ...change,
});
