import { readEnv } from '@hcp/api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packArchive } from '../../support/packs.js';
import { Api } from '../api/auth-harness.js';
import { outcome, World } from './world.js';

/** What people set decides what runs (SPEC A1-A6, P7), through two replicas of the real API. */

let api: Api;
let world: World;

beforeAll(async () => {
  api = await Api.start(2);
}, 120_000);
afterAll(() => api.stop());
beforeEach(async () => {
  world = await World.make(api);
});

const fares = {
  match: 'ledger.transfer',
  decision: 'allow',
  when: { args: { payee: 'demo-transit' }, max: { amount: 5 } },
  note: 'fares',
} as const;

describe('the ledger transfer', () => {
  it('asks in every mode, with the protocol’s words', async () => {
    for (const mode of ['manual', 'auto', 'run']) {
      await world.mode(mode);
      expect(await world.exec(world.agent, 'ledger.transfer', { amount: '2.80', payee: 'demo-transit' })).toMatchObject(
        {
          ok: false,
          code: 'confirm_required',
          preview: {
            command: 'transfer',
            args: { amount: '2.80', payee: 'demo-transit' },
            cli: 'ledger transfer 2.80 --to demo-transit --confirm',
          },
          access: {
            mode,
            reason: 'Policy confirm "always": every mode asks',
            reason_code: 'confirm_always',
            approvals: 'human',
          },
        },
      );
    }
  });

  it('runs without a question only by the exact rule, and only within it', async () => {
    await world.rule({ match: 'ledger.*', decision: 'allow' });
    await world.rule({ match: '*', decision: 'allow' });
    expect(await world.transfer(world.agent)).toBe('confirm_required');
    await world.rule(fares);
    expect(await world.transfer(world.agent)).toBe('runs');
    expect(await world.transfer(world.agent, { amount: '5' })).toBe('runs');
    expect(await world.transfer(world.agent, { amount: '5.01' })).toBe('confirm_required');
    expect(await world.transfer(world.agent, { payee: 'demo-landlord' })).toBe('confirm_required');
    await world.rule({ match: 'ledger.*', decision: 'deny', when: { min: { amount: 3 } } });
    expect(await world.transfer(world.agent)).toBe('runs');
    expect(await world.transfer(world.agent, { amount: '3' })).toBe('denied_by_rule');
  });
});

