/** The capabilities of the protocol (SPEC G1). */
export const PACK_CAPABILITIES = [
  'pack.install',
  'pack.connect',
  'verb.exec.read',
  'verb.exec.write',
  'sense.enable',
] as const;

/** What a hosted control plane adds within a tenant (SPEC G1). */
export const CONTROL_CAPABILITIES = [
  'tenant.manage',
  'access.manage',
  'approval.decide',
  'approval.attest',
  'binding.manage',
  'audit.read',
  'run.read',
] as const;

/** What only a platform operator can hold (SPEC G1). */
export const PLATFORM_CAPABILITIES = ['platform.manage', 'fleet.run'] as const;

export const CAPABILITIES = [...PACK_CAPABILITIES, ...CONTROL_CAPABILITIES, ...PLATFORM_CAPABILITIES] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** What each lets its holder do: for the reference, and for people who look at rights. */
export const CAPABILITY_MEANINGS: Readonly<Record<Capability, string>> = {
  'pack.install': 'install, activate, deactivate and remove packs',
  'pack.connect': "run connect commands, and keep credentials of one's own for packs",
  'verb.exec.read': 'run commands that read',
  'verb.exec.write': 'run commands that write',
  'sense.enable': 'turn on event sources of packs',
  'tenant.manage': 'manage projects, and settings of the tenant',
  'access.manage': 'manage members, agents, roles, grants and keys of others',
  'approval.decide': 'say yes or no to what asks',
  'approval.attest': 'pass on the yes of a person, as a service that a person gave this',
  'binding.manage': 'keep credentials of the tenant and its projects',
  'audit.read': 'read the audit log',
  'run.read': 'read runs of others; of those in personal lands without arguments and results',
  'platform.manage': 'manage tenants and platform packs',
  'fleet.run': 'run one command over many tenants',
};

/** A right to one capability; whatever is omitted is not narrowed (SPEC G1). */
export interface Grant {
  readonly capability: Capability;
  readonly pack_id?: string;
  readonly verb_keys?: readonly string[];
  readonly project_id?: string;
  /** RFC 3339; the grant is void from then on. */
  readonly expires_at?: string;
}
