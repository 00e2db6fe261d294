import { readDecimals } from '../args/decimals.js';
import { invalidArgs } from '../args/validate.js';
import type { Denial } from '../errors/codes.js';
import type { CommandRequest, RequestParameter } from '../packs/request.js';
import type { Command } from '../packs/surface.js';
import { utf8Length } from '../text/unicode.js';
import { serializePairs, serializeText, type Pair } from './serialize.js';

/** Bytes of a body that are sent. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Bytes of a URL that are sent; servers take no longer ones. */
const MAX_URL_BYTES = 16 * 1024;

/** An HTTP request before its credential. */
export interface HttpRequest {
  readonly method: CommandRequest['method'];
  /** Absolute, with its query. */
  readonly url: string;
  readonly headers: readonly Pair[];
  readonly body: string | null;
}

export type RenderedRequest = { ok: true; request: HttpRequest } | { ok: false; denial: Denial };

/**
 * The request that a command of kind `openapi` stands for (SPEC W7). Every value is one encoded part: none can add a path
 * segment, a parameter or a header, or lead to another server. `args` are without control words.
 */
export function renderRequest(command: Command, args: Readonly<Record<string, unknown>>): RenderedRequest {
  const { request } = command;
  if (request === undefined) return refuse('args', 'belong to a command without a request');
  // A decimal text is what `hcpx` sends for a number; JSON wants the number (SPEC E4).
  const read = readDecimals(command.args ?? {}, args);
  if (!read.ok) return refuse(read.path, 'is a number that a double cannot hold exactly');
  const values = new Map(Object.entries(read.value as object).filter(([, value]) => value !== undefined));
  const url = urlOf(request, values);
  if (typeof url !== 'string') return url;
  if (utf8Length(url) > MAX_URL_BYTES) return refuse('args', 'make an address longer than 16 KiB');
  const headers = headersOf(request, values);
  if (!Array.isArray(headers)) return headers;
  const body = bodyOf(request, values);
  if (typeof body === 'object' && body !== null) return body;
  if (body !== null && utf8Length(body) > MAX_BODY_BYTES) return refuse('args', 'are together larger than 1 MiB');
  const typed: Pair[] = body === null ? headers : [...headers, ['content-type', request.body?.media_type ?? '']];
  return { ok: true, request: { method: request.method, url, headers: typed, body } };
}

type Values = ReadonlyMap<string, unknown>;
type Refused = { ok: false; denial: Denial };

function urlOf(request: CommandRequest, values: Values): string | Refused {
  let path = request.path;
  for (const parameter of inPlace(request, 'path')) {
    const text = serializeText(parameter, values.get(parameter.arg) ?? null, encodePart);
    // `.` and `..` are steps to another resource whatever they are encoded as, and an empty part is another path.
    if (text === null || text === '' || /^\.{1,2}$/.test(text)) {
      return refuse(parameter.arg, 'cannot stand in the path of an address');
    }
    path = path.replaceAll(`{${parameter.name}}`, () => text);
  }
  const pairs: Pair[] = [];
  for (const parameter of inPlace(request, 'query')) {
    const value = values.get(parameter.arg);
    if (value === undefined || value === null) continue;
    const more = serializePairs(parameter, value, encodePart);
    if (more === null) return refuse(parameter.arg, 'has parts that a query cannot hold');
    pairs.push(...more);
  }
  return request.server.replace(/\/+$/, '') + path + (pairs.length === 0 ? '' : `?${joined(pairs)}`);
}

function headersOf(request: CommandRequest, values: Values): Pair[] | Refused {
  const headers: Pair[] = [];
  for (const parameter of inPlace(request, 'header')) {
    const value = values.get(parameter.arg);
    if (value === undefined || value === null) continue;
    const text = serializeText(parameter, value, (each) => each);
    if (text === null || !/^[\x20-\x7e]*$/.test(text)) return refuse(parameter.arg, 'cannot stand in a header');
    headers.push([parameter.name.toLowerCase(), text]);
  }
  const cookies: Pair[] = [];
  for (const parameter of inPlace(request, 'cookie')) {
    const value = values.get(parameter.arg);
    if (value === undefined || value === null) continue;
    const more = serializePairs(parameter, value, encodePart);
    if (more === null) return refuse(parameter.arg, 'has parts that a cookie cannot hold');
    cookies.push(...more);
  }
  if (cookies.length > 0) headers.push(['cookie', cookies.map((pair) => pair.join('=')).join('; ')]);
  return headers;
}

function bodyOf({ body }: CommandRequest, values: Values): string | null | Refused {
  if (body === null) return null;
  if (body.whole !== null) {
    const value = values.get(body.whole);
    if (value === undefined) return null;
    if (body.encoding === 'text' && typeof value === 'string') return value;
    return JSON.stringify(value);
  }
  const given = body.fields.filter(({ arg }) => values.has(arg));
  if (given.length === 0) return null;
  if (body.encoding === 'json') {
    return JSON.stringify(Object.fromEntries(given.map(({ arg, name }) => [name, values.get(arg)])));
  }
  const pairs: Pair[] = [];
  for (const field of given) {
    const value = values.get(field.arg);
    if (value === null) continue;
    const more = serializePairs(field, value, encodePart);
    if (more === null) return refuse(field.arg, 'has parts that a form cannot hold');
    pairs.push(...more);
  }
  return joined(pairs);
}

const inPlace = (request: CommandRequest, place: RequestParameter['in']): RequestParameter[] =>
  request.parameters.filter((parameter) => parameter.in === place);

const joined = (pairs: readonly Pair[]): string => pairs.map((pair) => pair.join('=')).join('&');

/** RFC 3986: everything but unreserved characters, also those that `encodeURIComponent` leaves. */
const encodePart = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const refuse = (path: string, why: string): Refused => ({ ok: false, denial: invalidArgs(path, why) });
