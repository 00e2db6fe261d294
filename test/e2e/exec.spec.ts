import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant, makeService, assignRole } from '@hcp/testing';
import { packArchive } from '../support/packs.js';
import { eventually } from '../support/process.js';
import { onEveryQueue } from '../support/queues.js';
import { install, keyFor, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

const BIN = `#!/usr/bin/env node
const [verb, ...args] = process.argv.slice(2);
if (verb === 'echo') console.log(JSON.stringify({ args }));
if (verb === 'text') process.stdout.write('plain text');
if (verb === 'fail') { console.error('no such thing'); process.exit(3); }
if (verb === 'quiet') process.exit(4);
if (verb === 'sleep') setTimeout(() => console.log('{}'), Number(args[0]));
if (verb === 'write') console.log('{"written":true}');
`;

const text = { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] } as const;

onEveryQueue((kind) => {
  let stack: Stack;
  let tenant_id: string;
  let owner: Person;

  beforeAll(async () => {
    stack = await startStack({ queue: kind, apis: 2 });
    ({ tenant_id, owner } = await tenantWithOwner(stack));
    await install(
      stack,
      owner.token,
      await packArchive({
        pack_id: 'demo',
        bin: BIN,
        commands: {
          echo: { description: 'Echoes.', cli: ['demo', 'echo', '{{value}}'], args: text },
          text: { description: 'Text.', cli: ['demo', 'text'] },
          fail: { description: 'Fails.', cli: ['demo', 'fail'] },
          quiet: { description: 'Fails quietly.', cli: ['demo', 'quiet'] },
          sleep: { description: 'Sleeps.', cli: ['demo', 'sleep', '{{value}}'], args: text },
          write: {
            description: 'Writes.',
            cli: ['demo', 'write', '{{value}}'],
            args: text,
            preview: { kind: 'change', title: 'Write {{value}}', fields: { value: '{{value}}' } },
            policy: { operation: 'write', confirm: true },
          },
          shared: { description: 'Shared.', cli: ['demo', 'text'], policy: { privacy: { land: 'brain' } } },
          secret: { description: 'Needs a credential.', cli: ['demo', 'text'], policy: { binding: 'user' } },
        },
      }),
    );
  }, 120_000);

  afterAll(() => stack.stop());

  function exec(verb_key: string, args: object = {}, more: object = {}, token = owner.token): Promise<ResultEnvelope> {
    return stack
      .call<ResultEnvelope>('POST', '/v1/exec', { token, body: { pack_id: 'demo', verb_key, args, ...more } })
      .then(({ status, body }) => {
        expect(status).toBe(200);
        return body;
      });
  }

  describe('POST /v1/exec', () => {
    it('runs a command in the sandbox and answers its JSON', async () => {
      const answer = await exec('echo', { value: 'hello' });
      expect(answer).toMatchObject({
        ok: true,
        pack_id: 'demo',
        verb_key: 'echo',
        result: { args: ['hello'] },
        stdout: '{"args":["hello"]}\n',
        stderr: '',
        exit_code: 0,
      });
      expect(answer.run_id).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('answers text as it is, and a failure with its standard error or its exit code', async () => {
      expect(await exec('text')).toMatchObject({ ok: true, result: 'plain text' });
      expect(await exec('fail')).toMatchObject({
        ok: false,
        code: 'exit_nonzero',
        error: 'no such thing',
        exit_code: 3,
      });
      expect(await exec('quiet')).toMatchObject({ ok: false, code: 'exit_nonzero', error: 'exit 4', exit_code: 4 });
    });

    it('asks before a write, and runs it on the word of a person who is there', async () => {
      const asked = await exec('write', { value: 'x' });
      expect(asked).toMatchObject({
        ok: false,
        code: 'confirm_required',
        error: 'confirm required',
        run_id: null,
        preview: { command: 'write', args: { value: 'x' }, cli: 'demo write x' },
        access: { mode: 'auto', reason_code: 'confirm', approvals: 'human' },
      });
      expect(asked.hint).toBeTruthy();
      expect(await exec('write', { value: 'x', confirm: true })).toMatchObject({ ok: true, result: { written: true } });
      expect(await exec('write', { value: 'x', apply: true })).toMatchObject({ ok: true });
    });

    it('does not take the word of agents, services, keys, or calls marked as an agent’s', async () => {
      const { db } = stack.database;
      const agent = await makeAgent(db, tenant_id, { acts_for: owner.id });
      const service = await makeService(db, tenant_id);
      for (const { id } of [agent, service]) await makeGrant(db, tenant_id, id, 'verb.exec.write');
      const args = { value: 'x', confirm: true, apply: true };
      for (const id of [agent.id, service.id, owner.id]) {
        const { key } = await keyFor(stack, tenant_id, id);
        expect(await exec('write', args, {}, key)).toMatchObject({ ok: false, code: 'confirm_required', run_id: null });
      }
      const marked = await stack.call<ResultEnvelope>('POST', '/v1/exec', {
        token: owner.token,
        headers: { 'hcp-agent': '1' },
        body: { pack_id: 'demo', verb_key: 'write', args },
      });
      expect(marked.body).toMatchObject({ ok: false, code: 'confirm_required' });
    });

    it('refuses with exactly the protocol’s texts', async () => {
      const { db } = stack.database;
      const reader = await makeService(db, tenant_id);
      await makeGrant(db, tenant_id, reader.id, 'verb.exec.read');
      const { key } = await keyFor(stack, tenant_id, reader.id);
      const refusals: [Promise<ResultEnvelope>, string, string][] = [
        [exec('x', {}, { pack_id: 'nope' }), 'unknown_pack', 'unknown pack nope'],
        [exec('nope'), 'no_policy', 'no policy for nope'],
        [exec('shared'), 'land_requires_project', 'privacy.land brain requires project_id'],
        [
          exec('write', { value: 'x' }, {}, key),
          'missing_capability',
          'denied: missing verb.exec.write for demo.write',
        ],
        [exec('echo'), 'invalid_args', 'invalid args: value is required'],
        [exec('write', { value: 'x' }), 'confirm_required', 'confirm required'],
      ];
      for (const [answer, code, error] of refusals) {
        expect(await answer).toMatchObject({ ok: false, code, error, run_id: null, result: null });
      }
      const failed = await exec('secret');
      expect(failed).toMatchObject({ ok: false, code: 'mint_failed', error: 'no user binding for demo' });
      expect(failed.run_id).not.toBeNull();
    });

    it('refuses a pack that is not activated, at once after its deactivation', async () => {
      await install(
        stack,
        owner.token,
        await packArchive({
          pack_id: 'gone',
          bin: BIN,
          commands: { text: { description: 'Text.', cli: ['gone', 'text'] } },
        }),
      );
      expect(await exec('text', {}, { pack_id: 'gone' })).toMatchObject({ ok: true });
      await stack.call('DELETE', '/v1/packs/gone/activation', { token: owner.token });
      expect(await exec('text', {}, { pack_id: 'gone' })).toMatchObject({
        code: 'pack_not_activated',
        error: 'pack gone not activated',
      });
    });

    it('answers still_running in time, and the run goes on', async () => {
      const answer = await exec('sleep', { value: '1500' }, { wait_ms: 100 });
      expect(answer).toMatchObject({ ok: false, code: 'still_running' });
      const run = await eventually('the run ends', async () => {
        const { body } = await stack.call('GET', `/v1/runs/${String(answer.run_id)}`, { token: owner.token });
        return body.status === 'succeeded' ? body : null;
      });
      expect(run).toMatchObject({ ok: true, exit_code: 0, result: {} });
    });

    it('queues with wait_ms 0', async () => {
      expect(await exec('echo', { value: 'x' }, { wait_ms: 0 })).toMatchObject({
        status: 'queued',
        code: 'still_running',
      });
    });

    it('takes the key from the header too, and refuses two that differ', async () => {
      const body = { pack_id: 'demo', verb_key: 'echo', args: { value: 'header' } };
      const headers = { 'idempotency-key': 'in-header' };
      const send = (more: object = {}) =>
        stack.call('POST', '/v1/exec', { token: owner.token, body: { ...body, ...more }, headers });
      const [first, again] = [await send(), await send({ idempotency_key: 'in-header' })];
      expect(first.body).toMatchObject({ ok: true });
      expect(again.body.run_id).toBe(first.body.run_id);
      expect(await send({ idempotency_key: 'another' })).toMatchObject({
        status: 400,
        body: { code: 'invalid_envelope' },
      });
    });

    it('answers the first run again for the same idempotency_key, across replicas and at once', async () => {
      const body = { pack_id: 'demo', verb_key: 'echo', args: { value: 'once' }, idempotency_key: 'k1' };
      const answers = await Promise.all(
        [...stack.urls, ...stack.urls, ...stack.urls].map(async (url) => {
          const response = await fetch(`${url}/v1/exec`, {
            method: 'POST',
            headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
          return (await response.json()) as ResultEnvelope;
        }),
      );
      expect(new Set(answers.map(({ run_id }) => run_id)).size).toBe(1);
      expect(answers.every(({ ok }) => ok)).toBe(true);
      const audit = await stack.call<{ items: { action: string; reason: string | null }[] }>(
        'GET',
        `/v1/audit?run_id=${String(answers[0]?.run_id)}`,
        { token: owner.token },
      );
      const decisions = audit.body.items.filter(({ action }) => action === 'exec.decision');
      expect(decisions.filter(({ reason }) => reason === 'replay')).toHaveLength(answers.length - 1);
      expect(decisions).toHaveLength(answers.length);
      const other = await exec('echo', { value: 'twice' }, { idempotency_key: 'k1' });
      expect(other).toMatchObject({ ok: false, code: 'idempotency_conflict', run_id: null });
    });

    it('cancels a running command and one that waits, from the other replica', async () => {
      const started = await exec('sleep', { value: '60000' }, { wait_ms: 0 });
      const headers = { authorization: `Bearer ${owner.token}` };
      await eventually('it runs', async () => {
        const { body } = await stack.call('GET', `/v1/runs/${String(started.run_id)}`, { token: owner.token });
        return body.status === 'running';
      });
      await fetch(`${stack.urls[1] ?? ''}/v1/runs/${String(started.run_id)}/cancel`, { method: 'POST', headers });
      const run = await eventually('it is cancelled', async () => {
        const { body } = await stack.call('GET', `/v1/runs/${String(started.run_id)}`, { token: owner.token });
        return body.status === 'cancelled' ? body : null;
      });
      expect(run).toMatchObject({ ok: false, code: 'cancelled' });
    });

    it('records every outcome, reads too, with names and never with values', async () => {
      await exec('echo', { value: 'canary-7f3a' });
      await exec('nope', { value: 'canary-7f3a' });
      const { body } = await stack.call<{ items: Record<string, unknown>[] }>('GET', '/v1/audit?limit=20', {
        token: owner.token,
      });
      expect(body.items).toContainEqual(
        expect.objectContaining({ action: 'exec.decision', verb_key: 'nope', code: 'no_policy' }),
      );
      expect(body.items).toContainEqual(
        expect.objectContaining({
          action: 'exec.completion',
          verb_key: 'echo',
          ran: true,
          arg_names: ['value'],
          exit_code: 0,
        }),
      );
      expect(JSON.stringify(body)).not.toContain('canary-7f3a');
    });

    it('answers the built-in pack’s commands without a sandbox', async () => {
      const answer = await exec('hcp.list', {}, { pack_id: 'hcp-cli' });
      expect(answer.ok).toBe(true);
      expect(JSON.stringify(answer.result)).toContain('demo');
      const doctor = await exec('hcp.doctor', {}, { pack_id: 'hcp-cli' });
      expect(doctor).toMatchObject({ ok: true, result: { sandbox: { driver: 'bubblewrap' } } });
    });

    it('shows a run to its principal and not to another member without run.read', async () => {
      const { db } = stack.database;
      const service = await makeService(db, tenant_id);
      await assignRole(db, tenant_id, service.id, 'member');
      const { key } = await keyFor(stack, tenant_id, service.id);
      const { run_id } = await exec('text');
      expect((await stack.call('GET', `/v1/runs/${String(run_id)}`, { token: key })).status).toBe(404);
      expect((await stack.call('GET', `/v1/runs/${String(run_id)}`, { token: owner.token })).status).toBe(200);
    });
  });
});
