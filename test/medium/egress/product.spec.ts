import type { AuditEvent, Run } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packArchive } from '../../support/packs.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';
import { type Listening, serve } from './servers.js';

/** Uses the proxy for localhost as well, which it otherwise would not. */
const BIN = `#!/bin/sh
NO_PROXY= no_proxy= exec curl -sS -f -m 10 "http://$1/"
`;

let api: Listening;
let other: Listening;
let stack: Stack;
let owner: Person;

beforeAll(async () => {
  api = await serve((_request, response) => response.end('{"hello":true}'));
  other = await serve();
  stack = await startStack({ worker_env: { HCP_EGRESS_ALLOW_PRIVATE: `localhost:${api.port}` } });
  ({ owner } = await tenantWithOwner(stack));
  const get = (port: number) => ({ description: 'Gets.', cli: ['web', `localhost:${port}`] });
  await install(
    stack,
    owner.token,
    await packArchive({
      pack_id: 'web',
      bin: BIN,
      wrap: { network: [`localhost:${api.port}`, `localhost:${other.port}`] },
      commands: {
        get: get(api.port),
        private: get(other.port),
        undeclared: { description: 'Gets.', cli: ['web', 'evil.example.com'] },
      },
    }),
  );
}, 120_000);
afterAll(async () => {
  await stack.stop();
  await Promise.all([api.close(), other.close()]);
});

const exec = async (verb_key: string): Promise<ResultEnvelope> =>
  (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body: { pack_id: 'web', verb_key } }))
    .body;

it('a pack reaches the hosts that it declares, the private ones only where the operator allows them', async () => {
  expect(await exec('get')).toMatchObject({ ok: true, result: { hello: true } });
  for (const verb_key of ['private', 'undeclared']) {
    const refused = await exec(verb_key);
    expect(refused).toMatchObject({ ok: false, code: 'exit_nonzero' });
    expect(refused.hint).toContain('hosts that its pack declares');
  }
  expect(api.seen).toEqual(['GET /']);
  expect(other.connections()).toBe(0);
});

it('a run tells which hosts it reached and which it was refused; the log only what the pack calls them', async () => {
  const of = async (verb_key: string) => {
    const { run_id } = await exec(verb_key);
    const path = `/v1/runs/${String(run_id)}`;
    const { body } = await stack.call<Run>('GET', path, { token: owner.token });
    const log = await stack.call<{ items: AuditEvent[] }>('GET', '/v1/audit?limit=10', { token: owner.token });
    const event = log.body.items.find((each) => each.run_id === run_id && each.action === 'exec.completion');
    return { egress: body.egress, details: event?.details };
  };
  const reached = await of('get');
  expect(reached.egress).toMatchObject({
    contacted: [{ host: 'localhost', port: api.port, connections: 1 }],
    refused: [],
    more: false,
  });
  expect(reached.details).toEqual({ hosts: [`localhost:${api.port}`], hosts_refused: 0 });
  const refused = await of('undeclared');
  expect(refused.egress).toMatchObject({
    contacted: [],
    refused: [{ host: 'evil.example.com', port: 80, code: 'not_declared', count: 1 }],
  });
  expect(refused.details).toEqual({ hosts: [], hosts_refused: 1 });
});

it('a pack that declares an address is not installed', async () => {
  const file = await packArchive({
    pack_id: 'addressed',
    bin: BIN,
    wrap: { network: ['127.0.0.1'] },
    commands: { get: { description: 'Gets.', cli: ['addressed', 'x'] } },
  });
  await expect(install(stack, owner.token, file)).rejects.toThrow();
});
