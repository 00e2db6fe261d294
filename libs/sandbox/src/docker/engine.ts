import { Agent, request, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Longest wait for an answer of the daemon that does not wait for a program. */
const ANSWER_MS = 30_000;
/** More than any answer that we ask for. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export interface Answer {
  status: number;
  /** The parsed body; null when it is empty or no JSON. */
  body: unknown;
}

/**
 * The Docker Engine API over a local socket (https://docs.docker.com/engine/api/; podman's `system service` speaks it too).
 * Answers are returned whatever their status; only a daemon that does not answer rejects.
 */
export class Engine {
  readonly #agent = new Agent({ keepAlive: true });

  /** `socket` is the path of the daemon's socket. */
  constructor(readonly socket: string) {}

  /** `wait_ms` null waits as long as the daemon does. */
  async call(method: string, path: string, body?: unknown, wait_ms: number | null = ANSWER_MS): Promise<Answer> {
    const text = body === undefined ? null : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request({
        socketPath: this.socket,
        agent: this.#agent,
        method,
        path,
        headers: {
          host: 'docker',
          ...(text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      });
      if (wait_ms !== null) sent.setTimeout(wait_ms, () => sent.destroy(new Error('the daemon does not answer')));
      sent.once('error', reject);
      sent.once('response', (response) => {
        readBody(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject);
      });
      sent.end(text);
    });
  }

  /** Connects to the standard streams of a container that has not started; both directions go through one connection. */
  async attach(id: string): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const sent = request({
        socketPath: this.socket,
        agent: false,
        method: 'POST',
        path: `/containers/${id}/attach?stream=1&stdin=1&stdout=1&stderr=1`,
        headers: { host: 'docker', connection: 'Upgrade', upgrade: 'tcp' },
      });
      sent.setTimeout(ANSWER_MS, () => sent.destroy(new Error('the daemon does not answer')));
      sent.once('error', reject);
      sent.once('response', (response) => {
        readBody(response).then(
          (body) => reject(new Error(`attach: ${messageOf({ status: response.statusCode ?? 0, body })}`)),
          reject,
        );
      });
      sent.once('upgrade', (_response, socket, head) => {
        socket.setTimeout(0);
        socket.removeAllListeners('timeout');
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      sent.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function readBody(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the daemon answers with too much');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

/** What lies at this path of a parsed answer; undefined where there is nothing. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

/** The daemon's words for a failure; they may name paths of the host, so they are for the operator alone. */
export function messageOf(answer: Answer): string {
  const message = at(answer.body, 'message');
  return typeof message === 'string' ? message : `status ${answer.status}`;
}
