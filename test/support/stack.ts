import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  assignRole,
  createTestDatabase,
  freePort,
  makeGrant,
  makeTenant,
  makeUser,
  type TestDatabase,
} from '@hcp/testing';
import type { Backend } from '@hcp/queue';
import { hashPassword, mintSecret } from '@hcp/tenancy';
import { call, type Answer, type CallOptions } from './http.js';
import { eventually, startNode, type Started } from './process.js';
import type { QueueKind } from './queues.js';
import { startRedis, type RedisServer } from './redis.js';

const API = fileURLToPath(new URL('../../apps/api/dist/main.js', import.meta.url));
const WORKER = fileURLToPath(new URL('../../apps/worker/dist/main.js', import.meta.url));

export interface StackOptions {
  /** What the queue and the bus are on; a Redis is started for the stack alone. */
  readonly queue?: QueueKind;
  readonly apis?: number;
  readonly workers?: number;
  /** Further variables of every process. */
  readonly env?: Record<string, string>;
  /** Further variables of the workers. */
  readonly worker_env?: Record<string, string>;
  /** A program that becomes the worker, such as `unshare …`. */
  readonly worker_within?: readonly string[];
}

/** The product as it runs: api and worker processes on a database of their own. */
export interface Stack {
  readonly database: TestDatabase;
  readonly redis: RedisServer | null;
  /** For `openQueue` and its like. */
  readonly backend: Backend;
  /** One base URL for each API replica. */
  readonly urls: readonly [string, ...string[]];
  readonly data_dir: string;
  readonly workers: Started[];
  readonly apis: Started[];
  startWorker(env?: Record<string, string>): Promise<Started>;
  /** The first replica once more, at its address, after it was stopped. */
  startApi(): Promise<void>;
  /** A call to the first replica. */
  call<T = Record<string, unknown>>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
  stop(): Promise<void>;
}

export async function startStack({
  queue = 'postgres',
  apis = 1,
  workers = 1,
  env: shared_env = {},
  worker_env = {},
  worker_within = [],
}: StackOptions = {}): Promise<Stack> {
  const database = await createTestDatabase();
  const redis = queue === 'redis' ? await startRedis() : null;
  const data_dir = await mkdtemp('/var/tmp/hcp-test-');
  await chmod(data_dir, 0o755);
  const shared = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    DATABASE_URL: database.app_url,
    // One of the two: a process that would use the other has no way to it.
    ...(redis ? { REDIS_URL: redis.url } : { QUEUE_DATABASE_URL: database.queue_url }),
    HCP_ROOT_KEY: randomBytes(32).toString('hex'),
    ...shared_env,
  };
  const started: Started[] = [];
  const urls: string[] = [];
  const worker_list: Started[] = [];
  const startWorker = async (env: Record<string, string> = {}): Promise<Started> => {
    const present = () => database.db.global((tx) => tx.worker.findMany({ select: { id: true } }));
    // By id: a worker that starts removes the rows of those that died a while ago.
    const before = new Set((await present()).map(({ id }) => id));
    const settings = {
      ...shared,
      ...(urls[0] !== undefined && { PUBLIC_URL: urls[0] }),
      HCP_DATA_DIR: data_dir,
      HCP_SANDBOX_DRIVER: 'auto',
      HCP_ALLOW_UPLOADED_PACKS: 'bubblewrap',
      ...worker_env,
      ...env,
    };
    const worker = startNode(WORKER, settings, [], worker_within);
    started.push(worker);
    worker_list.push(worker);
    await up('worker', worker, async () => (await present()).some(({ id }) => !before.has(id)));
    return worker;
  };
  const api_list: Started[] = [];
  const startApi = async (replica: number, url: string): Promise<void> => {
    const PORT = new URL(url).port;
    const api = startNode(API, { ...shared, HCP_DATA_DIR: data_dir, PORT, PUBLIC_URL: urls[0] ?? url });
    started.push(api);
    api_list[replica] = api;
    await up('api', api, async () => (await fetch(`${url}/healthz`).catch(() => null))?.ok ?? false);
  };
  for (let replica = 0; replica < apis; replica += 1) {
    const url = `http://127.0.0.1:${String(await freePort())}`;
    await startApi(replica, url);
    urls.push(url);
  }
  for (let count = 0; count < workers; count += 1) await startWorker();
  const [first = ''] = urls;
  return {
    database,
    redis,
    backend: { redis_url: redis?.url, postgres_url: database.queue_url, onError: () => undefined },
    urls: urls as [string, ...string[]],
    data_dir,
    workers: worker_list,
    apis: api_list,
    startWorker,
    startApi: () => startApi(0, first),
    call: (method, path, options) => call(first, method, path, options),
    async stop() {
      if (process.env.HCP_TEST_LOGS) for (const one of started) process.stderr.write(one.output());
      await Promise.all(started.map((one) => one.stop()));
      await redis?.stop();
      await database.close();
      await rm(data_dir, { recursive: true, force: true });
    },
  };
}

