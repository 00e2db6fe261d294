import { Module, type DynamicModule } from '@nestjs/common';
import { AccessLoader } from '@hcp/access';
import { Providers, Refresher } from '@hcp/bindings';
import { Database } from '@hcp/database';
import { openKms, type Kms } from '@hcp/kms';
import { loadFacts, packOfVersion, PackStore, schemaCheck } from '@hcp/packs';
import { openBus, openQueue, type Bus, type RunQueue } from '@hcp/queue';
import {
  DEFAULT_RUNS_CONFIG,
  Exec,
  HcpCliAdapter,
  OpenapiAdapter,
  RunExecutor,
  RunWaiter,
  SenseAdapter,
  storedAgent,
  storedProcess,
  Workspaces,
  WrapAdapter,
  type ReaperDeps,
  type ReloadCaller,
  type SignWorkload,
  type TenantKeys,
} from '@hcp/runs';
import { selectDriver, type Selected } from '@hcp/sandbox';
import { credentialEvents, SourceScheduler } from '@hcp/sense';
import { Keyring, reloadCaller, RootKeyCare, signWorkloadToken, SigningKeys } from '@hcp/tenancy';
import { Deliverer } from '@hcp/webhooks';
import { LoggerModule, PinoLogger } from 'nestjs-pino';
import { join } from 'node:path';
import { doctor } from './doctor.js';
import { queueBackend, type Env } from './env.js';
import { Presence, type Facts } from './presence.js';
import {
  BUS,
  DELIVERER,
  DRIVER,
  ENV,
  EXECUTOR,
  FACTS,
  KEYS,
  KMS,
  LOOKOUT,
  PRESENCE,
  QUEUE,
  REAPER,
  SELECTED,
} from './tokens.js';
import { Worker } from './worker.js';

/** Who asked, on the rights of this moment. */
const reload: ReloadCaller = async (tx, asker) => {
  const reloaded = await reloadCaller(tx, { ...asker, is_agent: storedAgent(asker.authority) });
  if (!reloaded.ok) return reloaded;
  return { ok: true, caller: { ...reloaded.caller, ...storedProcess(asker.authority) } };
};

