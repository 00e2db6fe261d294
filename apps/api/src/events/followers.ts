import type { Bus } from '@hcp/queue';
import { Watches, type Watch } from '@hcp/runs';

/**
 * Wakes those who follow a tenant, on whichever replica. The bus may lose a message, so every follower also looks at the
 * database by itself.
 */
export class Followers {
  private readonly watches = new Watches();
  private readonly ends: (() => void)[] = [];

  constructor(
    private readonly bus: Bus,
    private readonly onError: (error: Error) => void,
  ) {}

  async start(): Promise<void> {
    for (const topic of ['run.changed', 'events.new'] as const) {
      this.ends.push(await this.bus.subscribe(topic, ({ tenant_id }) => this.watches.changed(tenant_id)));
    }
  }

  stop(): void {
    for (const end of this.ends) end();
  }

  /** Begins to listen; end it after use. */
  watch(tenant_id: string): Watch {
    return this.watches.add(tenant_id);
  }

  /** What was written has committed: have everyone look at once. */
  wake(tenant_id: string): void {
    this.bus.publish('events.new', { tenant_id }).catch((error: unknown) => this.onError(error as Error));
  }
}
