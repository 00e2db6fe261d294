import type { ResultEnvelope } from '@hcp/core';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packArchive } from '../../support/packs.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** SPEC B2: a token signed for one run, which a service verifies at our JWKS. */

/** Gives its token away as no redactor can know: backwards; and as it should not, to see that hidden. */
const BIN = `#!/usr/bin/env node
const token = process.env.DEPOT_TOKEN ?? '';
console.log(JSON.stringify({ plain: token, backwards: [...token].reverse().join('') }));
`;
const AUDIENCE = 'https://depot.example';

let stack: Stack;
let tenant_id: string;
let owner: Person;
beforeAll(async () => {
  stack = await startStack();
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  const archive = (pack_id: string, template: string, timeout_ms: number) =>
    packArchive({
      pack_id,
      bin: BIN,
      binding: { family: 'user', provider: 'depot.example', env: { DEPOT_TOKEN: template } },
      wrap: { timeout_ms },
      commands: {
        show: {
          description: 'Shows its token.',
          cli: [pack_id, 'show'],
          args: { type: 'object', properties: { box: { type: 'string' } } },
        },
      },
    });
  await install(stack, owner.token, await archive('depot', '{{token}}', 20_000));
  await install(stack, owner.token, await archive('slow', '{{token}}', 3_000_000));
  await install(stack, owner.token, await archive('own', '{{token}}', 20_000));
  await install(stack, owner.token, await archive('other', '{{user}}:{{token}}', 20_000));
}, 120_000);
afterAll(() => stack.stop());

const connect = (pack_id: string, more: object) =>
  stack.call<{ id: string; version: number; fields: string[] }>('POST', '/v1/bindings', {
    token: owner.token,
    body: { pack_id, family: 'user', kind: 'workload_token', ...more },
  });

async function lent(pack_id: string): Promise<{ token: string; plain: string; run_id: string | null }> {
  const body = { pack_id, verb_key: 'show', args: { box: 'seven' } };
  const answer = (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body })).body;
  const { plain, backwards } = answer.result as { plain: string; backwards: string };
  return { token: [...backwards].reverse().join(''), plain, run_id: answer.run_id };
}

const verify = (token: string) =>
  jwtVerify(token, createRemoteJWKSet(new URL('/.well-known/jwks.json', stack.urls[0])), {
    issuer: stack.urls[0],
    audience: AUDIENCE,
    typ: 'hcp-workload+jwt',
    requiredClaims: ['jti', 'iat', 'nbf', 'exp', 'sub'],
  });

it('says which run its bearer is, verifiably, and for no longer than the run may take', async () => {
  const made = await connect('depot', { audience: AUDIENCE });
  expect(made).toMatchObject({ status: 201, body: { kind: 'workload_token', fields: ['token'], version: 1 } });
  const { token, run_id, plain } = await lent('depot');
  expect(plain).not.toContain(token.slice(0, 20));
  const { payload } = await verify(token);
  const row = await stack.database.db.tenant(tenant_id, (tx) =>
    tx.run.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id: String(run_id) } } }),
  );
  expect(payload).toMatchObject({
    sub: owner.id,
    tenant_id,
    project_id: null,
    acts_for: null,
    pack_id: 'depot',
    verb_key: 'show',
    run_id,
    args_digest: row.args_digest,
  });
  expect(row.binding).toBe(`user:${made.body.id}@1`);
  expect(Number(payload.exp) - Number(payload.iat)).toBe(25);
  expect(payload['timeout_ms']).toBeUndefined();
  const again = await verify((await lent('depot')).token);
  expect(again.payload.jti).not.toBe(payload.jti);
});

it('ends after 15 minutes, however long the run may take', async () => {
  await connect('slow', { audience: AUDIENCE });
  const { payload } = await verify((await lent('slow')).token);
  expect(Number(payload.exp) - Number(payload.iat)).toBe(900);
});

it('is no access token: our API takes it for nothing, whatever audience it is for', async () => {
  const { token } = await lent('depot');
  expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'hcp-workload+jwt' });
  for (const path of ['/v1/me', '/v1/runs', '/v1/bindings']) {
    expect((await stack.call('GET', path, { token })).status).toBe(401);
  }
});

it('is made for nothing at the address of this API itself', async () => {
  await connect('own', { audience: `${stack.urls[0]}/mcp` });
  const body = { pack_id: 'own', verb_key: 'show', args: { box: 'seven' } };
  expect((await stack.call('POST', '/v1/exec', { token: owner.token, body })).body).toMatchObject({
    code: 'mint_failed',
  });
});

it('is for packs that ask for a token and no more, and for an audience that is one', async () => {
  expect((await connect('other', { audience: AUDIENCE })).status).toBe(409);
  for (const audience of [undefined, '', 'two words', 'hcp', 'hcp-mcp', 'new\nline', 'x'.repeat(513)]) {
    const answer = await connect('other', { audience });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain('/audience');
  }
});

it('is not made once its connection was changed behind the application’s back', async () => {
  const { token } = owner;
  const { items } = (await stack.call<{ items: { id: string }[] }>('GET', '/v1/bindings?pack_id=slow', { token })).body;
  const id = String(items[0]?.id);
  const refused = async () => {
    const body = { pack_id: 'slow', verb_key: 'show', args: {} };
    return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token, body })).body;
  };
  for (const change of [{ kind: 'secret' }, { kind: 'workload_token', version: 7 }, { version: 1, pack_id: 'slow' }]) {
    await stack.database.db.tenant(tenant_id, (tx) =>
      tx.binding.updateMany({ where: { tenant_id, id }, data: change }),
    );
    const changed = change.version !== 1;
    expect((await refused()).ok).toBe(!changed);
    if (changed) expect(await refused()).toMatchObject({ ok: false, code: 'mint_failed' });
  }
});
