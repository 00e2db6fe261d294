import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archive, packArchive } from '../../support/packs.js';
import {
  install,
  keyFor,
  signedIn,
  startStack,
  tenantWithOwner,
  type Person,
  type Stack,
} from '../../support/stack.js';

/** Composites on the whole product: every step goes through the whole pipeline (SPEC W6, V1). */

const SECRET = 'composite-canary-51d7';
const BIN = `#!/usr/bin/env node
const [verb, ...rest] = process.argv.slice(2);
if (verb === 'fail') { console.error('it broke'); process.exit(3); }
console.log(JSON.stringify({ verb, rest: rest.filter((each) => each !== '--json'), id: 'id-' + rest[0], secret: process.env.DESK_TOKEN }));
`;
const bank = () =>
  packArchive({
    pack_id: 'bank',
    bin: BIN,
    binding: { family: 'user', env: { DESK_TOKEN: '{{token}}' } },
    commands: {
      look: { description: 'Looks.', cli: ['bank', 'look', '{{what}}'] },
      note: { description: 'Notes.', cli: ['bank', 'note', '{{what}}'], policy: { operation: 'write' } },
      transfer: {
        description: 'Pays.',
        cli: ['bank', 'transfer', '{{amount}}', '{{to}}'],
        args: { type: 'object', properties: { amount: { type: 'number' }, to: { type: 'string' } } },
        policy: { operation: 'write', confirm: 'always' },
      },
      fail: { description: 'Fails.', cli: ['bank', 'fail'] },
    },
  });

const pay = { name: 'pay', pack_id: 'bank', verb_key: 'transfer', args: { amount: '{{amount}}', to: 'Shop {{to}}' } };
const look = { name: 'look', pack_id: 'bank', verb_key: 'look', args: { what: '{{to}}' } };

/** A composite of the bank's commands. */
function trip(version = '1.0.0'): Promise<Buffer> {
  const args = { type: 'object', properties: { amount: { type: 'number' }, to: { type: 'string' } } };
  const commands = {
    go: { steps: [look, pay] },
    read: { steps: [look, { ...look, name: 'again', args: { what: '{{steps.look.id}}' } }] },
    later: { steps: [look, { ...pay, args: { amount: '{{amount}}', to: '{{steps.look.id}}' } }] },
    // The first comes to what the second is.
    twice: {
      steps: [
        look,
        { ...pay, name: 'unseen', args: { amount: '{{amount}}', to: '{{steps.look.id}}' } },
        { ...pay, args: { amount: '{{amount}}', to: 'id-{{to}}' } },
      ],
    },
    breaks: { steps: [look, { ...look, name: 'broken', verb_key: 'fail', args: {} }, { ...look, name: 'never' }] },
  };
  return archive({
    'manifest.json': JSON.stringify({
      pack_id: 'trip',
      name: 'Trip',
      version,
      description: 'Trips.',
      kind: 'composite',
      binding: { family: 'public' },
    }),
    'surface.json': JSON.stringify({
      commands: Object.fromEntries(
        Object.entries(commands).map(([key, command]) => [key, { description: `Trip ${key}.`, args, ...command }]),
      ) as object,
    }),
    'policy.json': JSON.stringify({
      commands: Object.fromEntries(
        Object.keys(commands).map((key) => [
          key,
          {
            operation: ['go', 'later', 'twice'].includes(key) ? 'write' : 'read',
            confirm: false,
            privacy: { land: 'public' },
          },
        ]),
      ) as object,
    }),
  });
}

let stack: Stack;
let tenant_id: string;
let owner: Person;
let agent: { id: string; key: string };

beforeAll(async () => {
  // Every slot taken by a composite must not keep their steps waiting.
  stack = await startStack({ apis: 2, worker_env: { HCP_WORKER_CONCURRENCY: '2' } });
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  await install(stack, owner.token, await bank());
  await install(stack, owner.token, await trip());
  const body = { pack_id: 'bank', family: 'user', kind: 'secret', fields: { token: SECRET } };
  expect((await stack.call('POST', '/v1/bindings', { token: owner.token, body })).status).toBe(201);
  const { db } = stack.database;
  const { id } = await makeAgent(db, tenant_id, { acts_for: owner.id });
  for (const capability of ['verb.exec.read', 'verb.exec.write'] as const)
    await makeGrant(db, tenant_id, id, capability);
  agent = { id, key: (await keyFor(stack, tenant_id, id)).key };
}, 120_000);
afterAll(() => stack.stop());

