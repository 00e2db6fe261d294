import { randomBytes } from 'node:crypto';
import { ROUTES } from '@hcp/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Asset, Coding, DashboardBuild } from './build.js';
import { dashboardPolicy, PAGE_HEADERS, withNonce } from './headers.js';

/** First parts of paths that are the API's, the documentation's or metadata: none of the dashboard's pages is there. */
const TAKEN: ReadonlySet<string> = new Set([
  ...Object.values(ROUTES).map(({ path }) => path.split('/')[1] ?? ''),
  'docs',
  'openapi.json',
  'openapi.yaml',
]);

/**
 * Serves the dashboard: its files by their exact names, and its one page at `/` and wherever a person's browser goes that
 * nothing else answers, because the page finds its way from there by itself (SPEC I5).
 */
export function serveDashboard(server: FastifyInstance, build: DashboardBuild): void {
  server.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const path = request.url.split('?', 1)[0] ?? '';
    if (path !== '/' && !request.is404) return undefined;
    const asset = build.assets.get(path);
    if (asset) return sendAsset(request, reply, asset);
    return isPage(request, path) ? sendPage(reply, build) : undefined;
  });
}

/** What a person opened; scripts, pictures and calls to the API that find nothing are told so instead. */
function isPage({ headers }: FastifyRequest, path: string): boolean {
  if (path === '/') return true;
  const accepts = /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(headers.accept ?? '');
  return accepts && isPagePath(path);
}

function isPagePath(path: string): boolean {
  let plain: string;
  try {
    plain = decodeURIComponent(path);
  } catch {
    return false;
  }
  const parts = plain.split('/').slice(1);
  const odd = parts.some((part) => part === '.' || part === '..') || /[\\\p{Cc}]|\/\//u.test(plain);
  return !odd && !TAKEN.has(parts[0] ?? '') && parts[0] !== 'assets';
}

function sendPage(reply: FastifyReply, { index }: DashboardBuild): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers({ ...PAGE_HEADERS, 'Content-Security-Policy': dashboardPolicy(nonce), 'Cache-Control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(withNonce(index, nonce));
}

async function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): Promise<FastifyReply> {
  void reply.headers({
    ...PAGE_HEADERS,
    'Cache-Control': asset.hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: asset.etag,
    Vary: 'Accept-Encoding',
  });
  if (request.headers['if-none-match'] === asset.etag) return reply.status(304).send();
  const coding = codingFor(request.headers['accept-encoding']);
  const coded = coding === null ? null : await asset.coded(coding);
  if (coding !== null && coded !== null) void reply.header('Content-Encoding', coding);
  return reply.type(asset.type).send(coded ?? asset.body);
}

function codingFor(accepted: string | string[] | undefined): Coding | null {
  const words = String(accepted ?? '')
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
    .filter((word) => !/;\s*q=0(?:\.0*)?$/.test(word))
    .map((word) => word.split(';', 1)[0]);
  return (['br', 'gzip'] as const).find((coding) => words.includes(coding)) ?? null;
}
