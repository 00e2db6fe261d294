import { Client, Pool } from 'pg';
import { busMessageSchema } from '../messages.js';
import type { Bus, BusMessage, BusTopic } from '../port.js';

const CHANNEL = 'hcp_bus';
const RECONNECT_MS = 500;

/** The bus on LISTEN/NOTIFY. A lost connection is opened again; what was sent meanwhile is lost, as the port says. */
export class PostgresBus implements Bus {
  private readonly pool: Pool;
  private readonly listeners = new Map<BusTopic, Set<(message: BusMessage) => void>>();
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

  async publish(topic: BusTopic, message: BusMessage): Promise<void> {
    await this.pool.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify({ topic, message })]);
  }

  async subscribe(topic: BusTopic, listener: (message: BusMessage) => void): Promise<() => void> {
    const set = this.listeners.get(topic) ?? new Set();
    set.add(listener);
    this.listeners.set(topic, set);
    const end = () => {
      set.delete(listener);
    };
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
    client.on('notification', ({ payload }) => this.deliver(payload));
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

  private deliver(payload: string | undefined): void {
    let value: unknown;
    try {
      value = JSON.parse(payload ?? '');
    } catch {
      return;
    }
    const parsed = busMessageSchema.safeParse(value);
    if (!parsed.success) return;
    for (const listener of this.listeners.get(parsed.data.topic) ?? []) listener(parsed.data.message);
  }
}
