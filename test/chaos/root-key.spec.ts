import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { ResultEnvelope } from '@hcp/core';
import { freePort, makeTenant } from '@hcp/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../support/http.js';
import { packArchive } from '../support/packs.js';
import { eventually, startNode, type Started } from '../support/process.js';
import {
  install,
  operatorOf,
  signedIn,
  startStack,
  tenantWithOwner,
  type Person,
  type Stack,
} from '../support/stack.js';

/** SPEC B3: the root key changes, step by step, while calls go on at two replicas and a worker, and none fails. */

const API = fileURLToPath(new URL('../../apps/api/dist/main.js', import.meta.url));
const [OLD, NEW] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
const SECRET = `the-secret-${randomUUID()}`;
const BIN = `#!/usr/bin/env node
console.log(JSON.stringify({ length: (process.env.VAN_TOKEN ?? '').length }));
`;

interface Replica {
  readonly url: string;
  readonly process: Started;
  inHand: number;
}

let stack: Stack;
let operator: Person;
let owner: Person;
const replicas: Replica[] = [];
const all: Started[] = [];

/** Nothing is kept in memory, so that each call needs its root key. */
const withKeys = (root: string, also = ''): Record<string, string> => ({
  HCP_ROOT_KEY: root,
  HCP_ROOT_KEYS_ALSO: also,
  HCP_KEY_CACHE_MS: '0',
});

beforeAll(async () => {
  stack = await startStack({ env: withKeys(OLD), workers: 1 });
  operator = await operatorOf(stack);
  ({ owner } = await tenantWithOwner(stack));
  const archive = await packArchive({
    pack_id: 'van',
    bin: BIN,
    binding: { family: 'user', provider: 'van.example', env: { VAN_TOKEN: '{{token}}' } },
    commands: { load: { description: 'Needs its secret.', cli: ['van', 'load'] } },
  });
  await install(stack, owner.token, archive);
  const body = { pack_id: 'van', family: 'user', kind: 'secret', fields: { token: SECRET } };
  expect((await stack.call('POST', '/v1/bindings', { token: owner.token, body })).status).toBe(201);
}, 120_000);
afterAll(async () => {
  await Promise.all(all.map((one) => one.stop()));
  await stack.stop();
});

function spawnApi(keys: Record<string, string>, port: number): Started {
  const api = startNode(API, {
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    DATABASE_URL: stack.database.app_url,
    QUEUE_DATABASE_URL: stack.database.queue_url,
    PORT: String(port),
    PUBLIC_URL: stack.urls[0],
    ...keys,
  });
  all.push(api);
  return api;
}

async function startApi(keys: Record<string, string>): Promise<Replica> {
  const port = await freePort();
  const api = spawnApi(keys, port);
  const url = `http://127.0.0.1:${String(port)}`;
  await eventually('api is up', async () => (await fetch(`${url}/healthz`).catch(() => null))?.ok ?? false, 60_000);
  return { url, process: api, inHand: 0 };
}

/** As an orchestrator does it: the new one takes calls before the old one has to go. */
async function replace(index: number, keys: Record<string, string>): Promise<void> {
  const before = replicas[index];
  replicas[index] = await startApi(keys);
  if (!before) return;
  await eventually('its calls are answered', async () => Promise.resolve(before.inHand === 0));
  await before.process.stop();
}

async function replaceWorker(keys: Record<string, string>): Promise<void> {
  const before = stack.workers.at(-1);
  await stack.startWorker(keys);
  await before?.stop();
}

/** The stack, with another replica to call. */
const at = (url: string): Stack => ({ ...stack, call: (method, path, options) => call(url, method, path, options) });

const rootKeys = async () => {
  const answer = await call<{ items: { root_key_id: string; primary: boolean; opens: boolean; data_keys: number }[] }>(
    replicas[0]?.url ?? '',
    'GET',
    '/v1/root-keys',
    { token: operator.token },
  );
  return answer.body.items;
};
const rewrap = async (): Promise<{ done: number; left: number }> =>
  (
    await call<{ done: number; left: number }>(replicas[0]?.url ?? '', 'POST', '/v1/root-keys/rewrap', {
      token: operator.token,
    })
  ).body;

it('changes under load, and no call fails', async () => {
  await replace(0, withKeys(OLD));
  await replace(1, withKeys(OLD));
  await stack.apis[0]?.stop();
  const failures: unknown[] = [];
  let calls = 0;
  let going = true;
  const load = async (turn: number): Promise<void> => {
    for (let count = turn; going; count += 1) {
      const replica = replicas[count % 2];
      if (!replica) continue;
      replica.inHand += 1;
      try {
        const body = { pack_id: 'van', verb_key: 'load', args: {}, wait_ms: 60_000 };
        const { body: answer } = await call<ResultEnvelope>(replica.url, 'POST', '/v1/exec', {
          token: owner.token,
          body,
        });
        if ((answer.result as { length?: number } | null)?.length !== SECRET.length) failures.push(answer);
        // A new tenant: its data key is made by whatever wraps at this moment, and a sign-in needs the signing key.
        const { id } = await makeTenant(stack.database.db);
        const { token } = await signedIn(at(replica.url), id, 'owner');
        const list = { pack_id: 'hcp-cli', verb_key: 'hcp.list', args: {}, wait_ms: 60_000 };
        const first = await call<ResultEnvelope>(replica.url, 'POST', '/v1/exec', { token, body: list });
        if (!first.body.ok) failures.push(first.body);
        calls += 1;
      } catch (error) {
        failures.push(error);
      } finally {
        replica.inHand -= 1;
      }
    }
  };
  const loads = [load(0), load(1)];
  try {
    // 1. Every process knows the next key; the old one still wraps.
    await replace(0, withKeys(OLD, NEW));
    await replace(1, withKeys(OLD, NEW));
    await replaceWorker(withKeys(OLD, NEW));
    // Whoever has no key but the next cannot open what is there, and does not start.
    const early = spawnApi(withKeys(NEW), await freePort());
    expect(await early.exited).toBe(1);
    const [{ root_key_id: old_id } = { root_key_id: 'none' }] = await rootKeys();
    expect(early.output()).toContain(old_id);
    for (const key of [OLD, NEW]) expect(early.output()).not.toContain(key);
    // 2. The next key wraps, one replica after the other; keys move while they do not agree which one wraps.
    await replace(0, withKeys(NEW, OLD));
    expect((await rewrap()).done).toBeGreaterThan(0);
    await replace(1, withKeys(NEW, OLD));
    await replaceWorker(withKeys(NEW, OLD));
    // 3. All keys are wrapped anew.
    await eventually('nothing is left', async () => (await rewrap()).left === 0);
    // 4. The old one goes.
    await replace(0, withKeys(NEW));
    await replace(1, withKeys(NEW));
    await replaceWorker(withKeys(NEW));
    expect(await rootKeys()).toMatchObject([{ primary: true, opens: true }]);
  } finally {
    going = false;
    await Promise.all(loads);
  }
  expect(failures).toEqual([]);
  expect(calls).toBeGreaterThan(3);
  for (const one of [...all, ...stack.workers]) {
    for (const key of [OLD, NEW, SECRET]) expect(one.output()).not.toContain(key);
  }
}, 600_000);
