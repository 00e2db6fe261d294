import type { ResultEnvelope } from '@hcp/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeGrant, makeService } from '@hcp/testing';
import { packArchive } from '../../support/packs.js';
import { install, keyFor, startStack, tenantWithOwner, type Stack } from '../../support/stack.js';

/** SPEC R5, T5: a stream is read by the rights of each moment. Nothing works on the queue here. */
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ workers: 0 });
}, 120_000);
afterAll(() => stack.stop());

it('a stream of events ends once its key is revoked, and nobody holds more than twenty', async () => {
  const { tenant_id, owner } = await tenantWithOwner(stack);
  const { db } = stack.database;
  const commands = { wait: { description: 'Waits.', cli: ['sleeper', 'wait'] } };
  await install(stack, owner.token, await packArchive({ pack_id: 'sleeper', bin: '#!/bin/sh\n', commands }));
  const { id: service } = await makeService(db, tenant_id);
  await makeGrant(db, tenant_id, service, 'verb.exec.read');
  const [{ id, key }, { key: second }] = [
    await keyFor(stack, tenant_id, service),
    await keyFor(stack, tenant_id, service),
  ];
  const sent = await stack.call<ResultEnvelope>('POST', '/v1/exec', {
    token: key,
    body: { pack_id: 'sleeper', verb_key: 'wait', args: {}, wait_ms: 0 },
  });
  const path = `${stack.urls[0] ?? ''}/v1/runs/${sent.body.run_id ?? ''}/events`;
  const open = (token: string) => fetch(path, { headers: { authorization: `Bearer ${token}` } });
  const first = await open(key);
  expect(first.status).toBe(200);
  const text = first.text();
  const others = await Promise.all(Array.from({ length: 19 }, () => open(second)));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  const refused = await open(second);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
  await db.tenant(tenant_id, (tx) => tx.apiKey.updateMany({ where: { id }, data: { revoked_at: new Date() } }));
  // It ends by itself, at its next look at the run, which is queued as before.
  expect(await text).toContain('"queued"');
  expect(await text).not.toContain('event: end');
  const next = await open(second);
  expect(next.status).toBe(200);
  for (const each of [...others, next]) await each.body?.cancel();
});
