import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Approval, ExecPreview } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { makeGrant } from '@hcp/testing';
import { World, type Who } from '../access/world.js';
import { Api } from '../api/auth-harness.js';

/** A yes is to one call, exactly as it was asked, and its card is of the command that would run (SPEC V1, E1, A6). */

let api: Api;
let world: World;

beforeAll(async () => {
  api = await Api.start(2);
}, 120_000);
afterAll(() => api.stop());
beforeEach(async () => {
  world = await World.make(api);
});

const FARE = { amount: '2.80', payee: 'demo-transit' };

interface Sent {
  readonly who?: Who;
  readonly args?: object;
  readonly headers?: Record<string, string>;
  readonly named?: string;
  readonly fields?: object;
  readonly replica?: number;
}

async function transfer({ who = world.agent, args = FARE, headers, named, fields, replica = 0 }: Sent = {}) {
  const pack = fields ?? { pack_id: 'ledger' };
  const body = { ...pack, verb_key: 'transfer', args, wait_ms: 0, ...(named !== undefined && { approval_id: named }) };
  const answer = await api.call<ResultEnvelope & Record<string, unknown>>('POST', '/v1/exec', {
    ...{ token: who.token, body, replica },
    ...(headers && { headers }),
  });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function asked(sent: Sent = {}): Promise<string> {
  const answer = await transfer(sent);
  expect(answer).toMatchObject({ ok: false, code: 'confirm_required', run_id: null });
  return String(answer.approval_id);
}

async function approved(): Promise<string> {
  const id = await asked();
  const yes = await world.call(world.owner, 'POST', `/approvals/${id}/approve`, {});
  expect(yes).toMatchObject({ status: 200, body: { state: 'approved' } });
  return id;
}

/** One of the things that bind a call, otherwise. */
const OTHERWISE: Record<string, () => Promise<Sent>> = {
  'another cent': async () => ({ args: { ...FARE, amount: '2.81' } }),
  'a zero more': async () => ({ args: { ...FARE, amount: '2.800' } }),
  'a number for its text': async () => ({ args: { ...FARE, amount: 2.8 } }),
  'an argument more': async () => ({ args: { ...FARE, memo: 'fares' } }),
  'another mode of access': async () => ({ headers: { 'hcp-mode': 'manual' } }),
  'another project, and so another workspace': async () => {
    const body = { project_id: world.project_id };
    const opened = await world.call<{ id: string }>(world.agent, 'POST', '/sessions', body);
    expect(opened.status).toBe(201);
    return { headers: { 'hcp-session': opened.body.id } };
  },
  'somebody else': async () => ({ who: world.service }),
};

describe('a yes', () => {
  it.each(Object.entries(OTHERWISE))('is for the call as it was: %s asks anew', async (_what, change) => {
    const id = await approved();
    const changed = await change();
    for (const named of [undefined, id]) {
      for (const replica of [0, 1]) {
        expect(await asked({ ...changed, replica, ...(named !== undefined && { named }) })).not.toBe(id);
      }
    }
    const { body } = await world.call<Approval>(world.agent, 'GET', `/approvals/${id}`);
    expect(body).toMatchObject({ state: 'approved', run_id: null });
    expect(await transfer({ named: id, replica: 1 })).toMatchObject({ code: 'still_running', approval_id: id });
  });
});

describe('a command that is reached by the old name of pack_id', () => {
  const alias = { surface_id: 'ledger' };

  it('is shown as the pack, command and arguments that would run', async () => {
    const body = { ...alias, verb_key: 'transfer', args: { ...FARE, confirm: true } };
    const preview = await world.call<ExecPreview & Record<string, unknown>>(world.agent, 'POST', '/exec/preview', body);
    const { approval } = await transfer({ fields: alias });
    for (const card of [preview.body.card, approval]) {
      expect(card).toMatchObject({
        pack_id: 'ledger',
        pack_name: 'Ledger',
        pack_version: '1.0.0',
        command: 'transfer',
        operation: 'write',
        args: [
          { name: 'amount', value: '2.80' },
          { name: 'payee', value: 'demo-transit' },
        ],
        cli: 'ledger transfer 2.80 --to demo-transit --confirm',
        view: { title: 'Pay demo-transit' },
      });
      expect(JSON.stringify(card)).not.toContain('surface_id');
    }
  });

  it('is the same request by either name, and a yes to it is to both', async () => {
    const id = await asked({ fields: alias });
    expect(await asked()).toBe(id);
    expect(await asked({ fields: { ...alias, pack_id: 'ledger' }, replica: 1 })).toBe(id);
    await approved();
    expect(await transfer({ named: id })).toMatchObject({ pack_id: 'ledger', code: 'still_running', approval_id: id });
    expect(await asked({ fields: alias })).not.toBe(id);
  });

  it('is refused where the two name different packs', async () => {
    const body = { surface_id: 'notes', pack_id: 'ledger', verb_key: 'transfer', args: FARE };
    const answer = await world.call(world.agent, 'POST', '/exec', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_envelope', run_id: null } });
  });
});

describe('a grant and the settings together', () => {
  const reader = async (): Promise<Who> => {
    const id = await api.principal(world.tenant_id, 'agent', { acts_for: world.owner.id });
    await makeGrant(api.database.db, world.tenant_id, id, 'verb.exec.read');
    return { id, token: (await api.key(world.tenant_id, id)).key };
  };
  const code = async (who: Who, command: string, args: object = {}) => (await world.exec(who, command, args)).code;

  it('let run what both do: whoever may only read writes in no mode, by no rule and by nobody’s yes', async () => {
    const narrow = await reader();
    const writes = async () => [
      await code(narrow, 'notes.add', { title: 'x' }),
      (await transfer({ who: narrow })).code,
    ];
    for (const mode of ['manual', 'auto', 'run']) {
      await world.mode(mode);
      expect(await writes()).toEqual(['missing_capability', 'missing_capability']);
      expect(await code(narrow, 'ledger.balance')).toBe('still_running');
    }
    for (const match of ['*', 'ledger.transfer', 'notes.add']) await world.rule({ match, decision: 'allow' });
    expect(await writes()).toEqual(['missing_capability', 'missing_capability']);
    // The same call by another, approved, is that one's alone.
    const { body } = await world.call<{ items: Approval[] }>(narrow, 'GET', '/approvals');
    expect(body.items).toEqual([]);
    expect(await world.commands(narrow)).toMatchObject({
      'notes.add': 'deny',
      'ledger.transfer': 'deny',
      'ledger.balance': 'allow',
    });
  });

  it('ask where the settings do, whatever was granted, and refuse where a rule does', async () => {
    await world.mode('manual');
    expect(await code(world.agent, 'notes.add', { title: 'x' })).toBe('confirm_required');
    await world.rule({ match: 'notes.*', decision: 'deny', op: 'write' });
    expect(await code(world.agent, 'notes.add', { title: 'x' })).toBe('denied_by_rule');
    const narrow = await reader();
    // Both refuse; the grant is looked at first.
    expect(await code(narrow, 'notes.add', { title: 'x' })).toBe('missing_capability');
  });
});
