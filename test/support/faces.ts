import { PassThrough, Readable } from 'node:stream';
import { run, type Io } from '@hcp/cli';
import type { Mode, ResultEnvelope } from '@hcp/core';
import { Hcp, remote } from '@hcp/sdk';
import type { Client } from '@modelcontextprotocol/client';
import { call } from './http.js';
import { callTool, mcpClient } from './mcp.js';

/** Who calls, with all that a face is told about it. */
export interface Hands {
  readonly token: string;
  /** What runs here counts as an agent's: `HCP-Agent: 1`, `HCP_AGENT=1`. */
  readonly agent?: boolean;
  readonly mode?: Mode;
}

/** One call of a command; every argument is a text or a control word, so that each face can say it. */
export interface CommandCall {
  readonly pack_id: string;
  readonly verb_key: string;
  readonly args: Readonly<Record<string, string | boolean>>;
  /** How long to wait for the result; 0 returns once it was decided. */
  readonly wait_ms: number;
}

/** One way into the product. */
export type Face = (url: string, hands: Hands, call: CommandCall) => Promise<ResultEnvelope>;

const rest: Face = async (url, { token, agent = false, mode }, body) => {
  const headers = { ...(agent && { 'hcp-agent': '1' }), ...(mode !== undefined && { 'hcp-mode': mode }) };
  return (await call<ResultEnvelope>(url, 'POST', '/v1/exec', { token, body, headers })).body;
};

const sdk: Face = async (url, { token, agent = false, mode }, { pack_id, verb_key, args, wait_ms }) => {
  const runtime = remote({ url, token, agent, ...(mode !== undefined && { mode }) });
  return (await Hcp.create({ runtime })).exec(pack_id, verb_key, args, { wait_ms });
};

/** The whole of `hcpx` but its process. */
const hcpx: Face = async (url, { token, agent = false, mode }, { pack_id, verb_key, args, wait_ms }) => {
  const out: string[] = [];
  const err: string[] = [];
  const sink = (to: string[]): Io['out'] => ({ terminal: false, columns: 80, write: (text) => void to.push(text) });
  const words = Object.entries(args).map(([name, value]) => `${name}=${String(value)}`);
  const code = await run(['exec', pack_id, verb_key, '--json', '--wait', String(wait_ms), '--', ...words], {
    env: {
      ...{ url, token, agent, home: '/nowhere', user_home: '/nowhere', path: '', no_color: true },
      ...(mode !== undefined && { mode }),
    },
    cwd: '/nowhere',
    out: sink(out),
    err: sink(err),
    interactive: false,
    signal: new AbortController().signal,
    readStdin: () => Promise.resolve(''),
    openBrowser: () => undefined,
    stdio: () => ({ input: Readable.from([]), output: new PassThrough() }),
    ask: () => Promise.reject(new Error('nobody is here')),
    now: () => new Date(),
  });
  if (out.length === 0) throw new Error(`hcpx ended with ${code}: ${err.join('')}`);
  return JSON.parse(out.join('')) as ResultEnvelope;
};

/** MCP by the official client, which keeps one connection for each caller; every call is an agent's there. */
export class McpFace {
  readonly #clients = new Map<string, Promise<Client>>();

  readonly send: Face = async (url, hands, { pack_id, verb_key, args, wait_ms }) => {
    const client = await this.#client(url, hands);
    const name = `${pack_id}__${verb_key.replaceAll('.', '_')}`;
    try {
      return (await callTool(client, name, args, { 'hcp/wait_ms': wait_ms })).document;
    } catch (error) {
      // A name that is no tool is an error of the protocol, with what exec said to it.
      const { data } = error as { data?: ResultEnvelope };
      if (data === undefined) throw error;
      return data;
    }
  };

  async close(): Promise<void> {
    for (const client of this.#clients.values()) await (await client).close();
  }

  #client(url: string, { token, mode }: Hands): Promise<Client> {
    const key = `${url} ${token} ${mode ?? ''}`;
    const headers: Record<string, string> = mode === undefined ? {} : { 'hcp-mode': mode };
    const client = this.#clients.get(key) ?? mcpClient(url, { token, headers });
    this.#clients.set(key, client);
    return client;
  }
}

/** Those that tell whether an agent calls. */
export const FACES = { rest, sdk, hcpx } as const;
