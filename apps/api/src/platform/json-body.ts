import { escapeInvisible } from '@hcp/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { jsonPointer } from './json-pointer.js';
import { scanJson } from './json-scan.js';

/** SPEC E2. */
export const MAX_JSON_BYTES = 1024 * 1024;
/** SPEC P7: a pack archive. */
export const MAX_ARCHIVE_BYTES = 10 * 1024 * 1024;

/** Names may be as long as the body; an error shows enough to find the field. */
const MAX_PATH = 300;

/** The body is not JSON that this API takes. Never holds a value. */
export class JsonBodyError extends Error {
  override readonly name = 'JsonBodyError';
  /** The field with dots, as result envelopes name it (`args.amount`); `body` for the whole. */
  readonly field: string;
  /** The field as a JSON pointer, as problems name it (`/args/amount`); empty for the whole. */
  readonly pointer: string;

  constructor(
    readonly status: 400 | 413 | 415,
    path: readonly (string | number)[],
    /** Goes on after the field's name: `is there twice`. */
    readonly why: string,
  ) {
    const shown = path.map((segment) => escapeInvisible(String(segment)));
    const field = shown.join('.').slice(0, MAX_PATH) || 'body';
    super(`${field} ${why}`);
    this.field = field;
    this.pointer = jsonPointer(shown).slice(0, MAX_PATH);
  }
}

/**
 * Parses a request body strictly (SPEC E2).
 * @returns the value, or the refusal; undefined for an empty body
 */
export function parseJsonBody(raw: Buffer): { ok: true; value: unknown } | { ok: false; error: JsonBodyError } {
  const refuse = (why: string, path: readonly (string | number)[] = [], status: 400 | 413 = 400) =>
    ({ ok: false, error: new JsonBodyError(status, path, why) }) as const;
  if (raw.length === 0) return { ok: true, value: undefined };
  if (raw.length > MAX_JSON_BYTES) return refuse('is larger than 1 MiB', [], 413);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return refuse('is not valid UTF-8');
  }
  if (text.startsWith('\uFEFF')) return refuse('begins with a byte order mark');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    return refuse('is not valid JSON');
  }
  const finding = scanJson(text);
  return finding ? refuse(finding.why, finding.path) : { ok: true, value };
}

/** A body that was refused; the guard throws it once the caller is known, so that 401 comes before 400. */
const refused = new WeakMap<FastifyRequest, JsonBodyError>();

/** The refusal of this request's body, if any. */
export const bodyError = (request: FastifyRequest): JsonBodyError | undefined => refused.get(request);

/** Makes application/json (strict) and the archive types the only bodies that the server takes. */
export function registerBodyParsers(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: MAX_JSON_BYTES },
    (request: FastifyRequest, raw: Buffer, done: (error: Error | null, body?: unknown) => void) => {
      const parsed = parseJsonBody(raw);
      if (!parsed.ok) refused.set(request, parsed.error);
      done(null, parsed.ok ? parsed.value : undefined);
    },
  );
  server.addContentTypeParser(
    ['application/gzip', 'application/x-gzip', 'application/octet-stream', 'application/x-tar+gzip'],
    { parseAs: 'buffer', bodyLimit: MAX_ARCHIVE_BYTES },
    (_request: FastifyRequest, raw: Buffer, done: (error: Error | null, body?: unknown) => void) => done(null, raw),
  );
}
