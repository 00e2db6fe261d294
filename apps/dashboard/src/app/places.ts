import {
  IconActivity,
  IconClipboardCheck,
  IconBellRinging,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconPackage,
  IconSettings,
  IconShieldCheck,
  IconTerminal2,
  IconUsers,
} from '@tabler/icons-react';
import type { Me } from '@hcp/contracts';
import type { ComponentType } from 'react';
import { may } from './session.js';

export interface Place {
  readonly to:
    | '/'
    | '/approvals'
    | '/runs'
    | '/commands'
    | '/sense'
    | '/packs'
    | '/bindings'
    | '/people'
    | '/access'
    | '/audit'
    | '/settings';
  readonly label: string;
  readonly icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
  /** Whether the page has anything for this person; the API decides what it tells. */
  readonly shown: (me: Me) => boolean;
}

export interface Group {
  readonly label: string;
  readonly places: readonly Place[];
}

const everyone = (): boolean => true;

const GROUPS: readonly Group[] = [
  {
    label: 'Work',
    places: [
      { to: '/', label: 'Overview', icon: IconLayoutDashboard, shown: everyone },
      { to: '/approvals', label: 'Approvals', icon: IconClipboardCheck, shown: everyone },
      { to: '/runs', label: 'Runs', icon: IconActivity, shown: everyone },
      { to: '/commands', label: 'Commands', icon: IconTerminal2, shown: everyone },
      { to: '/sense', label: 'Sense', icon: IconBellRinging, shown: everyone },
    ],
  },
  {
    label: 'Set up',
    places: [
      { to: '/packs', label: 'Packs', icon: IconPackage, shown: everyone },
      {
        to: '/bindings',
        label: 'Bindings',
        icon: IconKey,
        shown: (me) => may(me, 'pack.connect') || may(me, 'binding.manage'),
      },
      { to: '/people', label: 'People', icon: IconUsers, shown: (me) => may(me, 'access.manage') },
    ],
  },
  {
    label: 'Rules and records',
    places: [
      { to: '/access', label: 'Access', icon: IconShieldCheck, shown: everyone },
      { to: '/audit', label: 'Audit', icon: IconHistory, shown: (me) => may(me, 'audit.read') },
      { to: '/settings', label: 'Settings', icon: IconSettings, shown: everyone },
    ],
  },
];

/** Where the navigation leads this person. */
export function placesFor(me: Me): Group[] {
  return GROUPS.map(({ label, places }) => ({
    label,
    places: places.filter(({ shown }) => shown(me)),
  })).filter(({ places }) => places.length > 0);
}
