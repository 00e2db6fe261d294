import { randomBytes } from 'node:crypto';
import { BROWSER } from '@hcp/tenancy';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** With the prefix a browser takes it from this host alone, over https; on a plain http address there is no such thing. */
const nameFor = (public_url: string): string => (isSecure(public_url) ? '__Host-hcp-oauth' : 'hcp-oauth');
const isSecure = (public_url: string): boolean => public_url.startsWith('https:');

/** What ties a page to the browser that it was given to; null where the browser brings none. */
export function browserOf(request: FastifyRequest, public_url: string): string | null {
  const name = nameFor(public_url);
  const found = (request.headers.cookie ?? '').split(';').flatMap((pair) => {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    return key === name && BROWSER.test(value) ? [value] : [];
  });
  // Two of them: somebody put one there, and nobody knows which.
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** The browser's own, or a new one, kept until the browser is closed. One for all its pages, so that two may be open. */
export function browserFor(request: FastifyRequest, reply: FastifyReply, public_url: string): string {
  const known = browserOf(request, public_url);
  if (known !== null) return known;
  const value = randomBytes(32).toString('base64url');
  const secure = isSecure(public_url) ? '; Secure' : '';
  void reply.header('Set-Cookie', `${nameFor(public_url)}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}`);
  return value;
}
