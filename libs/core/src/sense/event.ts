import { isWellFormed, nameForError } from '../text/unicode.js';

export const SENSE_SEVERITIES = ['info', 'warning', 'error'] as const;
export type SenseSeverity = (typeof SENSE_SEVERITIES)[number];

/** What the product itself tells of (SPEC N1); no source may use these words. */
export const SENSE_KINDS = [
  'credential_stale',
  'pack_unavailable',
  'approval_waiting',
  'source_paused',
  'source_failed',
] as const;
export type SenseKind = (typeof SENSE_KINDS)[number];

export const SENSE_KIND = /^[a-z][a-z0-9_]{0,62}$/;

/** One thing that a source saw (SPEC W8). */
export interface SourceEvent {
  readonly kind: string;
  readonly severity: SenseSeverity;
  readonly subject: string;
  readonly message: string;
  /** The same thing has the same key in every look. */
  readonly key: string;
}

export type SourceEvents =
  | { readonly ok: true; readonly events: readonly SourceEvent[] }
  /** `error` names the place, never a value. */
  | { readonly ok: false; readonly error: string };

/** Of one look of one source. */
export const MAX_SOURCE_EVENTS = 100;

/** UTF-16 units of each text. */
export const SOURCE_LIMITS = { subject: 200, message: 500, key: 200 } as const;

const FIELDS = ['kind', 'severity', 'subject', 'message', 'key'] as const;

/** What a source printed: one object with a list of events and nothing else (SPEC W8). */
export function parseSourceEvents(result: unknown): SourceEvents {
  if (!isObject(result)) return bad('the source must print one JSON object: {"events": [...]}');
  const other = Object.keys(result).find((name) => name !== 'events');
  if (other !== undefined) return bad(`${nameForError(other)} is not known beside events`);
  const { events } = result;
  if (!Array.isArray(events)) return bad('events must be a list');
  if (events.length > MAX_SOURCE_EVENTS) return bad(`events are too many: at most ${String(MAX_SOURCE_EVENTS)}`);
  const keys = new Set<string>();
  const parsed: SourceEvent[] = [];
  for (const [index, event] of (events as unknown[]).entries()) {
    const at = `events.${String(index)}`;
    const problem = problemOf(event, at);
    if (problem !== null) return bad(problem);
    const { kind, severity, subject, message, key } = event as SourceEvent;
    if (keys.has(key)) return bad(`${at}.key is that of another event`);
    keys.add(key);
    parsed.push({ kind, severity, subject, message, key });
  }
  return { ok: true, events: parsed };
}

function problemOf(event: unknown, at: string): string | null {
  if (!isObject(event)) return `${at} must be an object`;
  const other = Object.keys(event).find((name) => !(FIELDS as readonly string[]).includes(name));
  if (other !== undefined) return `${at}.${nameForError(other)} is not known`;
  const missing = FIELDS.find((name) => typeof event[name] !== 'string');
  if (missing !== undefined) return `${at}.${missing} must be a text`;
  const { kind = '', severity = '' } = event as Record<string, string>;
  if (!SENSE_KIND.test(kind)) return `${at}.kind must be lower-case letters, digits and _, such as disk_low`;
  if ((SENSE_KINDS as readonly string[]).includes(kind)) return `${at}.kind is a word of the product itself`;
  if (!(SENSE_SEVERITIES as readonly string[]).includes(severity)) {
    return `${at}.severity must be one of ${SENSE_SEVERITIES.join(', ')}`;
  }
  for (const [name, most] of Object.entries(SOURCE_LIMITS)) {
    const text = event[name] as string;
    if (text === '' || text.length > most) return `${at}.${name} must have 1 to ${String(most)} characters`;
    // No database keeps these.
    if (text.includes('\0') || !isWellFormed(text)) return `${at}.${name} must be well-formed text without NUL`;
  }
  return null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const bad = (error: string): SourceEvents => ({ ok: false, error });
