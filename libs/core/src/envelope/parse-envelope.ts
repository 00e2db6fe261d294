import { findBadShape } from '../args/values.js';
import type { Denial } from '../errors/codes.js';
import { nameForError } from '../text/unicode.js';
import type { ExecEnvelope } from './envelope.js';

export type EnvelopeResult = { ok: true; envelope: ExecEnvelope } | { ok: false; denial: Denial };

/** Longest time a call may wait for its run (SPEC E6). */
export const MAX_WAIT_MS = 120_000;

/**
 * Looser than what a pack may call itself, so that a wrong name still gets `unknown pack`; strict enough that it can
 * stand in an error or a log.
 */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** Chosen by callers and shown in logs: visible ASCII. */
const TOKEN = /^[\x21-\x7e]{1,200}$/;

type Judge = (value: unknown) => string | null;

const name: Judge = (value) =>
  typeof value === 'string' && NAME.test(value) ? null : 'must be a name of letters, digits, ".", "_" and "-"';
const token: Judge = (value) =>
  typeof value === 'string' && TOKEN.test(value) ? null : 'must be a text of 1 to 200 visible ASCII characters';

const FIELDS: Readonly<Record<string, Judge>> = {
  pack_id: name,
  surface_id: name,
  verb_key: name,
  args: (value) => (isObject(value) ? null : 'must be an object'),
  approval_id: token,
  approval: judgeApproval,
  run_on_approve: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
  idempotency_key: token,
  wait_ms: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_WAIT_MS
      ? null
      : `must be a whole number from 0 to ${MAX_WAIT_MS}`,
};

/** Checks the shape of a call's body; never throws and never repeats a value (SPEC E1, E2). */
export function parseEnvelope(value: unknown): EnvelopeResult {
  if (!isObject(value)) return refuse('body', 'must be a JSON object');
  const bad = findBadShape(value);
  if (bad !== null) return refuse(bad.path, bad.why);
  for (const [field, content] of Object.entries(value)) {
    const judge = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    if (judge === undefined) return refuse(nameForError(field), 'is no field of an envelope');
    const why = judge(content);
    if (why !== null) return refuse(field, why);
  }
  const fields = value as Partial<ExecEnvelope> & { surface_id?: string };
  const { surface_id, args, ...rest } = fields;
  const pack_id = fields.pack_id ?? surface_id;
  if (pack_id === undefined) return refuse('pack_id', 'is required');
  if (surface_id !== undefined && surface_id !== pack_id)
    return refuse('surface_id', 'names another pack than pack_id');
  if (fields.verb_key === undefined) return refuse('verb_key', 'is required');
  return { ok: true, envelope: { ...rest, pack_id, verb_key: fields.verb_key, args: args ?? {} } };
}

function judgeApproval(value: unknown): string | null {
  const fine =
    isObject(value) && Object.keys(value).length === 2 && value['by'] === 'human' && token(value['id']) === null;
  return fine ? null : 'must be {"by": "human", "id": "..."}';
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The one wording of `invalid_envelope`, for the body parser too. */
export const invalidEnvelope = (field: string, why: string): Denial => ({
  code: 'invalid_envelope',
  error: `invalid envelope: ${field} ${why}`,
  hint: 'Send {"pack_id", "verb_key", "args"} and, where needed, approval_id, run_on_approve, idempotency_key, wait_ms.',
});

const refuse = (field: string, why: string): EnvelopeResult => ({ ok: false, denial: invalidEnvelope(field, why) });