async function up(what: string, one: Started, look: () => Promise<boolean>): Promise<void> {
  let ended = false;
  void one.exited.then(() => (ended = true));
  await eventually(
    `${what} is up`,
    async () => {
      if (ended) throw new Error(`${what} ended:\n${one.output()}`);
      return look();
    },
    60_000,
  ).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}\n${one.output()}`);
  });
}

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

/** A human with this role who has signed in. */
export async function signedIn(stack: Stack, tenant_id: string, role: string): Promise<Person> {
  const password = randomUUID();
  const user = await makeUser(stack.database.db, { password_hash: await hashPassword(password) });
  const id = randomUUID();
  await stack.database.db.tenant(tenant_id, (tx) =>
    tx.principal.create({ data: { tenant_id, id, kind: 'human', name: user.name, user_id: user.id } }),
  );
  await assignRole(stack.database.db, tenant_id, id, role);
  const answer = await stack.call<{ access_token: string }>('POST', '/v1/auth/token', {
    body: { email: user.email, password, tenant_id },
  });
  if (answer.status !== 200) throw new Error(`sign-in: ${JSON.stringify(answer.body)}`);
  return { id, email: user.email, password, token: answer.body.access_token };
}

/** A key for any principal, written directly. */
export async function keyFor(
  stack: Stack,
  tenant_id: string,
  principal_id: string,
  fields: { project_id?: string; grants?: object[] } = {},
): Promise<{ id: string; key: string }> {
  const id = randomUUID();
  const { token, secret_hash } = mintSecret('hcp', id);
  await stack.database.db.tenant(tenant_id, (tx) =>
    tx.apiKey.create({ data: { tenant_id, id, principal_id, name: 'test', secret_hash, ...fields } }),
  );
  return { id, key: token };
}

/** A tenant with an owner who has signed in. */
export async function tenantWithOwner(stack: Stack): Promise<{ tenant_id: string; owner: Person }> {
  const { id: tenant_id } = await makeTenant(stack.database.db);
  return { tenant_id, owner: await signedIn(stack, tenant_id, 'owner') };
}

/** A platform operator who has signed in, in a platform tenant. */
export async function operatorOf(stack: Stack): Promise<Person> {
  const { id } = await makeTenant(stack.database.db, { platform: true });
  const operator = await signedIn(stack, id, 'owner');
  await makeGrant(stack.database.db, id, operator.id, 'platform.manage');
  return operator;
}

/** Installs a pack and activates it for the whole tenant. */
export async function install(
  stack: Stack,
  token: string,
  archive: Buffer,
): Promise<{ pack_id: string; version: string; digest: string }> {
  const installed = await stack.call<{ pack_id: string; version: string; digest: string }>('POST', '/v1/packs', {
    token,
    raw: new Uint8Array(archive),
    headers: { 'content-type': 'application/gzip' },
  });
  if (installed.status >= 300) throw new Error(`install: ${JSON.stringify(installed.body)}`);
  const { pack_id, version } = installed.body;
  const activated = await stack.call('PUT', `/v1/packs/${pack_id}/activation`, { token, body: { version } });
  if (activated.status >= 300) throw new Error(`activate: ${JSON.stringify(activated.body)}`);
  return installed.body;
}
