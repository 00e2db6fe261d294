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

/** A right to one capability; whatever is omitted is not narrowed (SPEC G1). */
export interface Grant {
  readonly capability: Capability;
  readonly pack_id?: string;
  readonly verb_keys?: readonly string[];
  readonly project_id?: string;
  /** RFC 3339; the grant is void from then on. */
  readonly expires_at?: string;
}
