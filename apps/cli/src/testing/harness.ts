import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { readEnv } from '../env.js';
import { run } from '../main.js';

export const ID = '3f1c2f86-5f0a-4f4b-9d70-0b8a6a1c9a11';
export const AT = '2026-01-01T00:00:00.000Z';
export const DIGEST = `sha256:${'0'.repeat(64)}`;

export interface Call {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answer {
  readonly status?: number;
  readonly json?: unknown;
  /** Instead of JSON, as server-sent events. */
  readonly events?: string;
}

/** Keys are `METHOD /path` without the query; what is not listed answers 404. */
export type Handlers = Record<string, (call: Call) => Answer>;

/** A small API on a free port of this machine. */
export async function startApi(handlers: Handlers): Promise<{ url: string; calls: Call[] }> {
  const calls: Call[] = [];
  const server: Server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const call: Call = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      calls.push(call);
      const handler = handlers[`${call.method} ${call.url.split('?')[0]}`];
      const answer = handler?.(call) ?? problem(404, 'not_found');
      if (answer.events !== undefined) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer.events);
      } else if (answer.json === undefined) response.writeHead(answer.status ?? 204).end();
      else {
        response
          .writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(answer.json));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

export const problem = (status: number, code: string, extra: object = {}): Answer => ({
  status,
  json: { type: 'about:blank', title: code, status, code, ...extra },
});

export const envelope = (extra: object = {}): object => ({
  ok: true,
  pack_id: 'ledger',
  verb_key: 'balance',
  result: { total: '1.00' },
  run_id: ID,
  duration_ms: 3,
  ...extra,
});

export const me = (extra: object = {}): object => ({
  principal: { id: ID, kind: 'human', name: 'Ada' },
  acts_for: null,
  tenant: { id: ID, name: 'Acme', slug: 'acme' },
  session: { id: ID, interactive: true, project_id: null, packs: null, expires_at: AT },
  grants: [[{ capability: 'verb.exec.read', pack_id: 'ledger' }]],
  roles: ['owner'],
  is_agent: false,
  ...extra,
});

export const tokens = (name: string): object => ({
  access_token: `access-${name}`,
  refresh_token: `refresh-${name}`,
  expires_in: 900,
  token_type: 'Bearer',
  tenant_id: ID,
});

export async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'hcpx-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export interface Options {
  readonly home: string;
  readonly vars?: Record<string, string>;
  readonly terminal?: boolean;
  readonly stdin?: string;
  readonly answers?: string[];
  /** Addresses that a browser was asked to show. */
  readonly opened?: string[];
  readonly now?: Date;
  readonly cwd?: string;
  readonly user_home?: string;
}

/** Runs `hcpx` in this process with an environment of its own. */
export async function hcpx(argv: string[], options: Options): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const terminal = options.terminal === true;
  const answers = [...(options.answers ?? [])];
  const code = await run(argv, {
    env: readEnv({ HCP_HOME: options.home, ...options.vars }, options.user_home ?? '/nowhere'),
    cwd: options.cwd ?? '/nowhere',
    out: { terminal, columns: 100, write: (text) => (out += text) },
    err: { terminal, columns: 100, write: (text) => (err += text) },
    interactive: options.answers !== undefined,
    signal: new AbortController().signal,
    stdio: () => ({ input: Readable.from([options.stdin ?? '']), output: new PassThrough() }),
    readStdin: async () => Promise.resolve(options.stdin ?? ''),
    openBrowser: (address) => options.opened?.push(address),
    ask: async () => Promise.resolve(answers.shift() ?? ''),
    now: () => options.now ?? new Date(AT),
  });
  return { code, out, err };
}
