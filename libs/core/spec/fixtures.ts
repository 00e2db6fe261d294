import type { Caller, Command, Grant, Manifest, Pack, PackFiles, PolicyRow, SchemaCheck } from '../src/index.js';

/** Instants and ids that specs share; nothing here is mutable. */
export const NOW = new Date('2026-06-01T12:00:00Z');
export const TENANT = '0b7c5a52-7a0e-4a43-9d6f-3d1f6f6d0001';
export const PROJECT = '0b7c5a52-7a0e-4a43-9d6f-3d1f6f6d0002';
export const OTHER_PROJECT = '0b7c5a52-7a0e-4a43-9d6f-3d1f6f6d0003';

/** A validator that finds nothing: for specs that are not about the schema. */
export const anySchema: SchemaCheck = () => null;

export const everything: readonly Grant[] = [
  { capability: 'verb.exec.read' },
  { capability: 'verb.exec.write' },
  { capability: 'pack.connect' },
];

export function makeCaller(
  change: Partial<Omit<Caller, 'session' | 'authority'>> & {
    session?: Partial<Caller['session']>;
    authority?: Partial<Caller['authority']>;
  } = {},
): Caller {
  return {
    tenant_id: TENANT,
    principal: { id: '0b7c5a52-7a0e-4a43-9d6f-3d1f6f6d0009', kind: 'human' },
    name: 'Ann',
    acts_for: null,
    is_agent: false,
    settings_epoch: 1n,
    platform: false,
    ...change,
    session: { id: 's', interactive: true, api_key_id: null, project_id: null, packs: null, ...change.session },
    authority: { layers: [everything], member_of: [PROJECT], ...change.authority },
  };
}

/** The command of the protocol's own example, word for word. */
export const TRANSFER: Command = {
  description: 'Pay a saved payee. Refused until a person confirms the amount and payee.',
  cli: ['ledger', 'transfer', '{{amount}}', '--to', '{{payee}}', '--memo', '{{memo}}', '--confirm'],
  preview: {
    kind: 'payment',
    title: 'Pay {{payee}}',
    fields: {
      amount: '{{amount}}',
      currency: 'EUR',
      to: '{{payee}}',
      from: 'Demo account DEMO-0001',
      memo: '{{memo}}',
    },
  },
};

export const READ: PolicyRow = { operation: 'read', confirm: false, privacy: { land: 'personal' } };

export function makeManifest(change: Partial<Manifest> = {}): Manifest {
  return {
    pack_id: 'ledger',
    name: 'Ledger',
    version: '1.0.0',
    description: 'A small ledger.',
    kind: 'wrap',
    binding: { family: 'public' },
    wrap: { bin: 'bin/ledger' },
    ...change,
  };
}

export function makePack(
  change: { manifest?: Partial<Manifest>; commands?: Record<string, Command>; rows?: Record<string, PolicyRow> } = {},
): Pack {
  return {
    manifest: makeManifest(change.manifest),
    surface: { commands: change.commands ?? { transfer: TRANSFER } },
    policy: { commands: change.rows ?? { transfer: { ...READ, operation: 'write', confirm: 'always' } } },
    skill: null,
    digest: 'sha256:00',
  };
}

/** A pack of one command with this command line. */
export const packOf = (command: Partial<Command>, wrap: Partial<NonNullable<Manifest['wrap']>> = {}): Pack =>
  makePack({
    manifest: { wrap: { bin: 'bin/tool', ...wrap } },
    commands: { go: { description: 'Goes.', ...command } },
    rows: { go: READ },
  });

/** The texts of a pack, as an archive would hold them. */
export const filesOf = (pack: Pick<Pack, 'manifest' | 'surface' | 'policy'>): PackFiles => ({
  manifest: JSON.stringify(pack.manifest),
  surface: JSON.stringify(pack.surface),
  policy: JSON.stringify(pack.policy),
  paths: ['manifest.json', 'surface.json', 'policy.json', 'bin/ledger', 'bin/tool'],
});