/** Puts the worker together: every part is made here and nowhere else. */
@Module({})
export class WorkerModule {
  static with(env: Env): DynamicModule {
    const logged = (log: PinoLogger) => (error: Error) => log.error({ err: error }, 'worker');
    return {
      module: WorkerModule,
      imports: [LoggerModule.forRoot({ pinoHttp: { level: env.LOG_LEVEL, autoLogging: false } })],
      providers: [
        Worker,
        { provide: ENV, useValue: env },
        { provide: Database, useFactory: () => new Database({ url: env.DATABASE_URL, max: env.DATABASE_POOL }) },
        { provide: KMS, useFactory: () => openKms(env) },
        {
          provide: RootKeyCare,
          useFactory: (kms: Kms, db: Database) => new RootKeyCare(kms, db),
          inject: [KMS, Database],
        },
        {
          provide: KEYS,
          inject: [KMS, Database],
          useFactory: (kms: Kms, db: Database): TenantKeys => {
            const keyring = new Keyring(kms, db, { cache_ms: env.HCP_KEY_CACHE_MS });
            return (tenant_id) => keyring.tenantKeys(tenant_id);
          },
        },
        {
          provide: QUEUE,
          inject: [PinoLogger],
          useFactory: (log: PinoLogger) => openQueue(queueBackend(env, logged(log))),
        },
        {
          provide: BUS,
          inject: [PinoLogger],
          useFactory: (log: PinoLogger) => openBus(queueBackend(env, logged(log))),
        },
        {
          provide: SELECTED,
          useFactory: () =>
            selectDriver({
              requested: env.HCP_SANDBOX_DRIVER,
              production: env.NODE_ENV === 'production',
              allow_uploaded: env.HCP_ALLOW_UPLOADED_PACKS,
              docker: {
                host: env.HCP_DOCKER_HOST,
                runtime: env.HCP_DOCKER_RUNTIME ?? null,
                image: env.HCP_SANDBOX_IMAGE,
                images: env.HCP_SANDBOX_IMAGES,
              },
              allowed_bins: env.HCP_ALLOWED_BINS,
              data_dir: env.HCP_DATA_DIR,
              node_bin: process.execPath,
              slots: env.HCP_WORKER_CONCURRENCY,
              allow_private_hosts: env.HCP_EGRESS_ALLOW_PRIVATE,
            }),
        },
        {
          provide: DRIVER,
          inject: [SELECTED],
          useFactory: (selected: Selected) => (selected.ok ? selected.driver : null),
        },
        {
          provide: FACTS,
          inject: [SELECTED],
          useFactory: (selected: Selected): Facts => ({
            sandbox_driver: selected.ok ? selected.driver.name : null,
            sandbox_detail: selected.ok ? selected.driver.notes.join('; ') : `${selected.reason}; ${selected.fix}`,
            concurrency: env.HCP_WORKER_CONCURRENCY,
          }),
        },
        {
          provide: PRESENCE,
          inject: [Database, FACTS, PinoLogger],
          useFactory: (db: Database, facts: Facts, log: PinoLogger) => new Presence(db, facts, logged(log)),
        },
        {
          provide: EXECUTOR,
          inject: [KMS, Database, KEYS, QUEUE, BUS, SELECTED, FACTS, PinoLogger],
          useFactory: (
            kms: Kms,
            db: Database,
            keys: TenantKeys,
            queue: RunQueue,
            bus: Bus,
            selected: Selected,
            facts: Facts,
            log: PinoLogger,
          ) => {
            const workspaces = new Workspaces(join(env.HCP_DATA_DIR, 'workspaces'));
            const store = new PackStore({ cache_dir: join(env.HCP_DATA_DIR, 'packs'), db });
            const wrap = new WrapAdapter({
              driver: selected.ok ? selected.driver : null,
              no_driver: selected.ok ? '' : `${selected.reason}; ${selected.fix}`,
              packDir: (tenant_id, version_id, digest) => store.dir(tenant_id, version_id, digest),
              workspaces,
            });
            return new RunExecutor({
              db,
              keys,
              queue,
              bus,
              workspaces,
              refresher: new Refresher({
                db,
                sealer: keys,
                providers: new Providers({ egress: { allow_private: env.HCP_EGRESS_ALLOW_PRIVATE } }),
                events: credentialEvents,
                onError: logged(log),
              }),
              facts: loadFacts,
              access: new AccessLoader(env.HCP_PLATFORM_ACCESS ?? null).load,
              pinned: packOfVersion,
              workload: workloadSigner(env, new SigningKeys(db, kms)),
              caller: reload,
              check: schemaCheck,
              adapters: {
                wrap,
                sense_only: new SenseAdapter(wrap),
                composite: new HcpCliAdapter(db, doctor({ db, queue, facts })),
                openapi: new OpenapiAdapter({ egress: { allow_private: env.HCP_EGRESS_ALLOW_PRIVATE } }),
              },
              config: { ...DEFAULT_RUNS_CONFIG, run_timeout_ms: env.HCP_RUN_TIMEOUT_MS, lease_ms: env.HCP_LEASE_MS },
              onError: logged(log),
            });
          },
        },
        {
          provide: LOOKOUT,
          inject: [Database, KEYS, QUEUE, BUS, PinoLogger],
          useFactory: (db: Database, keys: TenantKeys, queue: RunQueue, bus: Bus, log: PinoLogger) => {
            const onError = logged(log);
            const exec = new Exec({
              ...{ db, keys, queue, reload, onError },
              waiter: new RunWaiter(bus),
              facts: loadFacts,
              access: new AccessLoader(env.HCP_PLATFORM_ACCESS ?? null).load,
              check: schemaCheck,
              workspaces: new Workspaces(join(env.HCP_DATA_DIR, 'workspaces')),
              // A look asks nobody.
              asked: () => undefined,
              config: { ...DEFAULT_RUNS_CONFIG, run_timeout_ms: env.HCP_RUN_TIMEOUT_MS },
            });
            return new SourceScheduler({
              ...{ db, onError },
              looker: (tx, source) => reloadCaller(tx, { ...source, is_agent: false }),
              commands: async (tx, caller, { pack_id, project_id }) => {
                const { pack } = await loadFacts(tx, { pack_id, project_id, caller });
                return pack?.manifest.kind === 'sense_only' ? Object.keys(pack.surface.commands) : null;
              },
              start: (tx, caller, look) => exec.startLook(tx, caller, look),
              enqueue: (tenant_id, run_id) => exec.enqueue(tenant_id, run_id),
            });
          },
        },
        {
          provide: DELIVERER,
          inject: [Database, KEYS, PinoLogger],
          useFactory: (db: Database, sealer: TenantKeys, log: PinoLogger) =>
            new Deliverer({
              db,
              sealer,
              egress: { allow_private: env.HCP_EGRESS_ALLOW_PRIVATE },
              onError: logged(log),
            }),
        },
        {
          provide: REAPER,
          inject: [Database, KEYS, QUEUE, BUS, PinoLogger],
          useFactory: (db: Database, keys: TenantKeys, queue: RunQueue, bus: Bus, log: PinoLogger): ReaperDeps => ({
            db,
            keys,
            queue,
            bus,
            onError: logged(log),
          }),
        },
      ],
    };
  }
}

/** Tokens of the issuer name it by its public address; without that none are made. */
function workloadSigner({ PUBLIC_URL }: Env, keys: SigningKeys): SignWorkload | null {
  return PUBLIC_URL === undefined ? null : (claims) => signWorkloadToken({ keys, issuer: PUBLIC_URL }, claims);
}
