import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export interface Received {
  readonly path: string;
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly message: { readonly type: string; readonly data: Record<string, string | null> };
}

/** An endpoint of a tenant: hears messages and answers what it is told to. */
export class Receiver {
  readonly received: Received[] = [];
  /** Status of the next answers; a function may leave the request open. */
  answer: number | ((request: Received, response: ServerResponse) => void) = 204;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const server = createServer((request, response) => void receiver.take(request, response));
    const receiver = new Receiver(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}${path}`;
  }

  /** Whether the message was signed with this secret. */
  static verifies({ body, headers }: Received, secret: string): boolean {
    try {
      new Webhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  }

  of(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await buffer(request)).toString();
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join() : (value ?? ''),
      ]),
    );
    const message = JSON.parse(body) as Received['message'];
    const one = { path: request.url ?? '', id: headers['webhook-id'] ?? '', headers, body, message };
    this.received.push(one);
    if (typeof this.answer === 'function') this.answer(one, response);
    else response.writeHead(this.answer).end('canary of an answer');
  }
}
