import { MIN_SECRET_LENGTH } from '@hcp/core';

/** From here on letters and digits alone tell a secret from other text. */
const MIN_LOOSE = 12;
/** Any piece of a secret of this many letters and digits is hidden as well. */
const PIECE = 16;
/** Beyond this a secret's pieces are not looked for one by one: the table would grow too large. */
const MAX_PIECED = 1024;

export interface Patterns {
  /** Letters and digits alone, lower case: what stands between them is ignored. */
  readonly loose: readonly string[];
  /** Without white space, lower case: for secrets that have too few letters and digits. */
  readonly tight: readonly string[];
}

/** What to look for, for these secrets in every usual spelling. */
export function patternsOf(secrets: readonly string[]): Patterns {
  const loose = new Set<string>();
  const tight = new Set<string>();
  for (const secret of secrets) {
    for (const spelling of spellings(secret)) {
      const plain = looseForm(spelling);
      const exact = tightForm(spelling);
      if (plain.length >= MIN_LOOSE) loose.add(plain);
      else if (exact.length >= MIN_SECRET_LENGTH) tight.add(exact);
    }
    const whole = looseForm(secret);
    if (whole.length <= MAX_PIECED) {
      for (let at = 0; at + PIECE <= whole.length; at += 1) loose.add(whole.slice(at, at + PIECE));
    }
  }
  return { loose: [...loose], tight: [...tight] };
}

const looseForm = (text: string): string => text.replace(/[^A-Za-z0-9\u0080-\uffff]/g, '').replace(/[A-Z]/g, lower);
const tightForm = (text: string): string => text.replace(/[\t-\r ]/g, '').replace(/[A-Z]/g, lower);
const lower = (letters: string): string => letters.toLowerCase();

/** As it is, as URLs, JSON, HTML and hexadecimal have it, and in base64 wherever it stands in what was encoded. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const hex = bytes.toString('hex');
  const json = JSON.stringify(secret).slice(1, -1);
  // UTF-8 has no lone surrogates: what they became cannot throw here.
  const text = bytes.toString('utf8');
  const url = encodeURIComponent(text);
  return [
    secret,
    json,
    unicodeEscaped(json, /[\u0080-\uffff]/g),
    unicodeEscaped(json, /[<>&'\u2028\u2029]/g),
    unicodeEscaped(json, /[^ -~]|[<>&'+]/g),
    url,
    encodeURI(text),
    url.replaceAll('%20', '+'),
    url.replace(/[^A-Za-z0-9%]/g, percent),
    html(secret, '&#39;'),
    html(secret, '&#x27;'),
    // Also what is left of %63%61 and of 63:61 once only letters and digits count.
    hex,
    ...base64Forms(bytes).flatMap((form) => [
      form,
      encodeURIComponent(form),
      form.replaceAll('+', '-').replaceAll('/', '_'),
    ]),
  ];
}

const unicodeEscaped = (text: string, which: RegExp): string =>
  text.replace(which, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`;

const html = (text: string, apostrophe: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", apostrophe);

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
