import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };
export type Coding = keyof typeof compress;

const INDEX = 'index.html';
/** Vite puts everything whose name holds its content's hash there. */
const HASHED = '/assets/';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
/** What is compressed already. */
const PACKED = new Set(['.png', '.webp', '.woff2']);

/** One file of the build, in memory. */
export class Asset {
  readonly type: string;
  readonly etag: string;
  readonly hashed: boolean;
  readonly #packed: boolean;
  readonly #coded = new Map<Coding, Promise<Buffer>>();

  constructor(
    path: string,
    readonly body: Buffer,
  ) {
    const extension = extname(path);
    this.type = TYPES[extension] ?? 'application/octet-stream';
    this.#packed = PACKED.has(extension);
    this.hashed = path.startsWith(HASHED);
    this.etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  }

  /** Compressed once, when somebody first wants it; null where that is of no use. */
  async coded(coding: Coding): Promise<Buffer | null> {
    if (this.#packed) return null;
    let made = this.#coded.get(coding);
    if (!made) {
      const options = coding === 'br' ? { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } } : {};
      made = compress[coding](this.body, options);
      this.#coded.set(coding, made);
    }
    return made;
  }
}

/** Nearly as small as the slowest, in a tenth of its time. */
const BROTLI_QUALITY = 9;

/** The built dashboard. What is served is what was read at the start, by its exact name: no path is ever opened for a request. */
export interface DashboardBuild {
  /** By path, such as `/assets/index-4f2a.js`; the page itself is not among them. */
  readonly assets: ReadonlyMap<string, Asset>;
  readonly index: string;
}

/** @returns null where there is no build */
export async function readBuild(folder: string): Promise<DashboardBuild | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const assets = new Map<string, Asset>();
  // Links are none: a build has no reason to point elsewhere.
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    assets.set(path, new Asset(path, await readFile(file)));
  }
  const index = assets.get(`/${INDEX}`)?.body.toString('utf8');
  if (index === undefined) return null;
  assets.delete(`/${INDEX}`);
  return { assets, index };
}
