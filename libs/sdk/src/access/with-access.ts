import type { ResultEnvelope } from '@hcp/core';
import type { CallOptions, Runtime } from '../runtime.js';
import type { GatedCall } from './gate.js';
import { GatedRuntime } from './gated.js';
import type { AccessOptions } from './options.js';

/**
 * Puts modes, rules, approvals and audit in front of a runtime, in one line (SPEC I4). A runtime that has an access step
 * of its own gets the settings instead of a second step. One that does not tell its packs refuses every call.
 * @throws HcpError `invalid_request` for settings that are malformed, by field; then nothing of them applies
 */
export function withAccess(runtime: Runtime, options: AccessOptions = {}): Runtime {
  if (runtime.withAccess !== undefined) return runtime.withAccess(options);
  return new GatedRuntime(
    {
      name: runtime.name,
      packs: runtime.packs === undefined ? null : () => runtime.packs?.() ?? [],
      run: (call, call_options) => forward(runtime, call, call_options),
    },
    options,
  );
}

/** Without whose yes it was: that was for the step in front. */
async function forward(runtime: Runtime, { envelope }: GatedCall, options: CallOptions): Promise<ResultEnvelope> {
  const { approval: _approval, approval_id: _approval_id, run_on_approve: _run_on_approve, ...rest } = envelope;
  return runtime.exec(rest, options);
}
