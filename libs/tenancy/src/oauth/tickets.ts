import { createHash } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { TOKEN_ALGORITHMS } from '../keys/signing-keys.js';
import type { AccessTokens } from '../tokens/access-tokens.js';

/** How long a person may take for each page. */
const TICKET_SECONDS = 10 * 60;
/** Of its own, so that a ticket is never taken for a token, nor a token for a ticket. */
const TICKET_TYPE = 'hcp-oauth-ticket+jwt';
/** A random value that a browser keeps in a cookie, 256 bits. */
export const BROWSER = /^[A-Za-z0-9_-]{43}$/;

/**
 * What one page hands to the next, signed by the issuer's own keys: no row for whoever only looks, and any replica takes
 * it. It is good only together with the cookie of the browser that it was given to, so nobody else's form can carry it
 * (CSRF). It is no secret from that browser.
 */
export class Tickets {
  constructor(
    private readonly tokens: Pick<AccessTokens, 'keys' | 'keyFor' | 'issuer'>,
    private readonly clock: () => Date = () => new Date(),
  ) {}

  /** @param page which page takes it: a ticket for one is never good for another */
  async sign(page: string, browser: string, data: object): Promise<string> {
    const now = Math.floor(this.clock().getTime() / 1000);
    const { kid, alg, key } = await this.tokens.keys.signing();
    return new SignJWT({ data, browser: digest(browser) })
      .setProtectedHeader({ alg, kid, typ: TICKET_TYPE })
      .setIssuer(this.tokens.issuer)
      .setAudience(audienceOf(page))
      .setExpirationTime(now + TICKET_SECONDS)
      .sign(key);
  }

  /** What was signed; null when it is over, was changed, or is another browser's or page's. */
  async read<T>(page: string, browser: string | null, ticket: string | undefined): Promise<T | null> {
    if (browser === null || !BROWSER.test(browser) || ticket === undefined) return null;
    const key = await this.tokens.keyFor(ticket);
    if (!key) return null;
    try {
      const { payload } = await jwtVerify(ticket, key, {
        issuer: this.tokens.issuer,
        audience: audienceOf(page),
        algorithms: [...TOKEN_ALGORITHMS],
        typ: TICKET_TYPE,
        requiredClaims: ['exp'],
        currentDate: this.clock(),
      });
      return payload['browser'] === digest(browser) ? (payload['data'] as T) : null;
    } catch {
      return null;
    }
  }
}

const audienceOf = (page: string): string => `hcp-oauth-${page}`;
const digest = (browser: string): string => createHash('sha256').update(browser, 'ascii').digest('base64url');
