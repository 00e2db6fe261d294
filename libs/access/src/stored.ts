import { ruleSchema, tenantSettingsSchema, type Mode, type SetRule, type TenantSettings, MODES } from '@hcp/core';
import type { AccessRuleRow, AccessSettings } from '@hcp/database';

export type RuleScope = 'tenant' | 'project' | 'member' | 'session';

/** A stored rule whose text this version cannot read might be a deny of anything. */
const UNREADABLE: Pick<SetRule, 'match' | 'decision' | 'note'> = {
  match: '*',
  decision: 'deny',
  note: 'a stored rule cannot be read',
};

export function ruleOf(row: AccessRuleRow): SetRule {
  const parsed = ruleSchema.safeParse(row.rule);
  const rule = parsed.success ? parsed.data : UNREADABLE;
  return {
    ...rule,
    id: row.id,
    layer: row.scope as RuleScope,
    ...(row.command_text !== null && { text: row.command_text }),
    ...(row.pack_digest !== null && { pack_digest: row.pack_digest }),
  };
}

/** What cannot be read is taken for the strictest there is. */
const STRICTEST: TenantSettings = { mode: 'manual', approvals: 'human', second_person: true };

export function settingsOf(row: Pick<AccessSettings, 'settings'> | null | undefined): TenantSettings {
  if (!row) return {};
  const parsed = tenantSettingsSchema.safeParse(row.settings);
  return parsed.success ? parsed.data : STRICTEST;
}

/** How far HCP-Mode may loosen; what cannot be read lets it nowhere. */
export function maxModeOf(row: Pick<AccessSettings, 'settings'> | null | undefined): Mode | null {
  const { max_mode } = (row?.settings ?? {}) as { max_mode?: unknown };
  return MODES.find((mode) => mode === max_mode) ?? null;
}
