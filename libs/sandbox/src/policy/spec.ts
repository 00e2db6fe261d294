import { isAbsolute } from 'node:path';
import { EgressRules } from '../egress/rules.js';
import type { Limits, SandboxSpec } from '../port.js';

/** A timer of more would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;
const RUN_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** What makes a spec impossible to run, whatever the driver; null when nothing does. Names the field, never a value. */
export function refuseSpec(spec: SandboxSpec): string | null {
  if (!RUN_ID.test(spec.run_id)) return 'run_id must be 1 to 64 letters, digits, _ or -';
  if (!isAbsolute(spec.pack_dir) || spec.pack_dir.includes('\0')) return 'pack_dir must be an absolute path';
  const nul = spec.argv.findIndex((arg) => arg.includes('\0'));
  if (nul >= 0) return `argv[${nul}] holds a NUL`;
  const { mode, dir } = spec.workspace;
  const needsDir = mode === 'project' || mode === 'workspace';
  if (needsDir && (dir === null || !isAbsolute(dir) || dir.includes('\0'))) {
    return `workspace.dir must be an absolute path for mode ${mode}`;
  }
  for (const name of Object.keys(spec.limits) as (keyof Limits)[]) {
    const value = spec.limits[name];
    const right = name === 'cpus' ? Number.isFinite(value) : Number.isSafeInteger(value);
    if (!right || value <= 0) return `limits.${name} must be a positive ${name === 'cpus' ? 'number' : 'integer'}`;
  }
  if (spec.limits.timeout_ms > LONGEST_MS) return `limits.timeout_ms must be at most ${LONGEST_MS}`;
  const bad = EgressRules.parse(spec.network ?? []);
  return typeof bad === 'number' ? `network[${bad}] must be a host name, with or without a port` : null;
}
