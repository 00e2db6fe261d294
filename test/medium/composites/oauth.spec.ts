import { randomUUID } from 'node:crypto';
import type { ResultEnvelope } from '@hcp/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OauthProvider } from '../../support/oauth-provider.js';
import { connect, PROVIDER, registerClient } from '../../support/oauth.js';
import { archive, packArchive } from '../../support/packs.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** Composites whose steps run with connections by OAuth that are due (SPEC W6, B5, V2). */

const PACKS = ['mail0', 'mail1', 'mail2', 'mail3'];
let stack: Stack;
let idp: OauthProvider;
let tenant_id: string;
let owner: Person;

const mail = (pack_id: string) =>
  packArchive({
    pack_id,
    bin: '#!/usr/bin/env node\nconsole.log(JSON.stringify({ ok: process.env.T.length > 5 }));\n',
    binding: { family: 'user', provider: PROVIDER, env: { T: '{{token}}' } },
    commands: {
      read: { description: 'Reads.', cli: [pack_id, 'read'] },
      send: { description: 'Sends.', cli: [pack_id, 'send'], policy: { operation: 'write', confirm: 'always' } },
    },
  });

const step = (pack_id: string, verb_key: string) => ({ name: `${verb_key}_${pack_id}`, pack_id, verb_key, args: {} });
/** `answer` asks for its last step; `all` reads by four connections. */
function round(): Promise<Buffer> {
  const commands = {
    answer: { steps: [step('mail0', 'read'), step('mail1', 'send')], operation: 'write' },
    all: { steps: PACKS.map((pack_id) => step(pack_id, 'read')), operation: 'read' },
  };
  const each = <T>(make: (command: (typeof commands)['all']) => T) =>
    Object.fromEntries(Object.entries(commands).map(([key, command]) => [key, make(command)]));
  return archive({
    'manifest.json': JSON.stringify({
      pack_id: 'round',
      name: 'Round',
      version: '1.0.0',
      description: 'Rounds.',
      kind: 'composite',
      binding: { family: 'public' },
    }),
    'surface.json': JSON.stringify({ commands: each(({ steps }) => ({ description: 'A round.', steps })) }),
    'policy.json': JSON.stringify({
      commands: each(({ operation }) => ({ operation, confirm: false, privacy: { land: 'public' } })),
    }),
  });
}

beforeAll(async () => {
  stack = await startStack({ env: { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' } });
  idp = await OauthProvider.start(randomUUID(), { redirect_uris: [`${stack.urls[0]}/v1/bindings/callback`] });
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  expect((await registerClient(stack, owner.token, idp)).status).toBe(201);
  for (const pack_id of PACKS) await install(stack, owner.token, await mail(pack_id));
  await install(stack, owner.token, await round());
}, 120_000);
afterAll(async () => {
  await idp.stop();
  await stack.stop();
});
beforeEach(async () => {
  idp.fault = () => null;
  for (const pack_id of PACKS) await connect(stack, owner.token, { pack_id });
});

async function run(verb_key: string): Promise<ResultEnvelope> {
  const body = { pack_id: 'round', verb_key, args: {}, wait_ms: 60_000 };
  return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body })).body;
}
async function approved(): Promise<string> {
  const asked = await run('answer');
  expect(asked).toMatchObject({ code: 'confirm_required' });
  const id = String(asked.approval_id);
  const answer = await stack.call('POST', `/v1/approvals/${id}/approve`, { token: owner.token, body: {} });
  expect(answer.status).toBe(200);
  return id;
}
const state = async (id: string): Promise<unknown> =>
  (await stack.call('GET', `/v1/approvals/${id}`, { token: owner.token })).body['state'];
/** As if the token's life were over. */
const expire = (pack_id: string | null): Promise<unknown> =>
  stack.database.db.tenant(tenant_id, (tx) =>
    tx.binding.updateMany({
      where: pack_id === null ? {} : { pack_id },
      data: { token_expires_at: new Date(Date.now() - 1000) },
    }),
  );
const staleOf = async (pack_id: string): Promise<Date | null> =>
  (await stack.database.db.tenant(tenant_id, (tx) => tx.binding.findFirstOrThrow({ where: { pack_id } }))).stale_at;
async function eventsOf({ run_id }: ResultEnvelope): Promise<string[]> {
  const path = `/v1/audit?run_id=${String(run_id)}&limit=50`;
  const { body } = await stack.call<{ items: { action: string; pack_id: string }[] }>('GET', path, {
    token: owner.token,
  });
  return body.items.map(({ action, pack_id }) => `${action} ${pack_id}`);
}

describe('a composite whose step’s token is due', () => {
  it('has it renewed once, and the approval is spent on the run', async () => {
    const id = await approved();
    await expire('mail1');
    const before = idp.count('refresh_token');
    expect(await run('answer')).toMatchObject({ ok: true, result: { steps: [{ ok: true }, { ok: true }] } });
    expect(idp.count('refresh_token')).toBe(before + 1);
    expect(await state(id)).toBe('consumed');
  });

  it('keeps the approval, and runs no step, where the provider is away', async () => {
    const id = await approved();
    await expire('mail1');
    idp.fault = (path) => (path === '/token' ? { kind: 'answer', status: 503 } : null);
    const refused = await run('answer');
    expect(refused).toMatchObject({
      ok: false,
      code: 'mint_failed',
      error: expect.stringMatching(/^step send_mail1: .* could not be renewed/) as string,
    });
    expect(await eventsOf(refused)).not.toContain('exec.decision mail0');
    expect([await state(id), await staleOf('mail1')]).toEqual(['approved', null]);
    idp.fault = () => null;
    expect(await run('answer')).toMatchObject({ ok: true });
    expect(await state(id)).toBe('consumed');
  });

  it('keeps the approval where the provider refuses, and asks anew for another connection', async () => {
    const id = await approved();
    await expire('mail1');
    idp.fault = (path) =>
      path === '/token' ? { kind: 'answer', status: 400, body: '{"error":"invalid_grant"}' } : null;
    for (const _ of ['as it becomes stale', 'as it is stale']) {
      expect(await run('answer')).toMatchObject({
        code: 'mint_failed',
        error: expect.stringMatching(/^step send_mail1: .* is stale/) as string,
        hint: expect.stringContaining('hcpx connect mail1') as string,
      });
    }
    expect(await state(id)).toBe('approved');
    idp.fault = () => null;
    await connect(stack, owner.token, { pack_id: 'mail1' });
    expect(await run('answer')).toMatchObject({ code: 'confirm_required' });
  });

  it('has as many renewed as there are', async () => {
    await expire(null);
    const before = idp.count('refresh_token');
    expect(await run('all')).toMatchObject({ ok: true });
    expect(idp.count('refresh_token')).toBe(before + PACKS.length);
  });
});
