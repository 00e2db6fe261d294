import { Inject, Injectable, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AccessLoader } from '@hcp/access';
import { Database } from '@hcp/database';
import { loadFacts, schemaCheck } from '@hcp/packs';
import { openBus, openQueue, type Backend, type Bus, type RunQueue } from '@hcp/queue';
import {
  DEFAULT_RUNS_CONFIG,
  Exec,
  RunWaiter,
  storedAgent,
  storedProcess,
  Workspaces,
  type ReloadCaller,
  type TenantKeys,
} from '@hcp/runs';
import { Keyring, reloadCaller } from '@hcp/tenancy';
import { PinoLogger } from 'nestjs-pino';
import { join } from 'node:path';
import { Followers } from '../events/followers.js';
import type { Env } from '../platform/env.js';
import { Readiness } from '../platform/readiness.js';
import { ENV } from '../platform/tokens.js';
import { RunsController } from './runs.controller.js';
import { BUS, KEYS, QUEUE } from './tokens.js';

const logged = (log: PinoLogger) => (error: Error) => log.error({ err: error }, 'runs');

const backend = (env: Env, log: PinoLogger): Backend => ({
  redis_url: env.REDIS_URL,
  postgres_url: env.QUEUE_DATABASE_URL,
  onError: logged(log),
});

/** Who asked for a request that is approved now, on the rights of this moment (SPEC V5). */
const reload: ReloadCaller = async (tx, asker) => {
  const reloaded = await reloadCaller(tx, { ...asker, is_agent: storedAgent(asker.authority) });
  if (!reloaded.ok) return reloaded;
  return { ok: true, caller: { ...reloaded.caller, ...storedProcess(asker.authority) } };
};

/** Opens and closes what runs need: the waiter's subscription, the queue and the bus. */
@Injectable()
class RunsLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(RunWaiter) private readonly waiter: RunWaiter,
    @Inject(Followers) private readonly followers: Followers,
    @Inject(QUEUE) private readonly queue: RunQueue,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(Readiness) readiness: Readiness,
  ) {
    readiness.register('queue', () => queue.ready());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.waiter.start();
    await this.followers.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.waiter.stop();
    this.followers.stop();
    await this.queue.close();
    await this.bus.close();
  }
}

@Module({
  controllers: [RunsController],
  providers: [
    RunsLifecycle,
    {
      provide: KEYS,
      inject: [Keyring],
      useFactory:
        (keyring: Keyring): TenantKeys =>
        (tenant_id) =>
          keyring.tenantKeys(tenant_id),
    },
    {
      provide: QUEUE,
      inject: [ENV, PinoLogger],
      useFactory: (env: Env, log: PinoLogger) => openQueue(backend(env, log)),
    },
    {
      provide: BUS,
      inject: [ENV, PinoLogger],
      useFactory: (env: Env, log: PinoLogger) => openBus(backend(env, log)),
    },
    { provide: RunWaiter, inject: [BUS], useFactory: (bus: Bus) => new RunWaiter(bus) },
    {
      provide: Followers,
      inject: [BUS, PinoLogger],
      useFactory: (bus: Bus, log: PinoLogger) => new Followers(bus, logged(log)),
    },
    {
      provide: Exec,
      inject: [Database, KEYS, QUEUE, RunWaiter, Followers, AccessLoader, ENV, PinoLogger],
      useFactory: (
        db: Database,
        keys: TenantKeys,
        queue: RunQueue,
        waiter: RunWaiter,
        followers: Followers,
        access: AccessLoader,
        env: Env,
        log: PinoLogger,
      ) =>
        new Exec({
          db,
          keys,
          queue,
          waiter,
          facts: loadFacts,
          access: access.load,
          check: schemaCheck,
          workspaces: env.HCP_DATA_DIR === undefined ? null : new Workspaces(join(env.HCP_DATA_DIR, 'workspaces')),
          reload,
          asked: (tenant_id) => followers.wake(tenant_id),
          config: DEFAULT_RUNS_CONFIG,
          onError: logged(log),
        }),
    },
  ],
  exports: [Exec, Followers, KEYS, RunWaiter],
})
export class RunsModule {}
