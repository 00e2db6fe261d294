import { MIN_SECRET_LENGTH } from '@hcp/core';
import type { Reading } from './scanner.js';

/** From here on letters and digits alone tell a secret from other text. */
const MIN_LOOSE = 12;
/** Any piece of a secret of this many letters and digits is hidden as well. */
const PIECE = 16;
/** Beyond this a secret's pieces are not looked for one by one: the table would grow too large. */
const MAX_PIECED = 1024;

export type Patterns = Readonly<Record<Reading, readonly string[]>>;

/** What to look for, for these secrets in every usual spelling, lower case, without what each reading passes over. */
export function patternsOf(secrets: readonly string[]): Patterns {
  const tight = new Set<string>();
  const loose = new Set<string>();
  const decoded = new Set<string>();
  for (const secret of secrets) {
    const encoded = encodings(Buffer.from(secret, 'utf8'));
    for (const spelling of [secret, ...escapes(secret), ...encoded]) {
      const plain = looseForm(spelling);
      const exact = tightForm(spelling);
      if (plain.length >= MIN_LOOSE) loose.add(plain);
      else if (exact.length >= MIN_SECRET_LENGTH) tight.add(exact);
    }
    for (const spelling of [secret, ...encoded]) {
      const plain = decodedForm(spelling);
      if (plain.length >= MIN_LOOSE) decoded.add(plain);
    }
    for (const piece of pieces(looseForm(secret))) loose.add(piece);
    for (const piece of pieces(decodedForm(secret))) decoded.add(piece);
  }
  return { tight: [...tight], loose: [...loose], decoded: [...decoded] };
}

function pieces(whole: string): string[] {
  if (whole.length > MAX_PIECED) return [];
  return Array.from({ length: Math.max(0, whole.length - PIECE + 1) }, (_, at) => whole.slice(at, at + PIECE));
}

const looseForm = (text: string): string => text.replace(/[^A-Za-z0-9\u0080-\uffff]/g, '').replace(/[A-Z]/g, lower);
const decodedForm = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '').replace(/[A-Z]/g, lower);
const tightForm = (text: string): string => text.replace(/[\t-\r ]/g, '').replace(/[A-Z]/g, lower);
const lower = (letters: string): string => letters.toLowerCase();

/**
 * As URLs, JSON and HTML have it. Longer secrets are found in these by reading the escapes; for the others it is the usual
 * ways of escaping, one by one.
 */
function escapes(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  // Through bytes: UTF-8 has no lone surrogates, which would throw here.
  const url = encodeURIComponent(Buffer.from(secret, 'utf8').toString('utf8'));
  const strict = url.replace(/[!'()*]/g, percent);
  return [
    json,
    unicodeEscaped(json, /[\u0080-\uffff]/g),
    unicodeEscaped(json, /[<>&\u2028\u2029]/g),
    unicodeEscaped(json, /[^ -~]|[<>&'+]/g),
    url,
    strict,
    strict.replaceAll('%2F', '/'),
    url.replaceAll('%20', '+'),
    url.replace(/[!'()~]/g, percent).replaceAll('%20', '+'),
    url.replace(/[^A-Za-z0-9%]/g, percent),
    html(secret),
    html(secret).replaceAll("'", '&#39;'),
    html(secret).replaceAll("'", '&#x27;'),
  ];
}

/** In hexadecimal (also what is left of 63:61 and %63%61 once only letters and digits count) and in base64. */
function encodings(bytes: Buffer): string[] {
  const base64 = base64Forms(bytes);
  const url_safe = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [bytes.toString('hex'), ...base64, ...url_safe, ...base64.map((form) => encodeURIComponent(form))];
}

const unicodeEscaped = (text: string, which: RegExp): string =>
  text.replace(which, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`;

const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * The base64 of these bytes after 0, 1 or 2 others, as far as the bytes decide it alone; and whole, for where nothing
 * stands around them.
 */
function base64Forms(bytes: Buffer): string[] {
  const at = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(from, to);
  });
  return [bytes.toString('base64').replace(/=+$/, ''), ...at];
}
