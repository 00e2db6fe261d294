/** Where a browser may be sent back to, decided purely (RFC 8252, RFC 9700). */

const MAX_LENGTH = 2000;
const LOOPBACK: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];
/**
 * Private-use schemes are reverse domain names (RFC 8252 section 7.1), so that none is a program of the system that does
 * something with what it is sent. These have none and are in use.
 */
const KNOWN_SCHEMES: readonly string[] = ['cursor:', 'vscode:', 'vscode-insiders:'];
const REVERSE_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/;

/** What is wrong with a redirect URI that a client gives; null for a good one. */
export function badRedirect(uri: string): string | null {
  // Printable ASCII without blanks, quotes and backslashes: what stands here is what a browser reads.
  if (uri.length > MAX_LENGTH || !/^[!#-;=?-[\]_a-z~%]+$/.test(uri)) return 'is no plain URI';
  if (!URL.canParse(uri)) return 'is no absolute URI';
  const url = new URL(uri);
  if (uri.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'holds credentials';
  // A host of other letters (`;` is one that URLs take) would be read in another way in a header.
  if (url.protocol === 'https:') return /^[a-z0-9.-]+$/.test(url.hostname) ? null : 'has an odd host';
  if (url.protocol === 'http:') {
    return LOOPBACK.includes(url.hostname) ? null : 'is http to another host than this machine';
  }
  const known = KNOWN_SCHEMES.includes(url.protocol) || REVERSE_DOMAIN.test(url.protocol);
  return known ? null : 'has a scheme that is no reverse domain name';
}

/** Exactly one that the client gave; on this machine any port, which a program gets anew each time (RFC 8252 section 7.3). */
export function redirectFits(given: readonly string[], asked: string): boolean {
  return badRedirect(asked) === null && given.some((one) => one === asked || sameLoopback(one, asked));
}

const PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::[0-9]{1,5})?(?=[/?]|$)/;

/** By the letters, as they are: what a URL parser would make the same is not. */
function sameLoopback(one: string, asked: string): boolean {
  return PORT.test(one) && PORT.test(asked) && one.replace(PORT, '$1') === asked.replace(PORT, '$1');
}

/** The URI with parameters added; what it had stays as it is. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value);
  return `${uri}${uri.includes('?') ? '&' : '?'}${query.toString()}`;
}

/** What a person is shown of where they will be sent: the host, or the scheme of an app. */
export function redirectPlace(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? host : `${protocol}//`;
}
