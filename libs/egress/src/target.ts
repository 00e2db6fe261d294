import { isIPv4 } from 'node:net';
import { parseHost } from './host.js';
import { type EgressRefusal, refusal } from './resolve.js';

/** Where a request goes. */
export interface Target {
  ok: true;
  url: URL;
  /** As `resolveChecked` takes it. */
  host: string;
  port: number;
}

/** Reads a URL that a tenant gave, or a redirect's location relative to `base`. */
export function parseTarget(text: string, options: { allow_http: boolean; base?: URL }): Target | EgressRefusal {
  if (!URL.canParse(text, options.base?.href)) return refusal('bad_request', 'the URL cannot be read');
  const url = new URL(text, options.base);
  if (url.protocol !== 'https:' && !(options.allow_http && url.protocol === 'http:')) {
    return refusal('bad_request', `the URL must be ${options.allow_http ? 'http or https' : 'https'}`);
  }
  if (url.username !== '' || url.password !== '') return refusal('bad_request', 'the URL holds credentials');
  const host = parseHost(url.hostname);
  if (host === null) return refusal('bad_host', 'the URL has no proper host');
  // The URL parser turns 0x7f.1 and 2130706433 into plain addresses; whoever writes those has something to hide.
  if (isIPv4(url.hostname) && !spelledOut(text, url.hostname, options.base)) {
    return refusal('bad_host', 'the URL spells an address in an odd form');
  }
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { ok: true, url, host: host.text, port };
}

function spelledOut(text: string, address: string, base: URL | undefined): boolean {
  const written = /^\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,}([^/\\?#]*)/i.exec(text)?.[1];
  if (written === undefined) return base?.hostname === address;
  return written.replace(/:[0-9]*$/, '') === address;
}
