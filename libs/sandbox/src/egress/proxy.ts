import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { EgressPolicy } from '@hcp/egress';
import { forward } from './forward.js';
import { Gate } from './gate.js';
import { type EgressFacts, Ledger } from './ledger.js';
import type { EgressRules } from './rules.js';
import { tunnel } from './tunnel.js';

/** Connections of one run at the same time. */
const MOST_CONNECTIONS = 64;
const HEADERS_MS = 10_000;

/**
 * The proxy of one run (SPEC S4): CONNECT and plain HTTP in absolute form, on a unix socket, to declared hosts alone. It
 * knows nothing of drivers: whatever can put a socket before a program can use it.
 */
export class EgressProxy {
  readonly #ledger: Ledger;
  readonly #server: Server;
  readonly #over = new AbortController();
  readonly #clients = new Set<Socket>();

  constructor(rules: EgressRules, policy: EgressPolicy) {
    this.#ledger = new Ledger();
    const gate = new Gate(rules, policy, this.#ledger);
    const { signal } = this.#over;
    this.#server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: 0, keepAliveTimeout: 0 });
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.on('connection', (socket) => {
      this.#clients.add(socket);
      socket.once('close', () => this.#clients.delete(socket));
    });
    this.#server.on('request', (request, response) => {
      forward(gate, request, response, signal).catch(() => response.destroy());
    });
    this.#server.on('connect', (request, client, head) => {
      tunnel(gate, request, { client, head, signal }).catch(() => client.destroy());
    });
    this.#server.on('clientError', (_error, client) => client.destroy());
  }

  async listen(path: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(path, () => {
        this.#server.off('error', reject).on('error', () => undefined);
        resolve();
      });
    });
  }

  /** Ends every connection; the facts are whole once this resolves. */
  async close(): Promise<EgressFacts> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#over.abort();
    for (const client of this.#clients) client.destroy();
    await closed;
    // What was connected is counted as its socket closes, one turn after it was destroyed.
    await new Promise((resolve) => setImmediate(resolve));
    return this.#ledger.facts();
  }
}
