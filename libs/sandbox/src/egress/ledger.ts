/** What a run's connections came to. Hosts are as they were asked for, in lower case: a program may make them up. */
export interface EgressFacts {
  contacted: EgressContact[];
  refused: EgressRefused[];
  /** There were more hosts than are listed. */
  more: boolean;
}

export interface EgressContact {
  host: string;
  port: number;
  connections: number;
  bytes_sent: number;
  bytes_received: number;
}

export interface EgressRefused {
  host: string;
  port: number | null;
  /** `not_declared`, or the code of the egress check. */
  code: string;
  count: number;
}

const MOST = 100;

/** Counts what a run reaches and what it is refused. Bounded, whatever a program does. */
export class Ledger {
  readonly #contacted = new Map<string, EgressContact>();
  readonly #refused = new Map<string, EgressRefused>();
  #more = false;

  contacted(host: string, port: number, bytes: { sent: number; received: number }): void {
    const fresh = { host, port, connections: 0, bytes_sent: 0, bytes_received: 0 };
    const row = this.#row(this.#contacted, `${host}:${port}`, fresh);
    if (row === null) return;
    row.connections += 1;
    row.bytes_sent += bytes.sent;
    row.bytes_received += bytes.received;
  }

  refused(host: string, port: number | null, code: string): void {
    const fresh = { host: host.slice(0, 253), port, code, count: 0 };
    const row = this.#row(this.#refused, `${fresh.host}:${port}:${code}`, fresh);
    if (row !== null) row.count += 1;
  }

  facts(): EgressFacts {
    return { contacted: [...this.#contacted.values()], refused: [...this.#refused.values()], more: this.#more };
  }

  #row<T>(rows: Map<string, T>, key: string, fresh: T): T | null {
    const known = rows.get(key);
    if (known !== undefined) return known;
    if (rows.size >= MOST) {
      this.#more = true;
      return null;
    }
    rows.set(key, fresh);
    return fresh;
  }
}
