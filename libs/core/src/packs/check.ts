import { manifestSchema } from './manifest.js';
import type { Finding, Pack } from './pack.js';
import { policySchema } from './policy.js';
import { surfaceSchema } from './surface.js';

/** A pack's raw texts and the paths of all its files, relative, with `/`. */
export interface PackFiles {
  readonly manifest?: string;
  readonly surface?: string;
  readonly policy?: string;
  readonly skill?: string;
  readonly openapi?: string;
  readonly paths: readonly string[];
}

export interface CheckResult {
  readonly findings: Finding[];
  /** Null when any finding is an error. */
  readonly pack: Omit<Pack, 'digest'> | null;
}

export function checkPack(files: PackFiles): CheckResult {
  try {
    const manifest = manifestSchema.parse(JSON.parse(files.manifest ?? ''));
    const surface = surfaceSchema.parse(JSON.parse(files.surface ?? ''));
    const policy = policySchema.parse(JSON.parse(files.policy ?? ''));
    return { findings: [], pack: { manifest, surface, policy, skill: files.skill ?? null } };
  } catch {
    return { findings: [{ code: 'M003', level: 'error', path: '', message: 'shape' }], pack: null };
  }
}
