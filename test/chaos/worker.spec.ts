import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openQueue } from '@hcp/queue';
import { after, Effects } from '../support/effects.js';
import { onEveryQueue } from '../support/queues.js';
import { startStack, type Stack } from '../support/stack.js';

onEveryQueue((kind) => {
  let stack: Stack;
  let effects: Effects;

  beforeAll(async () => {
    const worker_env = { HCP_LEASE_MS: '2000', HCP_REAP_MS: '300' };
    stack = await startStack({ queue: kind, apis: 2, workers: 0, worker_env });
    effects = await Effects.make(stack);
  }, 120_000);

  afterAll(() => stack.stop());

  const exec: Effects['exec'] = (...call) => effects.exec(...call);
  const run: Effects['run'] = (id) => effects.run(id);
  const status: Effects['status'] = (...wanted) => effects.status(...wanted);
  const lines: Effects['lines'] = (name) => effects.lines(name);
  const effectOf: Effects['started'] = (id) => effects.started(id);

  describe('a worker that dies', () => {
    it('in a write: the run ends unknown and is never run again', async () => {
      const name = randomUUID();
      const worker = await stack.startWorker();
      const { run_id } = await exec('write', { name, ms: 60_000 }, 0);
      await effectOf(run_id);
      worker.kill('SIGKILL');
      const other = await stack.startWorker();
      expect(await status(run_id, 'unknown')).toMatchObject({ ok: false, code: 'outcome_unknown', attempts: 1 });
      expect(await lines(name)).toBe(1);
      await other.stop();
    });

    it('in a read that may be repeated: it is run once more', async () => {
      const name = randomUUID();
      const worker = await stack.startWorker();
      const { run_id } = await exec('read', { name, ms: 4000 }, 0);
      await effectOf(run_id);
      worker.kill('SIGKILL');
      const other = await stack.startWorker();
      expect(await status(run_id, 'succeeded')).toMatchObject({ ok: true, attempts: 2, result: { done: true } });
      expect(await lines(name)).toBe(2);
      await other.stop();
    });

    it('in a read that says it is not idempotent: unknown', async () => {
      const name = randomUUID();
      const worker = await stack.startWorker();
      const { run_id } = await exec('once', { name, ms: 60_000 }, 0);
      await effectOf(run_id);
      worker.kill('SIGKILL');
      const other = await stack.startWorker();
      await status(run_id, 'unknown');
      expect(await lines(name)).toBe(1);
      await other.stop();
    });
  });

  describe('a worker that is paused beyond its lease', () => {
    it('finds its run given up, and there is one effect', async () => {
      const name = randomUUID();
      const worker = await stack.startWorker();
      const { run_id } = await exec('write', { name, ms: 60_000 }, 0);
      await effectOf(run_id);
      worker.kill('SIGSTOP');
      const other = await stack.startWorker();
      await status(run_id, 'unknown');
      worker.kill('SIGCONT');
      await after(3000);
      expect(await run(run_id)).toMatchObject({ status: 'unknown', attempts: 1 });
      expect(await lines(name)).toBe(1);
      await worker.stop();
      await other.stop();
    });
  });

  describe('a job that is delivered again', () => {
    it('runs once, however often and to however many workers', async () => {
      const name = randomUUID();
      const queue = openQueue(stack.backend);
      const { run_id } = await exec('write', { name, ms: 300 }, 0);
      const job = { tenant_id: effects.tenant_id, run_id: String(run_id) };
      for (let time = 1; time <= 20; time += 1) await queue.enqueue(job, { attempt: time, delay_ms: time });
      const workers = [await stack.startWorker(), await stack.startWorker()];
      await status(run_id, 'succeeded');
      for (let time = 1; time <= 5; time += 1) await queue.enqueue(job, { attempt: time, delay_ms: time });
      await after(1000);
      expect(await lines(name)).toBe(1);
      expect(await run(run_id)).toMatchObject({ status: 'succeeded', attempts: 1 });
      await queue.close();
      for (const worker of workers) await worker.stop();
    });
  });

  describe('a run that waits', () => {
    it('never starts once it was cancelled, from another replica', async () => {
      const name = randomUUID();
      const { run_id } = await exec('write', { name, ms: 1 }, 0);
      const answer = await fetch(`${stack.urls[1] ?? ''}/v1/runs/${String(run_id)}/cancel`, {
        method: 'POST',
        headers: { authorization: `Bearer ${effects.owner.token}` },
      });
      expect(await answer.json()).toMatchObject({ status: 'cancelled', code: 'cancelled', attempts: 0 });
      const worker = await stack.startWorker();
      expect(await lines(name)).toBe(0);
      expect(await run(run_id)).toMatchObject({ status: 'cancelled' });
      await worker.stop();
    });

    it('is refused at its start when the right to it was taken away meanwhile', async () => {
      const name = randomUUID();
      const { run_id } = await exec('write', { name, ms: 1 }, 0);
      await stack.call('DELETE', '/v1/packs/effects/activation', { token: effects.owner.token });
      const worker = await stack.startWorker();
      expect(await status(run_id, 'failed')).toMatchObject({
        code: 'pack_not_activated',
        error: 'pack effects not activated',
      });
      await stack.call('PUT', '/v1/packs/effects/activation', { token: effects.owner.token, body: {} });
      expect(await lines(name)).toBe(0);
      await worker.stop();
    });

    it('is finished by a worker that is told to stop', async () => {
      const name = randomUUID();
      const worker = await stack.startWorker();
      const { run_id } = await exec('write', { name, ms: 2000 }, 0);
      await effectOf(run_id);
      await worker.stop();
      expect(await run(run_id)).toMatchObject({ status: 'succeeded', ok: true });
    });
  });

  /** Behind the application's back. */
  async function asSuperuser(statement: string): Promise<void> {
    const client = new Client({ connectionString: stack.database.superuser_url });
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  describe('the audit log', () => {
    it('that cannot be written refuses commands, and nothing runs', async () => {
      const name = randomUUID();
      const worker = await stack.startWorker();
      await asSuperuser('revoke insert on audit_events from hcp_app');
      expect(await exec('write', { name, ms: 1 })).toMatchObject({
        ok: false,
        code: 'audit_unavailable',
        run_id: null,
      });
      await asSuperuser('grant insert on audit_events to hcp_app');
      expect(await lines(name)).toBe(0);
      await worker.stop();
    });
  });

  describe('a database that is lost while a call waits', () => {
    it('answers the id of the run, which goes on and ends once it is back', async () => {
      const name = randomUUID();
      const worker = await stack.startWorker();
      const answer = exec('write', { name, ms: 1500 });
      await after(900);
      await asSuperuser('revoke select on runs from hcp_app');
      const { run_id, code } = await answer;
      expect(code).toBe('still_running');
      await asSuperuser('grant select on runs to hcp_app');
      await status(run_id, 'succeeded');
      expect(await lines(name)).toBe(1);
      await worker.stop();
    });
  });
});
