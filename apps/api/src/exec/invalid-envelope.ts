import type { Denial, ResultEnvelope } from '@hcp/core';

/** What exec answers, with HTTP 400, to a body that is no envelope (SPEC E2). */
export function invalidEnvelope({ code, error, hint }: Denial): ResultEnvelope {
  return { ok: false, pack_id: null, verb_key: null, result: null, code, error, hint, run_id: null, duration_ms: 0 };
}
