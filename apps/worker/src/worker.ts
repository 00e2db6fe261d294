import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { sweepApprovals } from '@hcp/approvals';
import { placeWaiting } from '@hcp/audit';
import { sweepBindings } from '@hcp/bindings';
import { eraseEnded, reap, type ReaperDeps, type RunExecutor } from '@hcp/runs';
import { openConsumer, type RunConsumer } from '@hcp/queue';
import type { SandboxDriver } from '@hcp/sandbox';
import { RootKeyCare, sweepExpired } from '@hcp/tenancy';
import { credentialEvents, type SourceScheduler } from '@hcp/sense';
import type { Deliverer } from '@hcp/webhooks';
import { PinoLogger } from 'nestjs-pino';
import { queueBackend, type Env } from './env.js';
import type { Presence } from './presence.js';
import { DELIVERER, DRIVER, ENV, EXECUTOR, LOOKOUT, PRESENCE, REAPER } from './tokens.js';

const DRIVER_REAP_MS = 60_000;
const SWEEP_MS = 60_000;
const DELIVER_MS = 1000;
const LOOK_MS = 1000;
const PLACE_MS = 1000;

/** Takes runs off the queue for as long as the process lives; on SIGTERM finishes those in hand (SPEC R3). */
@Injectable()
export class Worker implements OnApplicationBootstrap, OnApplicationShutdown {
  private consumer: RunConsumer | null = null;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    @Inject(ENV) private readonly env: Env,
    @Inject(EXECUTOR) private readonly executor: RunExecutor,
    @Inject(REAPER) private readonly reaper: ReaperDeps,
    @Inject(DRIVER) private readonly driver: SandboxDriver | null,
    @Inject(PRESENCE) private readonly presence: Presence,
    @Inject(RootKeyCare) private readonly root_keys: RootKeyCare,
    @Inject(DELIVERER) private readonly deliverer: Deliverer,
    @Inject(LOOKOUT) private readonly lookout: SourceScheduler,
    private readonly log: PinoLogger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const onError = (error: Error) => this.log.error({ err: error }, 'worker');
    // Nothing is run while a root key is missing that something in the database needs (SPEC B3).
    if (!(await this.root_keys.check())) this.log.warn('the KMS cannot be asked: runs wait until it answers');
    await this.driver?.reap();
    await this.presence.start();
    this.consumer = openConsumer(queueBackend(this.env, onError), (job) => this.executor.execute(job), {
      concurrency: this.env.HCP_WORKER_CONCURRENCY,
    });
    this.repeat(this.env.HCP_REAP_MS, () => reap(this.reaper), onError);
    this.repeat(this.env.HCP_REAP_MS, () => sweepApprovals(this.reaper.db), onError);
    const kept_ms = this.env.HCP_OUTPUT_RETENTION_MS;
    this.repeat(this.env.HCP_REAP_MS, () => eraseEnded(this.reaper.db, kept_ms), onError);
    this.repeat(LOOK_MS, () => this.lookout.look(), onError);
    this.repeat(PLACE_MS, () => placeWaiting(this.reaper.db), onError);
    this.repeat(DELIVER_MS, () => this.deliverer.look(), onError);
    this.repeat(DRIVER_REAP_MS, async () => this.driver?.reap(), onError);
    this.repeat(SWEEP_MS, () => sweepBindings(this.reaper.db, credentialEvents), onError);
    this.repeat(SWEEP_MS, () => sweepExpired(this.reaper.db), onError);
    this.log.info({ worker_id: this.presence.id, driver: this.driver?.name ?? null }, 'worker ready');
  }

  async onApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    const late = setTimeout(() => this.executor.stopAll(), this.env.HCP_DRAIN_MS);
    await Promise.all([this.consumer?.close(), this.deliverer.close({ drain_ms: this.env.HCP_DRAIN_MS })]);
    clearTimeout(late);
    await this.presence.stop();
    await this.driver?.close();
  }

  /** Runs a task again and again, never twice at a time. */
  private repeat(every_ms: number, task: () => Promise<unknown>, onError: (error: Error) => void): void {
    let busy = false;
    this.timers.push(
      setInterval(() => {
        if (busy) return;
        busy = true;
        task()
          .catch(onError)
          .finally(() => {
            busy = false;
          });
      }, every_ms),
    );
  }
}
