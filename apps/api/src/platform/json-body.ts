import type { Readable } from 'node:stream';
import { FILE_TYPE, FORM_TYPE, ROUTES, type Route } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseForm } from './form-body.js';
import { isRefused } from './recognition.js';
import { jsonPointer } from './json-pointer.js';
import { bodyTypeOf } from './route-finder.js';
import { scanJson } from './json-scan.js';

/** SPEC E2. */
export const MAX_JSON_BYTES = 1024 * 1024;
/** A form is small: a ticket, an address, a password. */
export const MAX_FORM_BYTES = 64 * 1024;
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

/** The refusal of a body whose type the route does not take: it names the one that it does. */
export function wrongType(request: FastifyRequest): JsonBodyError {
  const type = bodyTypeOf(request.method, request.routeOptions.url ?? '');
  const takes = type === null ? 'it takes no body' : `send it as ${type}`;
  return new JsonBodyError(415, [], `is of a type that this route does not take; ${takes}`);
}

/** A body that was refused; the guard throws it once the caller is known, so that 401 comes before 400. */
const refused = new WeakMap<FastifyRequest, JsonBodyError>();

/** The refusal of this request's body, if any. */
export const bodyError = (request: FastifyRequest): JsonBodyError | undefined => refused.get(request);

/** Where an archive or a file is the body; on any other route it is of the wrong type. */
const taking = (body: Route['body']): ((request: FastifyRequest) => boolean) => {
  const routes = new Set(
    Object.values(ROUTES).flatMap((route: Route) => (route.body === body ? [`${route.method} ${route.path}`] : [])),
  );
  return (request) => routes.has(`${request.method} ${request.routeOptions.url ?? ''}`);
};
const takesArchive = taking('archive');
const takesFile = taking('file');
const takesForm = taking('form');

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Makes application/json (strict) and, where a route takes one, an archive, a file or a form the only bodies. A body is never refused
 * here: the refusal is kept until the caller is known (see `bodyError`).
 */
export function registerBodyParsers(server: FastifyInstance): void {
  const refuse = (request: FastifyRequest, done: Done, error: JsonBodyError): void => {
    refused.set(request, error);
    done(null, undefined);
  };
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', (request: FastifyRequest, stream: Readable, done: Done) => {
    if (isRefused(request)) return done(null, undefined);
    if (takesForm(request)) return refuse(request, done, wrongType(request));
    readBody(request, stream, MAX_JSON_BYTES, (error, raw) => {
      if (!raw) return error instanceof JsonBodyError ? refuse(request, done, error) : done(error);
      const parsed = parseJsonBody(raw);
      return parsed.ok ? done(null, parsed.value) : refuse(request, done, parsed.error);
    });
  });
  server.addContentTypeParser(FORM_TYPE, (request: FastifyRequest, stream: Readable, done: Done) => {
    if (isRefused(request)) return done(null, undefined);
    if (!takesForm(request)) return refuse(request, done, wrongType(request));
    readBody(request, stream, MAX_FORM_BYTES, (error, raw) => {
      if (!raw) return error instanceof JsonBodyError ? refuse(request, done, error) : done(error);
      const form = parseForm(raw);
      if (typeof form !== 'string') return done(null, form);
      refuse(request, done, new JsonBodyError(400, [], form));
    });
  });
  server.addContentTypeParser(ARCHIVE_TYPES, (request: FastifyRequest, stream: Readable, done: Done) => {
    // Handed on unread, so that nothing of it is taken before its sender is known; the use case bounds it.
    if (takesFile(request) && isFileType(request)) return done(null, stream);
    if (isRefused(request)) return done(null, undefined);
    if (!takesArchive(request)) return refuse(request, done, wrongType(request));
    readBody(request, stream, MAX_ARCHIVE_BYTES, (error, raw) => {
      if (raw) return done(null, raw);
      return error instanceof JsonBodyError ? refuse(request, done, error) : done(error);
    });
  });
  server.addContentTypeParser('*', (request: FastifyRequest, _stream: Readable, done: Done) =>
    refuse(request, done, wrongType(request)),
  );
  // Fastify refuses a type that it cannot read before anyone is recognised; as an unknown one it waits its turn.
  server.addHook('onRequest', async (request: FastifyRequest) => {
    const type = request.headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) request.headers['content-type'] = 'application/x-unreadable';
  });
  // Node reads on what was not read before the connection serves another request: not without end.
  server.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply) => {
    const chunked = request.headers['transfer-encoding'] !== undefined;
    const announced = chunked ? Number.POSITIVE_INFINITY : Number(request.headers['content-length'] ?? 0);
    if ((bodyError(request) || isRefused(request)) && announced > MAX_SKIPPED_BYTES)
      void reply.header('Connection', 'close');
  });
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;|$)/;
const MAX_SKIPPED_BYTES = 64 * 1024 * 1024;
const ARCHIVE_TYPES = ['application/gzip', 'application/x-gzip', 'application/octet-stream', 'application/x-tar+gzip'];

const isFileType = ({ headers }: FastifyRequest): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === FILE_TYPE;

/** The whole body, or why not; of one that is too large no more than the limit is kept. */
function readBody(
  request: FastifyRequest,
  stream: Readable,
  limit: number,
  done: (error: Error | null, raw?: Buffer) => void,
): void {
  const tooLarge = (): JsonBodyError =>
    new JsonBodyError(
      413,
      [],
      `is larger than ${limit < MAX_JSON_BYTES ? `${limit / 1024} KiB` : `${limit / (1024 * 1024)} MiB`}`,
    );
  if (Number(request.headers['content-length'] ?? 0) > limit) return done(tooLarge());
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = (error: Error | null, raw?: Buffer): void => {
    stream.off('data', take).off('end', whole).off('error', end);
    done(error, raw);
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes <= limit) return;
    stream.pause();
    end(tooLarge());
  };
  const whole = (): void => end(null, Buffer.concat(chunks));
  stream.on('data', take).on('end', whole).on('error', end);
}