describe('modes', () => {
  it('decide about what policy marks confirm, in the tenant and for a pack', async () => {
    const remove = async () => outcome(await world.exec(world.agent, 'notes.delete', { id: 'n-1' }));
    const add = async () => outcome(await world.exec(world.agent, 'notes.add', { title: 'x' }));
    expect([await add(), await remove()]).toEqual(['runs', 'confirm_required']);
    await world.mode('manual');
    expect([await add(), await remove()]).toEqual(['confirm_required', 'confirm_required']);
    expect(await world.exec(world.agent, 'notes.add', { title: 'x' })).toMatchObject({
      access: { mode: 'manual', reason_code: 'mode_manual' },
    });
    await world.mode('run', { pack_id: 'notes' });
    expect([await add(), await remove()]).toEqual(['runs', 'runs']);
    const { effective } = await world.access(world.agent);
    expect(effective).toMatchObject({
      mode: { value: 'manual', layer: 'tenant' },
      packs: { notes: { mode: { value: 'run', layer: 'pack' } } },
    });
    await world.mode(null, { pack_id: 'notes' });
    await world.mode(null);
    expect((await world.access(world.agent)).effective).toMatchObject({
      mode: { value: 'auto', layer: 'default' },
      packs: {},
    });
  });

  it('of a process tighten freely, and loosen as far as a person let its key', async () => {
    const remove = async (mode: string) =>
      outcome(await world.exec(world.agent, 'notes.delete', { id: 'n-1' }, { 'hcp-mode': mode }));
    const add = async (mode: string) =>
      outcome(await world.exec(world.agent, 'notes.add', { title: 'x' }, { 'hcp-mode': mode }));
    expect(await add('manual')).toBe('confirm_required');
    expect(await remove('run')).toBe('confirm_required');
    const ignored = await world.access(world.agent, '', { 'hcp-mode': 'run' });
    expect(ignored.ignored).toMatchObject([{ layer: 'process', setting: 'mode' }]);
    await world.mode('run', { api_key_id: world.agent.key_id });
    expect(await remove('run')).toBe('runs');
    expect(await remove('auto')).toBe('confirm_required');
    expect(await world.access(world.agent, '', { 'hcp-mode': 'run' })).toMatchObject({
      effective: { mode: { value: 'run', layer: 'process' }, max_mode: { value: 'run' } },
      ignored: [],
    });
    // Another key of nobody's concern is not let.
    expect(outcome(await world.exec(world.service, 'notes.delete', { id: 'n-1' }, { 'hcp-mode': 'run' }))).toBe(
      'confirm_required',
    );
    expect(await world.transfer(world.agent, {}, { 'hcp-mode': 'run' })).toBe('confirm_required');
  });

  it('that are none refuse the call', async () => {
    for (const mode of ['', 'Run', 'yolo', 'run, manual']) {
      const answer = await world.call(world.agent, 'GET', '/access', undefined, { 'hcp-mode': mode });
      expect(answer, mode).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
  });
});

describe('HCP-Approvals', () => {
  const own_yes = async (approvals?: string) =>
    outcome(
      await world.exec(
        world.agent,
        'notes.delete',
        { id: 'n-1', confirm: true },
        approvals === undefined ? {} : { 'hcp-approvals': approvals },
      ),
    );

  it('takes an agent’s own yes away, and never lets one count', async () => {
    expect(await own_yes('agent')).toBe('confirm_required');
    expect(await world.access(world.agent, '', { 'hcp-approvals': 'agent' })).toMatchObject({
      effective: { approvals: { value: 'human', layer: 'default' } },
      ignored: [{ layer: 'process', setting: 'approvals' }],
    });
    await world.settings({ approvals: 'agent' });
    expect(await own_yes()).toBe('runs');
    expect(await own_yes('agent')).toBe('runs');
    expect(await own_yes('human')).toBe('confirm_required');
    expect(await world.access(world.agent, '', { 'hcp-approvals': 'human' })).toMatchObject({
      effective: { approvals: { value: 'human', layer: 'process' } },
      ignored: [],
    });
  });

  it('refuses the call where it says anything else', async () => {
    for (const word of ['', 'Human', 'nobody']) {
      const answer = await world.call(world.agent, 'GET', '/access', undefined, { 'hcp-approvals': word });
      expect(answer, word).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
  });
});

describe('deny rules', () => {
  it('make everything read-only, for everybody, on every replica at once', async () => {
    expect(await world.transfer(world.owner, { confirm: true })).toBe('runs');
    await world.rule({ match: '*', decision: 'deny', op: 'write' });
    const denied = await api.call('POST', '/v1/exec', {
      token: world.owner.token,
      replica: 1,
      body: { pack_id: 'notes', verb_key: 'add', args: { title: 'x', confirm: true }, wait_ms: 0 },
    });
    expect(denied.body).toMatchObject({ code: 'denied_by_rule', error: 'denied by rule *', run_id: null });
    expect(await world.transfer(world.owner, { confirm: true })).toBe('denied_by_rule');
    expect(outcome(await world.exec(world.agent, 'ledger.balance'))).toBe('runs');
    expect(await world.commands(world.agent)).toMatchObject({
      'ledger.transfer': 'deny',
      'ledger.balance': 'allow',
      'notes.add': 'deny',
    });
  });

  it('never run a command, whatever the mode, until they are gone', async () => {
    await world.mode('run');
    const { id } = await world.rule({ match: 'notes.delete', decision: 'deny' });
    expect(outcome(await world.exec(world.owner, 'notes.delete', { id: 'n-1', confirm: true }))).toBe('denied_by_rule');
    expect((await world.call(world.owner, 'DELETE', `/access/rules/${id}`)).status).toBe(204);
    expect(outcome(await world.exec(world.owner, 'notes.delete', { id: 'n-1' }))).toBe('runs');
  });
});

describe('whose yes', () => {
  it('is a person’s own, but not where the tenant wants a second one', async () => {
    expect(await world.transfer(world.owner, { confirm: true })).toBe('runs');
    await world.settings({ second_person: true });
    expect(await world.transfer(world.owner, { confirm: true })).toBe('confirm_required');
    await world.settings({ second_person: false, narrower: { kinds: { payment: { second_person: true } } } });
    expect(await world.transfer(world.owner, { confirm: true })).toBe('confirm_required');
    expect(outcome(await world.exec(world.owner, 'notes.delete', { id: 'n-1', confirm: true }))).toBe('runs');
  });

  it('is an agent’s or service’s only where approvals say so, the code is confirm and no rule asked', async () => {
    const yes = { id: 'n-1', confirm: true };
    const remove = async () => [
      outcome(await world.exec(world.agent, 'notes.delete', yes)),
      outcome(await world.exec(world.service, 'notes.delete', yes)),
    ];
    expect(await remove()).toEqual(['confirm_required', 'confirm_required']);
    await world.settings({ approvals: 'agent' });
    expect(await remove()).toEqual(['runs', 'runs']);
    expect(await world.transfer(world.agent, { confirm: true })).toBe('confirm_required');
    expect(outcome(await world.exec(world.agent, 'notes.delete', yes, { 'hcp-mode': 'manual' }))).toBe(
      'confirm_required',
    );
    await world.rule({ match: 'notes.*', decision: 'ask' });
    expect(await remove()).toEqual(['confirm_required', 'confirm_required']);
    const events = await world.api.database.db.tenant(world.tenant_id, (tx) =>
      tx.auditEvent.findMany({ where: { verb_key: 'delete', decision: 'allow' }, orderBy: { seq: 'asc' } }),
    );
    expect(events.map(({ approved_by }) => approved_by)).toEqual(['agent', 'agent']);
  });
});

describe('a project', () => {
  const session = async (): Promise<string> => {
    const { body } = await world.call(world.agent, 'POST', '/sessions', { project_id: world.project_id });
    return String(body.id);
  };

  it('only tightens, and is told what does not count', async () => {
    await world.rule(fares);
    const document = {
      mode: 'run',
      packs: { transit: { mode: 'run' } },
      approvals: 'agent',
      rules: [
        { match: 'notes.delete', decision: 'allow' },
        { match: 'ledger.balance', decision: 'deny' },
        { match: 'notes.add', decision: 'ask' },
      ],
    };
    const put = await world.call(world.owner, 'PUT', `/projects/${world.project_id}/access`, document);
    expect(put.status).toBe(200);
    expect((put.body.access as { ignored: object[] }).ignored).toMatchObject([
      { layer: 'project', setting: 'mode' },
      { layer: 'project', setting: 'packs.transit.mode' },
      { layer: 'project', setting: 'approvals' },
      { layer: 'project', setting: 'rules.0' },
    ]);
    const headers = { 'hcp-session': await session() };
    expect(await world.transfer(world.agent, {}, headers)).toBe('runs');
    expect(outcome(await world.exec(world.agent, 'notes.delete', { id: 'n-1', confirm: true }, headers))).toBe(
      'confirm_required',
    );
    expect(await world.exec(world.agent, 'ledger.balance', {}, headers)).toMatchObject({
      code: 'denied_by_rule',
      error: 'denied by rule ledger.balance',
    });
    expect(await world.exec(world.agent, 'notes.add', { title: 'x' }, headers)).toMatchObject({
      access: { reason_code: 'rule_ask', mode: 'auto' },
    });
    // Elsewhere none of it counts.
    expect(outcome(await world.exec(world.agent, 'ledger.balance'))).toBe('runs');
    expect((await world.access(world.agent)).ignored).toEqual([]);
    expect(await world.commands(world.agent, `&project_id=${world.project_id}`)).toMatchObject({
      'ledger.balance': 'deny',
      'notes.add': 'ask',
    });
    const empty = await world.call(world.owner, 'PUT', `/projects/${world.project_id}/access`, {});
    expect(empty.status).toBe(200);
    expect(outcome(await world.exec(world.agent, 'ledger.balance', {}, headers))).toBe('runs');
  });

  it('does not let a stricter mode be loosened by the tenant’s', async () => {
    await world.mode('manual', { project_id: world.project_id });
    await world.mode('run');
    const headers = { 'hcp-session': await session() };
    expect(outcome(await world.exec(world.agent, 'notes.add', { title: 'x' }, headers))).toBe('confirm_required');
    expect(outcome(await world.exec(world.agent, 'notes.add', { title: 'x' }))).toBe('runs');
  });
});

describe('the platform', () => {
  it('tightens for every tenant and loosens for none', async () => {
    const document = {
      mode: 'run',
      approvals: 'human',
      rules: [
        { match: 'notes.add', decision: 'deny' },
        { match: 'ledger.transfer', decision: 'allow' },
      ],
    };
    const other = await Api.start(1, { HCP_PLATFORM_ACCESS: JSON.stringify(document) });
    try {
      const tenant = await World.make(other);
      await tenant.settings({ approvals: 'agent' });
      expect(await tenant.exec(tenant.owner, 'notes.add', { title: 'x', confirm: true })).toMatchObject({
        code: 'denied_by_rule',
        error: 'denied by rule notes.add',
      });
      expect(await tenant.transfer(tenant.agent)).toBe('confirm_required');
      expect(outcome(await tenant.exec(tenant.agent, 'notes.delete', { id: 'n-1', confirm: true }))).toBe(
        'confirm_required',
      );
      expect(await tenant.access(tenant.agent)).toMatchObject({
        effective: { mode: { value: 'auto' }, approvals: { value: 'human', layer: 'platform' } },
        ignored: [
          { layer: 'platform', setting: 'mode' },
          { layer: 'platform', setting: 'rules.1' },
        ],
      });
    } finally {
      await other.stop();
    }
  });

  it('does not start with a document that is none, and does not repeat it', () => {
    for (const text of ['{', '{"mode":"canary"}', '{"rules":[{"match":"*"}]}']) {
      const start = () => readEnv({ HCP_PLATFORM_ACCESS: text });
      expect(start).toThrow(/HCP_PLATFORM_ACCESS must be/);
      expect(start).not.toThrow(/canary/);
    }
  });
});

describe('one’s own settings', () => {
  const own = (who: World['member'], body: object) => world.call(who, 'PUT', '/access/mode', { own: true, ...body });

  it('are for nobody unless the tenant sets member_access, and then for that person alone', async () => {
    const remove = async (who: World['member']) => outcome(await world.exec(who, 'notes.delete', { id: 'n-1' }));
    expect(await own(world.member, { mode: 'run' })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    await world.settings({ member_access: true });
    expect((await own(world.member, { mode: 'run' })).status).toBe(200);
    expect((await own(world.owner, { mode: 'run' })).status).toBe(200);
    expect(await remove(world.member)).toBe('runs');
    // The owner's agent has nothing of it.
    expect([await remove(world.owner), await remove(world.agent)]).toEqual(['runs', 'confirm_required']);
    const rule = { match: 'ledger.transfer', decision: 'allow', own: true };
    expect((await world.call(world.member, 'POST', '/access/rules', rule)).status).toBe(201);
    expect([await world.transfer(world.member), await world.transfer(world.owner)]).toEqual([
      'runs',
      'confirm_required',
    ]);
    await world.settings({ member_access: false });
    expect([await remove(world.member), await world.transfer(world.member)]).toEqual([
      'confirm_required',
      'confirm_required',
    ]);
    expect((await world.access(world.member)).ignored).toMatchObject([
      { layer: 'member', setting: 'mode', why: 'the tenant does not set member_access' },
      { layer: 'member', setting: 'rules.0' },
    ]);
  });
});

describe('a new version of a pack', () => {
  const version = (number: string, description: string) =>
    packArchive({
      pack_id: 'shop',
      version: number,
      bin: '#!/bin/sh\n',
      commands: {
        buy: {
          description,
          cli: ['shop', 'buy'],
          preview: { kind: 'payment', title: 'Buy', fields: {} },
          policy: { operation: 'write', confirm: 'always' },
        },
        look: { description: 'Looks.', cli: ['shop', 'look'] },
      },
    });

  it('suspends exact allow rules on commands whose text changed, until the way back', async () => {
    await world.install(await version('1.0.0', 'Buys one apple.'));
    const rule = await world.rule({ match: 'shop.buy', decision: 'allow' });
    await world.rule({ match: 'shop.look', decision: 'allow' });
    const buy = async () => outcome(await world.exec(world.agent, 'shop.buy'));
    expect(await buy()).toBe('runs');
    await world.install(await version('1.1.0', 'Buys one apple.'));
    expect(await buy()).toBe('runs');
    await world.install(await version('2.0.0', 'Buys the orchard.'));
    expect(await buy()).toBe('confirm_required');
    const why = expect.stringContaining('2.0.0') as string;
    const { body } = await world.call<{ items: object[] }>(world.owner, 'GET', '/access/rules');
    expect(body.items).toMatchObject([
      { id: rule.id, suspended: why },
      { match: 'shop.look', suspended: null },
    ]);
    expect((await world.access(world.owner)).ignored).toMatchObject([
      { layer: 'tenant', setting: 'rules.0', rule_id: rule.id, why },
    ]);
    await world.call(world.owner, 'POST', '/packs/shop/activation/rollback', {});
    expect(await buy()).toBe('runs');
    await world.call(world.owner, 'POST', '/packs/shop/activation/rollback', {});
    expect(await buy()).toBe('confirm_required');
    // Who has read the new text says so.
    await world.rule({ match: 'shop.buy', decision: 'allow' });
    expect(await buy()).toBe('runs');
  });
});

describe('POST /v1/access/test', () => {
  it('tells the decision and why, runs and stores nothing, and is audited', async () => {
    const { id } = await world.rule({ match: 'ledger.transfer', decision: 'deny', when: { min: { amount: 100 } } });
    const call = { pack_id: 'ledger', verb_key: 'transfer', args: { amount: '250.00770011', payee: 'demo-transit' } };
    const denied = await world.call(world.agent, 'POST', '/access/test', call);
    expect(denied).toMatchObject({
      status: 200,
      body: { decision: 'deny', code: 'denied_by_rule', layer: 'tenant', rule: { id, match: 'ledger.transfer' } },
    });
    const asked = await world.call(world.agent, 'POST', '/access/test', {
      ...call,
      args: { ...call.args, amount: '1' },
    });
    expect(asked.body).toMatchObject({ decision: 'ask', access: { reason_code: 'confirm_always' }, rule: null });
    const allowed = await world.call(world.agent, 'POST', '/access/test', { pack_id: 'ledger', verb_key: 'balance' });
    expect(allowed.body).toMatchObject({ decision: 'allow', approved_by: 'mode', mode: 'auto', layer: 'default' });
    const rows = await world.api.database.db.tenant(world.tenant_id, async (tx) => ({
      runs: await tx.run.count(),
      events: await tx.auditEvent.findMany({ where: { action: 'access.test' }, orderBy: { seq: 'asc' } }),
    }));
    expect(rows.runs).toBe(0);
    expect(rows.events).toMatchObject([
      { decision: 'deny', verb_key: 'transfer', ran: false },
      { decision: 'ask' },
      { decision: 'allow', operation: 'read' },
    ]);
    expect(JSON.stringify(rows.events, (_, value: unknown) => (typeof value === 'bigint' ? '0' : value))).not.toContain(
      '250.0077',
    );
    expect(await world.call(world.agent, 'POST', '/access/test', { pack_id: 'x' })).toMatchObject({ status: 400 });
  });
});
