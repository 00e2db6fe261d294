import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/process.js';
import { Receiver } from '../../support/receiver.js';
import { startStack, type Stack } from '../../support/stack.js';
import { World } from './world.js';

/** Messages to endpoints of tenants, sent by two workers (SPEC V5, S4; CASES 23). */

let stack: Stack;
let superuser: pg.Client;
let world: World;
let receiver: Receiver;

beforeAll(async () => {
  stack = await startStack({ workers: 2, env: { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' } });
  superuser = new pg.Client({ connectionString: stack.database.superuser_url });
  await superuser.connect();
}, 120_000);
afterAll(async () => {
  await superuser.end();
  await stack.stop();
});
beforeEach(async () => {
  world = await World.make(stack);
  receiver = await Receiver.start();
});
afterEach(() => receiver.stop());

/** The clocks of a delivery, moved by the database's hand. */
const due = (id: string, attempts: number | null = null) =>
  superuser.query(
    `update webhook_deliveries set next_at = clock_timestamp(), lease_until = null, attempts = coalesce($2, attempts)
     where id = $1`,
    [id, attempts],
  );

it('tells of a request, the yes and the end of the run, signed, and nothing that they hold', async () => {
  const { secret, id } = await world.webhook(receiver.url('/all'));
  await world.webhook(receiver.url('/ends'), { events: ['run.finished'] });
  await world.webhook(receiver.url('/other'), { pack_ids: ['ledger'] });
  const canary = `canary-${randomUUID()}`;
  const asked = await world.exec('write', canary, { run_on_approve: true });
  await world.api('POST', `/v1/approvals/${String(asked.approval_id)}/approve`, {});
  await eventually('the end is told', () => Promise.resolve(receiver.of('/ends').length === 1));
  await eventually('all are told', () => Promise.resolve(receiver.of('/all').length === 4));
  const told = receiver.of('/all').map(({ message: { type, data } }) => `${type} ${String(data.state)}`);
  expect(told.sort()).toEqual([
    'approval.decided approved',
    'approval.decided consumed',
    'approval.requested pending',
    'run.finished succeeded',
  ]);
  const [end] = receiver.of('/ends');
  const { run_id } = end?.message.data ?? {};
  expect(end?.message).toMatchObject({
    type: 'run.finished',
    data: {
      run_id,
      state: 'succeeded',
      pack_id: 'trial',
      verb_key: 'write',
      project_id: null,
      requested_by: world.agent.id,
      acts_for: world.owner.id,
    },
  });
  const run = await world.api('GET', `/v1/runs/${String(run_id)}`);
  expect(JSON.stringify(run.body)).toContain(canary);
  for (const each of receiver.of('/all')) expect(Receiver.verifies(each, secret)).toBe(true);
  // Each endpoint has a secret of its own.
  expect(end && Receiver.verifies(end, secret)).toBe(false);
  expect(JSON.stringify(receiver.received)).not.toContain(canary);
  await eventually('all are delivered', async () => (await world.deliveries(id, '?state=delivered')).length === 4);
  const { rows } = await superuser.query<{ row: string }>(
    `select d::text as row from webhook_deliveries d union all select e::text from tenant_events e
     union all select w::text from webhooks w`,
  );
  const stored = JSON.stringify(rows);
  expect(stored).not.toContain(canary);
  expect(stored).not.toContain('canary of an answer');
  expect(stored).not.toContain(secret);
  expect(receiver.of('/other')).toEqual([]);
});

describe('what fails', () => {
  it('is sent again with the same id and body, later each time', async () => {
    const { id } = await world.webhook(receiver.url());
    receiver.answer = 503;
    const { id: delivery } = await world.test(id);
    const failed = await world.until(id, delivery, 'to be sent again', ({ last_status }) => last_status === 503);
    expect(failed).toMatchObject({ state: 'pending', attempts: 1, last_error: 'refused' });
    const wait_s = (Date.parse(String(failed.next_attempt_at)) - Date.parse(failed.created_at)) / 1000;
    expect(wait_s).toBeGreaterThanOrEqual(5);
    receiver.answer = 204;
    await due(delivery);
    const sent = await world.until(id, delivery, 'delivered', ({ state }) => state === 'delivered');
    expect(sent).toMatchObject({ attempts: 2, last_status: 204, last_error: null });
    const [first, second] = receiver.received;
    expect([second?.id, second?.body]).toEqual([first?.id, first?.body]);
    expect(first?.id).toBe(delivery);
  });

  it('is given up after the last attempt, listed, and sent again by hand', async () => {
    const { id } = await world.webhook(receiver.url());
    receiver.answer = 500;
    const { id: delivery } = await world.test(id);
    await world.until(id, delivery, 'to be sent again', ({ attempts }) => attempts === 1);
    const early = await world.api('POST', `/v1/webhooks/${id}/deliveries/${delivery}/redeliver`);
    expect(early.status).toBe(409);
    await due(delivery, 7);
    await world.until(id, delivery, 'dead', ({ state }) => state === 'dead');
    expect((await world.deliveries(id, '?state=dead')).map((each) => each.id)).toEqual([delivery]);
    receiver.answer = 200;
    const again = await world.api('POST', `/v1/webhooks/${id}/deliveries/${delivery}/redeliver`);
    expect(again).toMatchObject({ status: 200, body: { state: 'pending', attempts: 0 } });
    await world.until(id, delivery, 'delivered', ({ state }) => state === 'delivered');
    expect(new Set(receiver.received.map((each) => each.id))).toEqual(new Set([delivery]));
    expect(await world.acts()).toEqual(['webhook.redeliver', 'webhook.test', 'webhook.create']);
  });

  it('is not led elsewhere by a redirect, nor to an address that became private', async () => {
    const { id } = await world.webhook(receiver.url('/moved'));
    receiver.answer = (_, response) => response.writeHead(307, { location: receiver.url('/elsewhere') }).end();
    const { id: moved } = await world.test(id);
    await world.until(id, moved, 'refused', ({ last_error }) => last_error === 'redirect');
    await superuser.query(`update webhooks set url = 'https://10.0.0.1/' where id = $1`, [id]);
    const { id: private_one } = await world.test(id);
    await world.until(id, private_one, 'refused', ({ last_error }) => last_error === 'private_address');
    expect(receiver.received.map(({ path }) => path)).toEqual(['/moved']);
  });

  it('switches an endpoint off that says that it is gone', async () => {
    const { id } = await world.webhook(receiver.url());
    receiver.answer = 503;
    const { id: waiting } = await world.test(id);
    await world.until(id, waiting, 'to be sent again', ({ attempts }) => attempts === 1);
    receiver.answer = 410;
    const { id: last } = await world.test(id);
    await world.until(id, last, 'dead', ({ state }) => state === 'dead');
    expect(await world.get(id)).toMatchObject({ enabled: false, disabled_reason: 'gone' });
    expect(await world.deliveries(id)).toMatchObject([
      { state: 'dead', last_error: 'gone', last_status: 410 },
      { state: 'dead', last_error: 'disabled' },
    ]);
    expect(await world.acts()).toContain('webhook.auto_disable');
    await world.exec('read', 'x');
    expect((await world.api('POST', `/v1/webhooks/${id}/test`)).status).toBe(409);
    expect(await world.deliveries(id)).toHaveLength(2);
    receiver.answer = 204;
    const on = await world.api('PUT', `/v1/webhooks/${id}`, { enabled: true });
    expect(on.body).toMatchObject({ enabled: true, disabled_reason: null });
    const { id: next } = await world.test(id);
    await world.until(id, next, 'delivered', ({ state }) => state === 'delivered');
  });
});

it('holds up nobody else by an endpoint that does not answer, and asks it no more than four times at once', async () => {
  const { id } = await world.webhook(receiver.url('/slow'));
  const open: (() => void)[] = [];
  receiver.answer = ({ path }, response) => {
    if (path === '/slow') open.push(() => response.writeHead(204).end());
    else response.writeHead(204).end();
  };
  for (let count = 0; count < 8; count += 1) await world.test(id);
  await eventually('it is asked', () => Promise.resolve(open.length === 4));
  const other = await World.make(stack);
  for (const one of [world, other]) {
    const { id: quick } = await one.webhook(receiver.url('/quick'));
    const { id: delivery } = await one.test(quick);
    await one.until(quick, delivery, 'delivered', ({ state }) => state === 'delivered');
  }
  expect(open).toHaveLength(4);
  for (const answer of open.splice(0)) answer();
  await eventually('the others come', () => Promise.resolve(open.length === 4));
  for (const answer of open) answer();
  await eventually('all are delivered', async () => (await world.deliveries(id, '?state=delivered')).length === 8);
  expect(new Set(receiver.of('/slow').map((each) => each.id)).size).toBe(8);
});

it('signs with both secrets for a while after one was made anew', async () => {
  const { id, secret: before } = await world.webhook(receiver.url());
  const rotated = await world.api<{ secret: string; old_secret_until: string }>(
    'POST',
    `/v1/webhooks/${id}/rotate-secret`,
  );
  const { secret, old_secret_until } = rotated.body;
  expect(Date.parse(old_secret_until)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  const heard = async () => {
    const { id: delivery } = await world.test(id);
    await world.until(id, delivery, 'delivered', ({ state }) => state === 'delivered');
    const one = receiver.received.find((each) => each.id === delivery);
    return [secret, before].map((key) => one !== undefined && Receiver.verifies(one, key));
  };
  expect(await heard()).toEqual([true, true]);
  await superuser.query(`update webhooks set old_secret_until = clock_timestamp() where id = $1`, [id]);
  expect(await heard()).toEqual([true, false]);
});

it('is sent by another worker where one died with it', async () => {
  const { id } = await world.webhook(receiver.url());
  receiver.answer = () => undefined;
  const { id: delivery } = await world.test(id);
  await eventually('it is on its way', () => Promise.resolve(receiver.received.length === 1));
  for (const worker of stack.workers.splice(0)) {
    worker.kill('SIGKILL');
    await worker.exited;
  }
  receiver.answer = 204;
  await stack.startWorker();
  expect((await world.deliveries(id))[0]).toMatchObject({ state: 'pending', attempts: 1 });
  await due(delivery);
  const sent = await world.until(id, delivery, 'delivered', ({ state }) => state === 'delivered');
  expect(sent.attempts).toBe(2);
  expect(receiver.received.map((each) => each.id)).toEqual([delivery, delivery]);
});
