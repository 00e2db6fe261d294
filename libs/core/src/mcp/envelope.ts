import { parseEnvelope, type EnvelopeResult } from '../envelope/parse-envelope.js';

/** Fields of an envelope that a host, not its model, may give in `_meta` of a call, as `hcp/<field>`. */
const META_FIELDS = new Set(['approval', 'approval_id', 'idempotency_key', 'run_on_approve', 'wait_ms']);

/**
 * The envelope of a `tools/call`: the arguments are the command's, control words among them; `_meta` may hold the rest.
 * Strict as the body of `POST /v1/exec` is: a field that no envelope has is refused, not skipped (SPEC E1, E2).
 */
export function envelopeOfTool(
  { pack_id, verb_key }: { readonly pack_id: string; readonly verb_key: string },
  args: Readonly<Record<string, unknown>> | undefined,
  meta: Readonly<Record<string, unknown>> | undefined,
): EnvelopeResult {
  const said = Object.entries(meta ?? {}).flatMap(([key, value]): [string, unknown][] => {
    if (!key.startsWith('hcp/')) return [];
    const field = key.slice('hcp/'.length);
    return [[META_FIELDS.has(field) ? field : key, value]];
  });
  return parseEnvelope({ ...Object.fromEntries(said), pack_id, verb_key, args: args ?? {} });
}
