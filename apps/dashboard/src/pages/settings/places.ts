import type { Me } from '@hcp/contracts';
import type { Capability } from '@hcp/core';
import { may } from '../../app/session.js';

export interface SettingsPlace {
  readonly to:
    | '/settings/approvals'
    | '/settings/projects'
    | '/settings/webhooks'
    | '/settings/identity-providers'
    | '/settings/providers'
    | '/settings/about'
    | '/settings/tenants'
    | '/settings/keys';
  readonly label: string;
  /** What it takes; shown to everyone where it is left out. */
  readonly needs?: Capability;
}

interface SettingsGroup {
  readonly label: string;
  readonly places: readonly SettingsPlace[];
}

const GROUPS: readonly SettingsGroup[] = [
  {
    label: 'Tenant',
    places: [
      { to: '/settings/approvals', label: 'Approvals', needs: 'access.manage' },
      { to: '/settings/projects', label: 'Projects' },
      { to: '/settings/webhooks', label: 'Webhooks', needs: 'tenant.manage' },
      { to: '/settings/identity-providers', label: 'Identity providers', needs: 'tenant.manage' },
      { to: '/settings/providers', label: 'OAuth clients', needs: 'tenant.manage' },
      { to: '/settings/about', label: 'About' },
    ],
  },
  {
    label: 'Operator',
    places: [
      { to: '/settings/tenants', label: 'Tenants', needs: 'platform.manage' },
      { to: '/settings/keys', label: 'Keys', needs: 'platform.manage' },
    ],
  },
];

/** The settings that this person has anything to do with. */
export function settingsFor(me: Me): SettingsGroup[] {
  return GROUPS.map(({ label, places }) => ({
    label,
    places: places.filter(({ needs }) => needs === undefined || may(me, needs)),
  })).filter(({ places }) => places.length > 0);
}
