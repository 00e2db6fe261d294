import type { Access } from '@hcp/contracts';
import { baseMode, effectiveApprovals, looserThan, type AccessLayers, type Ignored, type Layer } from '@hcp/core';
import type { Loaded } from './loader.js';

/** Everything that was set and does not count, with why (SPEC A6). */
export function ignoredOf(loaded: Loaded, layers: AccessLayers, shown: Access['layers']): Access['ignored'] {
  return [
    ...ownEntries(loaded),
    ...baseMode(layers, null).ignored,
    ...processApprovals(layers),
    ...tightening('platform', loaded, layers),
    ...tightening('project', loaded, layers),
    ...suspended(shown),
  ].map(({ rule_id, ...each }) => ({ ...each, ...(rule_id !== undefined && { rule_id }) }));
}

/** One's own settings in a tenant that does not let its members have any. */
function ownEntries({ tenant, own }: Loaded): Ignored[] {
  if (tenant.settings.member_access === true) return [];
  const why = 'the tenant does not set member_access';
  const settings = Object.keys(own.settings).map((setting): Ignored => ({ layer: 'member', setting, why }));
  const rules = own.member_rules.map((rule, index) => ruleEntry('member', index, rule.id, why));
  return [...settings, ...rules];
}

/** A process can take an agent's yes away, never let it count. */
function processApprovals(layers: AccessLayers): Ignored[] {
  if (layers.process_approvals !== 'agent' || effectiveApprovals(layers) === 'agent') return [];
  return [{ layer: 'process', setting: 'approvals', why: 'a process does not let an agent’s yes count' }];
}

/** What would loosen in a layer that only tightens. */
function tightening(layer: 'platform' | 'project', loaded: Loaded, layers: AccessLayers): Ignored[] {
  const entry = loaded[layer];
  if (entry === null) return [];
  const { settings, rules } = entry;
  const found: Ignored[] = [];
  const base = baseMode(layers, null);
  if (settings.mode !== undefined && looserThan(settings.mode, base.mode)) {
    found.push({ layer, setting: 'mode', why: looser(settings.mode, base.mode) });
  }
  for (const [pack_id, { mode }] of Object.entries(settings.packs ?? {})) {
    const there = baseMode(layers, pack_id);
    if (mode !== undefined && looserThan(mode, there.mode)) {
      found.push({ layer, setting: `packs.${pack_id}.mode`, why: looser(mode, there.mode) });
    }
  }
  if (settings.approvals === 'agent' && effectiveApprovals(layers) === 'human') {
    found.push({
      layer,
      setting: 'approvals',
      why: `a ${layer} does not let an agent’s yes count; the tenant would have to`,
    });
  }
  const why = `a ${layer} only tightens: an allow does not loosen what the tenant’s settings ask about`;
  rules.forEach((rule, index) => {
    if (rule.decision === 'allow') found.push(ruleEntry(layer, index, rule.id, why));
  });
  return found;
}

const looser = (mode: string, base: string): string => `would loosen: ${mode} is looser than ${base}`;

const ruleEntry = (layer: Layer, index: number, id: string | undefined, why: string): Ignored => ({
  layer,
  setting: `rules.${String(index)}`,
  why,
  ...(id !== undefined && { rule_id: id }),
});

function suspended(shown: Access['layers']): Ignored[] {
  return shown.flatMap(({ layer, rules }) =>
    rules.flatMap((rule, index) =>
      rule.suspended === null ? [] : [ruleEntry(layer, index, rule.id ?? undefined, rule.suspended)],
    ),
  );
}
