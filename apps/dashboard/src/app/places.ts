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
  /** Whether the page has anything for this person; shown to everyone where it is left out. */
  readonly shown?: (me: Me) => boolean;
}

export interface Group {
  readonly label: string;
  readonly places: readonly Place[];
}

const GROUPS: readonly Group[] = [
  {
    label: 'Work',
    places: [
      { to: '/', label: 'Overview', icon: IconLayoutDashboard },
      { to: '/approvals', label: 'Approvals', icon: IconClipboardCheck },
      { to: '/runs', label: 'Runs', icon: IconActivity },
      { to: '/commands', label: 'Commands', icon: IconTerminal2 },
      { to: '/sense', label: 'Sense', icon: IconBellRinging },
    ],
  },
  {
    label: 'Set up',
    places: [
      { to: '/packs', label: 'Packs', icon: IconPackage },
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
      { to: '/access', label: 'Access', icon: IconShieldCheck },
      { to: '/audit', label: 'Audit', icon: IconHistory, shown: (me) => may(me, 'audit.read') },
      { to: '/settings', label: 'Settings', icon: IconSettings },
    ],
  },
];

/** Where the navigation leads this person. */
export function placesFor(me: Me): Group[] {
  return GROUPS.map(({ label, places }) => ({
    label,
    places: places.filter(({ shown }) => shown === undefined || shown(me)),
  })).filter(({ places }) => places.length > 0);
}
