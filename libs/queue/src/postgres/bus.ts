import { Client, Pool } from 'pg';
import { Listeners } from '../listeners.js';
import type { Bus, BusMessages, BusTopic } from '../port.js';

const CHANNEL = 'hcp_bus';
const RECONNECT_MS = 500;

/** The bus on LISTEN/NOTIFY. A lost connection is opened again; what was sent meanwhile is lost, as the port says. */
export class PostgresBus implements Bus {
  private readonly pool: Pool;
  private readonly listeners = new Listeners();
  private client: Client | null = null;
  private connecting: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly onError: (error: Error) => void,
  ) {
    this.pool = new Pool({ connectionString: url, max: 2, keepAlive: true });
    this.pool.on('error', onError);
  }

  async publish<T extends BusTopic>(topic: T, message: BusMessages[T]): Promise<void> {
    await this.pool.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify({ topic, message })]);
  }

  async subscribe<T extends BusTopic>(topic: T, listener: (message: BusMessages[T]) => void): Promise<() => void> {
    const end = this.listeners.add(topic, listener);
    try {
      await this.connect();
      return end;
    } catch (error) {
      end();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    this.listeners.clear();
    await this.connecting?.catch(() => undefined);
    await this.client?.end().catch(() => undefined);
    await this.pool.end();
  }

  private connect(): Promise<void> {
    if (this.client) return Promise.resolve();
    this.connecting ??= this.open().finally(() => {
      this.connecting = null;
    });
    return this.connecting;
  }

  private async open(): Promise<void> {
    const client = new Client({ connectionString: this.url, keepAlive: true });
    client.on('notification', ({ payload }) => this.listeners.deliver(payload));
    client.on('error', (error) => {
      this.onError(error);
      this.reconnect(client);
    });
    client.on('end', () => this.reconnect(client));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      this.client = client;
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
  }

  private reconnect(lost: Client): void {
    if (this.client !== lost) return;
    this.client = null;
    const again = () => {
      if (this.closed) return;
      this.timer = setTimeout(() => {
        this.connect().catch((error: unknown) => {
          this.onError(error as Error);
          again();
        });
      }, RECONNECT_MS);
      this.timer.unref();
    };
    again();
  }
}
