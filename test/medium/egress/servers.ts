import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Resolve } from '@hcp/egress';

/** A server on a real socket that says what reached it. */
export interface Listening {
  port: number;
  /** `METHOD path` of each request, in the order of arrival. */
  seen: string[];
  /** Connections, whether or not a request came. */
  connections: () => number;
  close(): Promise<void>;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export async function serve(
  handler: Handler = (_request, response) => response.end('hello\n'),
  at: { host?: string; port?: number } = {},
): Promise<Listening> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    handler(request, response);
  });
  return { ...(await listening(server, at)), seen };
}

/** Any server, listening on loopback. */
export async function listening(
  server: Server,
  { host = '127.0.0.1', port = 0 }: { host?: string; port?: number } = {},
): Promise<Omit<Listening, 'seen'>> {
  let connections = 0;
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** Name servers of a test: answers by name, each list once and the last one from then on. */
export class Names {
  readonly asked: string[] = [];
  readonly #answers = new Map<string, string[][]>();

  set(name: string, ...answers: string[][]): this {
    this.#answers.set(name, answers);
    return this;
  }

  readonly resolve: Resolve = async (name) => {
    this.asked.push(name);
    const answers = this.#answers.get(name) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined) throw new Error('no such name');
    return answer;
  };
}
