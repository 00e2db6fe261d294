import type { ResultEnvelope } from '@hcp/core';
import { makeGrant, makeTenant } from '@hcp/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packArchive } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import { install, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** SPEC P7 over REST and in the sandbox, on workers that run no pack which a tenant uploaded (SPEC S1). */
let stack: Stack;
let operator: Person;

beforeAll(async () => {
  stack = await startStack({ workers: 0, worker_env: { HCP_ALLOW_UPLOADED_PACKS: 'none' } });
  const { db } = stack.database;
  const { id } = await makeTenant(db, { platform: true });
  operator = await signedIn(stack, id, 'owner');
  await makeGrant(db, id, operator.id, 'platform.manage');
}, 120_000);
afterAll(() => stack.stop());

const archive = (pack_id: string, version: string) =>
  packArchive({
    pack_id,
    version,
    bin: `#!/usr/bin/env node\nconsole.log(JSON.stringify({ version: '${version}' }))\n`,
    commands: { look: { description: 'Look.', cli: [pack_id, 'look'] } },
  });
const publish = async (version: string) => {
  const raw = new Uint8Array(await archive('common', version));
  const headers = { 'content-type': 'application/gzip' };
  const answer = await stack.call('POST', '/v1/packs', { token: operator.token, raw, headers });
  expect(answer.status).toBe(201);
};
const exec = async (token: string, pack_id: string, wait_ms = 60_000) =>
  (
    await stack.call<ResultEnvelope & { status?: string }>('POST', '/v1/exec', {
      token,
      body: { pack_id, verb_key: 'look', args: {}, wait_ms },
    })
  ).body;

it('a pack of the platform runs where a tenant’s own does not, each run as the version that it was accepted with', async () => {
  const { owner } = await tenantWithOwner(stack);
  const { token } = owner;
  const at = (version: string) =>
    stack.call('PUT', '/v1/packs/common/activation', { token, body: { version } }).then(({ status }) => status);
  await publish('1.0.0');
  expect(await at('1.0.0')).toBe(200);
  // No worker yet: it waits, while a newer version is published and activated.
  const early = await exec(token, 'common', 0);
  await publish('2.0.0');
  expect(await at('2.0.0')).toBe(200);
  await install(stack, token, await archive('own', '1.0.0'));
  await stack.startWorker();
  expect((await exec(token, 'common')).result).toEqual({ version: '2.0.0' });
  const own = await exec(token, 'own');
  expect(own).toMatchObject({ ok: false, code: 'sandbox_unavailable' });
  const { body } = await eventually('the early run ends', async () => {
    const answer = await stack.call('GET', `/v1/runs/${String(early.run_id)}`, { token });
    return answer.body.status === 'succeeded' ? answer : null;
  });
  expect(body).toMatchObject({ pack_version: '1.0.0' });
  expect(JSON.stringify(body)).toContain('{"version":"1.0.0"}');

  const back = await stack.call('POST', '/v1/packs/common/activation/rollback', {
    token,
    body: { from_version: '2.0.0' },
  });
  expect(back).toMatchObject({ status: 200, body: { version: '1.0.0', project_id: null } });
  expect((await exec(token, 'common')).result).toEqual({ version: '1.0.0' });
  const stale = { token, body: { from_version: '2.0.0' } };
  expect((await stack.call('POST', '/v1/packs/common/activation/rollback', stale)).status).toBe(409);

  const gone = await stack.call('DELETE', '/v1/packs/common/versions/1.0.0', { token: operator.token });
  expect(gone.status).toBe(409);
  const shown = await stack.call('GET', '/v1/packs/common', { token });
  expect(shown.body).toMatchObject({ platform: true, activations: [{ project_id: null, version: '1.0.0' }] });
  const raw = new Uint8Array(await archive('common', '9.0.0'));
  const taken = await stack.call('POST', '/v1/packs', { token, raw, headers: { 'content-type': 'application/gzip' } });
  expect(taken).toMatchObject({ status: 409, body: { code: 'conflict' } });
});
