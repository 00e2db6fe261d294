import type { Access, UpdateAccessSettings } from '@hcp/contracts';
import { DEFAULT_APPROVALS, DEFAULT_PENDING_TTL_S, type TenantSettings, tenantSettingsSchema } from '@hcp/core';

type Setting = keyof UpdateAccessSettings;

/** What the tenant sets itself; null: nothing, so that the default counts. */
export type Draft = { readonly [K in Setting]: Exclude<TenantSettings[K], undefined> | null };

export const DEFAULTS = {
  approvals: DEFAULT_APPROVALS,
  second_person: false,
  approvers: 1,
  reason_required: false,
  member_access: false,
  pending_ttl_s: DEFAULT_PENDING_TTL_S,
  narrower: {},
} as const;

export function draftOf({ layers }: Access): Draft {
  const parsed = tenantSettingsSchema.safeParse(layers.find(({ layer }) => layer === 'tenant')?.settings ?? {});
  const settings: TenantSettings = parsed.success ? parsed.data : {};
  return {
    approvals: settings.approvals ?? null,
    second_person: settings.second_person ?? null,
    approvers: settings.approvers ?? null,
    reason_required: settings.reason_required ?? null,
    member_access: settings.member_access ?? null,
    pending_ttl_s: settings.pending_ttl_s ?? null,
    narrower: settings.narrower ?? null,
  };
}

/** What differs, as the API takes it; null where nothing does. */
export function changesOf(before: Draft, after: Draft): UpdateAccessSettings | null {
  const names = Object.keys(after) as Setting[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return changed.length === 0 ? null : Object.fromEntries(changed.map((name) => [name, after[name]]));
}
