import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Env } from './env.js';
import { problemBody, ProblemError } from './problem.js';

/** Methods that change nothing. */
export const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Probes come by address, and these answers tell nothing worth rebinding for. */
const ANY_HOST = new Set(['/healthz', '/readyz']);
/** The documentation page is the only thing here that a browser renders. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * Headers of every answer, and refusal of what another website makes a browser send: a foreign Host (DNS rebinding)
 * on any route, a foreign Origin on routes that change something.
 */
export function registerRequestHooks(
  server: FastifyInstance,
  env: Pick<Env, 'PUBLIC_URL' | 'HCP_ALLOWED_HOSTS'>,
): void {
  const own = new URL(env.PUBLIC_URL);
  const hosts = new Set([own.hostname.toLowerCase(), ...LOOPBACK, ...env.HCP_ALLOWED_HOSTS]);
  server.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const docs = path === '/docs' || path.startsWith('/docs/');
    reply.headers({
      'Request-Id': request.id,
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Content-Security-Policy': docs ? DOCS_POLICY : API_POLICY,
      ...(own.protocol === 'https:' ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
      ...(docs ? {} : { 'Cache-Control': 'no-store' }),
    });
    const refusal = foreign(request, path, own, hosts);
    if (refusal) {
      const problem = new ProblemError(403, 'forbidden', refusal);
      return reply.status(403).type('application/problem+json').send(problemBody(problem));
    }
    return undefined;
  });
}

function foreign(request: FastifyRequest, path: string, own: URL, hosts: ReadonlySet<string>): string | null {
  const host = hostname(request.headers.host);
  if (!ANY_HOST.has(path) && (host === null || !hosts.has(host))) return 'this API does not answer to that Host';
  if (SAFE_METHODS.has(request.method)) return null;
  const { origin } = request.headers;
  if (origin !== undefined && origin !== own.origin && !sameHost(origin, request.headers.host)) {
    return 'requests from another site are refused';
  }
  if (origin === undefined && request.headers['sec-fetch-site'] === 'cross-site') {
    return 'requests from another site are refused';
  }
  return null;
}

function hostname(host: string | undefined): string | null {
  // Host and port alone: a user, path or blank in it would make URL see another host than whoever sent it.
  const url = `http://${/^[A-Za-z0-9._:[\]-]+$/.exec(host ?? '')?.[0] ?? ''}`;
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : null;
}

/** Whether the origin is the host that the request is to, whatever the scheme. */
export function sameHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
