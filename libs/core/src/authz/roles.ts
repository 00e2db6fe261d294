import { CONTROL_CAPABILITIES, PACK_CAPABILITIES, type Capability, type Grant } from './grant.js';

const all = (...capabilities: Capability[]): readonly Grant[] => capabilities.map((capability) => ({ capability }));

/** The roles that every tenant has (SPEC G2). None holds a platform capability. */
export const BUILTIN_ROLES: Readonly<Record<string, readonly Grant[]>> = {
  owner: all(...PACK_CAPABILITIES, ...CONTROL_CAPABILITIES),
  admin: all(...PACK_CAPABILITIES, 'access.manage', 'approval.decide', 'binding.manage', 'audit.read', 'run.read'),
  approver: all('approval.decide', 'run.read'),
  member: all('verb.exec.read', 'verb.exec.write', 'pack.connect'),
  auditor: all('audit.read', 'run.read'),
  /** Reads only; what an agent may write is granted pack by pack. */
  agent: all('verb.exec.read'),
};
