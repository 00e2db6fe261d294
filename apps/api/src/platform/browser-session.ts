import { BROWSER_HEADER } from '@hcp/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SAFE_METHODS, sameHost } from './request-hooks.js';

/** What a browser keeps for the dashboard: no script reads it, no other site makes the browser send it (SPEC T5, I5). */
interface CookieNames {
  readonly access: string;
  readonly refresh: string;
}

/** With the prefix a browser takes it from this host alone, over https; on a plain http address there is no such thing. */
const NAMES: CookieNames = { access: '__Host-hcp-session', refresh: '__Host-hcp-renewal' };
const PLAIN_NAMES: CookieNames = { access: 'hcp-session', refresh: 'hcp-renewal' };

const TOKEN = /^[A-Za-z0-9._~+/=-]{1,4096}$/;

/** The cookies of one installation. */
export class BrowserSessions {
  readonly #names: CookieNames;
  readonly #origin: URL;
  readonly #secure: boolean;

  constructor(public_url: string) {
    this.#origin = new URL(public_url);
    this.#secure = this.#origin.protocol === 'https:';
    this.#names = this.#secure ? NAMES : PLAIN_NAMES;
  }

  /** The token that the browser brings; null for none, and for two of that name, of which nobody knows whose they are. */
  read(request: FastifyRequest, which: keyof CookieNames): string | null {
    const name = this.#names[which];
    const found = (request.headers.cookie ?? '').split(';').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at >= 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
    });
    const [token] = found;
    return found.length === 1 && token !== undefined && TOKEN.test(token) ? token : null;
  }

  /** @param session_ends when the browser drops both; the access token inside ends sooner by itself */
  give(
    reply: FastifyReply,
    tokens: { readonly access_token: string; readonly refresh_token: string; readonly session_ends: Date },
  ): void {
    const seconds = Math.max(0, Math.floor((tokens.session_ends.getTime() - Date.now()) / 1000));
    void reply.header('Set-Cookie', [
      this.#cookie(this.#names.access, tokens.access_token, seconds),
      this.#cookie(this.#names.refresh, tokens.refresh_token, seconds),
    ]);
  }

  clear(reply: FastifyReply): void {
    void reply.header('Set-Cookie', [
      this.#cookie(this.#names.access, '', 0),
      this.#cookie(this.#names.refresh, '', 0),
    ]);
  }

  /**
   * Whether a page of this very site sent it. What changes something says so twice: by `Origin`, which no page can write,
   * and by a header that no page of another site can add without being asked about it first, which is never allowed
   * here. What only reads may be an EventSource, which can set no header: then `Sec-Fetch-Site` says it.
   */
  fromOwnPage({ method, headers }: FastifyRequest): boolean {
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin') return false;
    if (origin !== undefined && !this.#own(origin, headers.host)) return false;
    const marked = headers[BROWSER_HEADER] === '1';
    return SAFE_METHODS.has(method) ? marked || site === 'same-origin' : marked && origin !== undefined;
  }

  #own(origin: string, host: string | undefined): boolean {
    if (origin === this.#origin.origin) return true;
    return sameHost(origin, host) && new URL(origin).protocol === this.#origin.protocol;
  }

  #cookie(name: string, value: string, seconds: number): string {
    const secure = this.#secure ? '; Secure' : '';
    return `${name}=${value}; Path=/; Max-Age=${String(seconds)}; HttpOnly; SameSite=Strict${secure}`;
  }
}