const run = async (verb_key: string, args: object = {}, token = agent.key): Promise<ResultEnvelope> =>
  (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token, body: { pack_id: 'trip', verb_key, args } })).body;

interface Event {
  action: string;
  pack_id: string;
  verb_key: string;
  decision: string | null;
  code: string | null;
  approved_by: string | null;
  details: { step?: string } | null;
}
const events = async (run_id: string | null): Promise<Event[]> =>
  (await stack.call<{ items: Event[] }>('GET', `/v1/audit?run_id=${String(run_id)}&limit=50`, { token: owner.token }))
    .body.items;
const decide = (id: string | undefined, what: 'approve' | 'reject', token = owner.token) =>
  stack.call('POST', `/v1/approvals/${String(id)}/${what}`, { token, body: {} });

describe('a composite', () => {
  it('runs its steps in order, each with its own credential and its own two events', async () => {
    const ran = await run('read', { to: 'x' });
    expect(ran).toMatchObject({
      ok: true,
      result: {
        steps: [
          { name: 'look', pack_id: 'bank', ok: true, result: { verb: 'look', rest: ['x'], secret: '[redacted]' } },
          { name: 'again', ok: true, result: { rest: ['id-x'] } },
        ],
      },
    });
    expect(JSON.stringify(ran)).not.toContain(SECRET);
    const told = (await events(ran.run_id)).map(({ action, pack_id, details }) =>
      `${action} ${pack_id} ${details?.step ?? ''}`.trim(),
    );
    expect(told.sort()).toEqual([
      'exec.completion bank again',
      'exec.completion bank look',
      'exec.completion trip',
      'exec.decision bank again',
      'exec.decision bank look',
      'exec.decision trip',
    ]);
  });

  it('stops at the step that fails, and says what was done', async () => {
    const ran = await run('breaks', { to: 'x' });
    expect(ran).toMatchObject({ ok: false, code: 'exit_nonzero', error: 'step broken: it broke', exit_code: 3 });
    expect((ran.result as { steps: { name: string; ok: boolean }[] }).steps.map(({ name, ok }) => [name, ok])).toEqual([
      ['look', true],
      ['broken', false],
    ]);
  });

  it('shows the person the pack, the command and the arguments that it comes to, and runs just those', async () => {
    const asked = await run('go', { to: 'B', amount: '2.80' });
    expect(asked).toMatchObject({ code: 'confirm_required', access: { reason_code: 'confirm_always' } });
    expect(asked.approval?.steps).toMatchObject([
      { pack_id: 'bank', command: 'look', cli: 'bank look B' },
      { pack_id: 'bank', pack_name: 'bank', command: 'transfer', cli: "bank transfer 2.80 'Shop B'" },
    ]);
    expect(asked.approval?.view.signals.length).toBeGreaterThan(0);
    expect((await decide(asked.approval_id, 'approve')).status).toBe(200);
    // Another amount is another call.
    expect((await run('go', { to: 'B', amount: '2.81' })).code).toBe('confirm_required');
    const ran = await run('go', { to: 'B', amount: '2.80' });
    expect(ran).toMatchObject({
      ok: true,
      result: { steps: [{}, { name: 'pay', result: { rest: ['2.80', 'Shop B'] } }] },
    });
    const paid = (await events(ran.run_id)).find(
      ({ action, verb_key }) => action === 'exec.decision' && verb_key === 'transfer',
    );
    expect(paid).toMatchObject({ decision: 'allow', approved_by: 'human' });
    expect((await run('go', { to: 'B', amount: '2.80' })).code).toBe('confirm_required');
  });

  it('needs another yes where a step’s pack or credential has changed', async () => {
    const asked = await run('go', { to: 'C', amount: 1 });
    expect((await decide(asked.approval_id, 'approve')).status).toBe(200);
    const bindings = await stack.call<{ items: { id: string }[] }>('GET', '/v1/bindings', { token: owner.token });
    const [binding] = bindings.body.items;
    const body = { fields: { token: SECRET } };
    expect(
      (await stack.call('POST', `/v1/bindings/${String(binding?.id)}/rotate`, { token: owner.token, body })).status,
    ).toBe(200);
    expect((await run('go', { to: 'C', amount: 1 })).code).toBe('confirm_required');
  });

  it('is answered by those alone who may answer for every step', async () => {
    const asked = await run('go', { to: 'D', amount: 1 });
    const clerk = await signedIn(stack, tenant_id, 'member');
    await makeGrant(stack.database.db, tenant_id, clerk.id, 'approval.decide', { pack_id: 'trip' });
    expect((await decide(asked.approval_id, 'approve', clerk.token)).status).toBe(404);
    await makeGrant(stack.database.db, tenant_id, clerk.id, 'approval.decide', { pack_id: 'bank' });
    expect((await decide(asked.approval_id, 'approve', clerk.token)).status).toBe(200);
  });

  it('asks for a step whose arguments an earlier one answers once they are there, and goes on after a yes', async () => {
    const first = await run('later', { to: 'E', amount: 5 });
    expect(first).toMatchObject({ ok: false, code: 'confirm_required', error: 'step pay: confirm required' });
    const [, waits] = (first.result as { steps: { approval_id?: string }[] }).steps;
    const request = await stack.call<{ verb_key: string; card: { cli: string } }>(
      'GET',
      `/v1/approvals/${String(waits?.approval_id)}`,
      { token: owner.token },
    );
    expect(request.body).toMatchObject({ verb_key: 'transfer', card: { cli: 'bank transfer 5 id-E' } });
    expect((await decide(waits?.approval_id, 'approve')).status).toBe(200);
    expect(await run('later', { to: 'E', amount: 5 })).toMatchObject({
      ok: true,
      result: { steps: [{}, { result: { rest: ['5', 'id-E'] } }] },
    });
    expect((await run('later', { to: 'E', amount: 5 })).code).toBe('confirm_required');
  });

  it('is no yes to a step that nobody saw, though another of its steps is the same call', async () => {
    const asked = await run('twice', { to: 'F', amount: 7 });
    expect(asked.approval?.steps).toMatchObject([{}, { later: true }, { cli: 'bank transfer 7 id-F', later: false }]);
    expect((await decide(asked.approval_id, 'approve')).status).toBe(200);
    const ran = await run('twice', { to: 'F', amount: 7 });
    expect(ran).toMatchObject({ code: 'confirm_required', error: 'step unseen: confirm required' });
    const allowed = (await events(ran.run_id)).filter(
      ({ action, decision }) => action === 'exec.decision' && decision === 'allow',
    );
    expect(allowed.map(({ verb_key }) => verb_key).sort()).toEqual(['look', 'twice']);
  });

  it('is refused by a rule or a missing grant for a step, and nothing of it runs', async () => {
    const { key } = await keyFor(stack, tenant_id, agent.id, {
      grants: [{ capability: 'verb.exec.write', pack_id: 'trip' }],
    });
    expect(await run('go', { to: 'x', amount: 1 }, key)).toMatchObject({ code: 'missing_capability', run_id: null });
    const rule = { match: 'bank.look', decision: 'deny' };
    const made = await stack.call<{ id: string }>('POST', '/v1/access/rules', { token: owner.token, body: rule });
    expect(made.status).toBe(201);
    expect(await run('read', { to: 'x' })).toMatchObject({
      code: 'denied_by_rule',
      error: 'step look: denied by rule bank.look',
      run_id: null,
    });
    const shown = await stack.call<{ items: { verb_key: string; access: string }[] }>(
      'GET',
      '/v1/commands?pack_id=trip',
      { token: agent.key },
    );
    expect(shown.body.items.find(({ verb_key }) => verb_key === 'read')?.access).toBe('deny');
    await stack.call('DELETE', `/v1/access/rules/${made.body.id}`, { token: owner.token });
  });

  it('does not keep its own steps waiting, however many run at once', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, (_, at) => run('read', { to: `t${String(at)}` })));
    expect(all.map(({ ok }) => ok)).toEqual(all.map(() => true));
  });
});
