import type { SandboxOutcome } from '../port.js';

/** An outcome of a run that never began. */
export function notRun(
  kind: 'bin_not_allowlisted' | 'failed_to_start' | 'cancelled',
  error?: string,
  duration_ms = 0,
): SandboxOutcome {
  return {
    kind,
    exit_code: kind === 'bin_not_allowlisted' ? 127 : null,
    oom: false,
    stdout: '',
    stderr: '',
    truncated: false,
    duration_ms,
    ...(error === undefined ? {} : { error }),
  };
}
