import type { ExecCode } from './codes.js';

/** Exit codes of the command line (SPEC I3). */
export const EXIT = { ok: 0, failure: 1, usage: 2, confirm_required: 3, denied: 4 } as const;

const DENIED: readonly ExecCode[] = [
  'unknown_pack',
  'pack_not_activated',
  'no_policy',
  'land_requires_project',
  'missing_capability',
  'denied_by_rule',
  'human_only',
];

/** What the command line exits with for a result: what went wrong decides, not the wrapped program's own code. */
export function exitCodeFor(envelope: { readonly ok: boolean; readonly code?: ExecCode | undefined }): number {
  if (envelope.ok) return EXIT.ok;
  if (envelope.code === undefined) return EXIT.failure;
  if (envelope.code === 'confirm_required') return EXIT.confirm_required;
  if (envelope.code === 'invalid_envelope' || envelope.code === 'invalid_args') return EXIT.usage;
  return DENIED.includes(envelope.code) ? EXIT.denied : EXIT.failure;
}
