import type { ResultEnvelope } from '@hcp/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packArchive } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import { operatorOf, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** SPEC T5, P7: what the operators stop is stopped for everybody. Nothing works on the queue at first. */
let stack: Stack;
let operator: Person;
beforeAll(async () => {
  stack = await startStack({ workers: 0 });
  operator = await operatorOf(stack);
}, 120_000);
afterAll(() => stack.stop());

const exec = async (token: string) =>
  (
    await stack.call<ResultEnvelope>('POST', '/v1/exec', {
      token,
      body: { pack_id: 'sleeper', verb_key: 'look', args: {}, wait_ms: 0 },
    })
  ).body;

it('the kill switch of the platform stops its pack in every tenant: calls, queued runs and running ones', async () => {
  const { owner } = await tenantWithOwner(stack);
  const { token } = owner;
  const raw = new Uint8Array(
    await packArchive({
      pack_id: 'sleeper',
      bin: '#!/bin/sh\nexec sleep 300\n',
      commands: { look: { description: 'Waits.', cli: ['sleeper', 'look'] } },
    }),
  );
  const headers = { 'content-type': 'application/gzip' };
  expect((await stack.call('POST', '/v1/packs', { token: operator.token, raw, headers })).status).toBe(201);
  expect((await stack.call('PUT', '/v1/packs/sleeper/activation', { token, body: {} })).status).toBe(200);
  const start = async () => String((await exec(token)).run_id);
  const is = (run_id: string, word: string) =>
    eventually(`the run is ${word}`, async () => {
      const { body } = await stack.call('GET', `/v1/runs/${run_id}`, { token });
      return body.status === word ? body : null;
    });
  const by = (act: string, who: Person) => stack.call('POST', `/v1/packs/sleeper/${act}`, { token: who.token });
  const queued = await start();
  await by('stop', operator);
  await stack.startWorker();
  expect(await is(queued, 'failed')).toMatchObject({ code: 'pack_not_activated', attempts: 0 });
  await by('resume', operator);
  const running = await start();
  await is(running, 'running');
  expect(await by('stop', operator)).toMatchObject({ status: 200, body: { stopped: true } });
  await is(running, 'cancelled');
  expect(await exec(token)).toMatchObject({ ok: false, code: 'pack_not_activated' });
  // Nobody in the tenant lifts it, and nobody learns which operator it was.
  expect((await by('resume', owner)).body).toMatchObject({ stopped: true, stopped_by: null });
  expect(await exec(token)).toMatchObject({ ok: false, code: 'pack_not_activated' });
  expect(await by('resume', operator)).toMatchObject({ status: 200, body: { stopped: false } });
  const again = await exec(token);
  expect(again).toMatchObject({ code: 'still_running' });
  await stack.call('POST', `/v1/runs/${String(again.run_id)}/cancel`, { token });
});
