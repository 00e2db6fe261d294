import { randomUUID } from 'node:crypto';
import { makeGrant, makeProject } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Api } from '../api/auth-harness.js';
import { World, type Who } from './world.js';

/** Who changes access, and what is refused by field (SPEC A3, A8), through the real API. */

let api: Api;
let world: World;

beforeAll(async () => {
  api = await Api.start();
}, 120_000);
afterAll(() => api.stop());
beforeEach(async () => {
  world = await World.make(api);
});

const changes = (): [method: string, path: string, body?: object][] => [
  ['PUT', '/access/mode', { mode: 'run' }],
  ['PUT', '/access/mode', { mode: 'run', own: true }],
  ['PUT', '/access/settings', { approvals: 'agent' }],
  ['POST', '/access/rules', { match: '*', decision: 'allow' }],
  ['PUT', `/projects/${world.project_id}/access`, {}],
  ['DELETE', `/access/rules/${randomUUID()}`],
];
const stored = () =>
  api.database.db.tenant(world.tenant_id, async (tx) => ({
    settings: await tx.accessSettings.count(),
    rules: await tx.accessRule.count(),
  }));

describe('access', () => {
  it('is changed by people alone: no agent, no service, no call marked as an agent’s, no key of a person', async () => {
    await world.settings({ member_access: true });
    const { key } = await api.key(world.tenant_id, world.owner.id);
    const machines: [Who, Record<string, string>?][] = [
      [world.agent],
      [world.service],
      [world.owner, { 'hcp-agent': '1' }],
      [{ id: world.owner.id, token: key }],
    ];
    for (const [who, headers] of machines) {
      for (const [method, path, body] of changes()) {
        const answer = await world.call(who, method, path, body, headers);
        expect(answer, `${method} ${path}`).toMatchObject({ status: 403, body: { code: 'human_only' } });
      }
    }
    expect(await stored()).toEqual({ settings: 1, rules: 0 });
  });

  it('is changed by who manages it, there', async () => {
    for (const [method, path, body] of changes()) {
      if (method === 'DELETE' || (body && 'own' in body)) continue;
      const answer = await world.call(world.member, method, path, body);
      expect(answer, `${method} ${path}`).toMatchObject({ status: 403, body: { code: 'missing_capability' } });
    }
    const other = (await makeProject(api.database.db, world.tenant_id)).id;
    await makeGrant(api.database.db, world.tenant_id, world.member.id, 'access.manage', {
      project_id: world.project_id,
    });
    const put = (id: string) => world.call(world.member, 'PUT', `/projects/${id}/access`, { mode: 'manual' });
    expect((await put(world.project_id)).status).toBe(200);
    expect(await put(other)).toMatchObject({ status: 403, body: { code: 'missing_capability' } });
    expect(await put(randomUUID())).toMatchObject({ status: 403, body: { code: 'missing_capability' } });
    const rule = { match: '*', decision: 'deny' };
    const write = (more: object) => world.call(world.member, 'POST', '/access/rules', { ...rule, ...more });
    expect((await write({ project_id: world.project_id })).status).toBe(201);
    expect((await write({})).status).toBe(403);
    const tenants = await world.rule({ match: '*', decision: 'ask' });
    expect((await world.call(world.member, 'DELETE', `/access/rules/${tenants.id}`)).status).toBe(403);
  });

  it('moves the epoch and leaves an event with names and without values, for every change', async () => {
    const seen = new Set<bigint>([await world.epoch()]);
    const moved = async (): Promise<void> => {
      const now = await world.epoch();
      expect(seen.has(now)).toBe(false);
      seen.add(now);
    };
    await world.mode('run', { pack_id: 'transit' });
    await moved();
    await world.mode('run', { session_id: String(await sessionOf(world.owner)) });
    await moved();
    await world.settings({ approvals: 'agent', second_person: true });
    await moved();
    const when = { args: { payee: 'canary-payee' }, max: { amount: 918273645 } };
    const { id } = await world.rule({ match: 'ledger.transfer', decision: 'allow', when });
    await moved();
    await world.call(world.owner, 'DELETE', `/access/rules/${id}`);
    await moved();
    const rules = [{ match: 'ledger.transfer', decision: 'deny', when }];
    await world.call(world.owner, 'PUT', `/projects/${world.project_id}/access`, { rules });
    await moved();
    const { body } = await world.call<{ items: { action: string; details: object | null }[] }>(
      world.owner,
      'GET',
      '/audit?limit=10',
    );
    expect(body.items.slice(0, 6).map(({ action }) => action)).toEqual([
      'access.project_settings',
      'access.rule_delete',
      'access.rule_create',
      'access.settings',
      'access.set_max_mode',
      'access.set_mode',
    ]);
    expect(body.items[2]?.details).toMatchObject({ match: 'ledger.transfer', conditions: ['payee', 'amount'] });
    expect(JSON.stringify(body)).not.toMatch(/canary-payee|918273645/);
  });

  const sessionOf = async (who: Who) => ((await world.call(who, 'GET', '/me')).body.session as { id: string }).id;
});

describe('what is malformed', () => {
  it.each<[what: string, method: string, path: string, body: object, at: string]>([
    ['an unknown mode', 'PUT', '/access/mode', { mode: 'yolo' }, '/mode'],
    ['no mode', 'PUT', '/access/mode', {}, '/mode'],
    ['a mode of a pack that is none', 'PUT', '/access/mode', { mode: 'run', pack_id: '*' }, '/pack_id'],
    ['one’s own mode for a pack', 'PUT', '/access/mode', { mode: 'run', own: true, pack_id: 'ledger' }, '/pack_id'],
    ['an unknown setting', 'PUT', '/access/settings', { approvals: 'agent', confirm: false }, '/confirm'],
    ['too many approvers', 'PUT', '/access/settings', { second_person: true, approvers: 6 }, '/approvers'],
    ['approvals of nobody', 'PUT', '/access/settings', { approvals: 'nobody' }, '/approvals'],
    ['a mode in the approval settings', 'PUT', '/access/settings', { mode: 'run' }, '/mode'],
    ['an unknown decision', 'POST', '/access/rules', { match: '*', decision: 'maybe' }, '/decision'],
    ['a match that is none', 'POST', '/access/rules', { match: 'ledger.tr*', decision: 'ask' }, '/match'],
    ['a command that is none', 'POST', '/access/rules', { match: 'ledger.transfr', decision: 'deny' }, '/match'],
    ['an exact allow of nothing', 'POST', '/access/rules', { match: 'gh.merge', decision: 'allow' }, '/match'],
    [
      'an argument that the command has not got',
      'POST',
      '/access/rules',
      { match: 'ledger.transfer', decision: 'allow', when: { max: { amout: 5 } } },
      '/when/max/amout',
    ],
    [
      'a limit that is no number',
      'POST',
      '/access/rules',
      { match: 'ledger.transfer', decision: 'allow', when: { max: { amount: '5' } } },
      '/when/max/amount',
    ],
    ['an empty condition', 'POST', '/access/rules', { match: '*', decision: 'allow', when: {} }, '/when'],
    ['a note with a NUL', 'POST', '/access/rules', { match: '*', decision: 'deny', note: 'a\0b' }, '/note'],
  ])('%s is refused by field, and nothing is saved', async (_what, method, path, body, at) => {
    const answer = await world.call(world.owner, method, path, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_request' });
    expect((answer.body.errors as { path: string }[]).map((error) => error.path)).toContain(at);
    expect(await stored()).toEqual({ settings: 0, rules: 0 });
  });

  it('a setting of approvals is taken away by null, and what is left out stays', async () => {
    const set = async (body: object) => (await world.call(world.owner, 'PUT', '/access/settings', body)).body;
    const narrower = { packs: { ledger: { approvers: 3 } } };
    await set({ second_person: true, approvers: 2, pending_ttl_s: 60, narrower });
    expect(await set({ second_person: null, pending_ttl_s: null, narrower: null })).toMatchObject({
      effective: {
        second_person: { value: false, layer: 'default' },
        approvers: { value: 2, layer: 'tenant' },
        pending_ttl_s: { value: 900, layer: 'default' },
      },
    });
    const rows = await api.database.db.tenant(world.tenant_id, (tx) => tx.accessSettings.findMany());
    expect(rows.map(({ settings }) => settings)).toEqual([{ approvers: 2 }]);
  });

  it('one bad rule of a project’s document is refused by its place, and nothing of the document is saved', async () => {
    const rules = [
      { match: 'notes.delete', decision: 'deny' },
      { match: 'ledger.transfer', decision: 'ask', when: { min: { amout: 1 } } },
    ];
    const answer = await world.call(world.owner, 'PUT', `/projects/${world.project_id}/access`, {
      mode: 'manual',
      rules,
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/rules/1/when/min/amout', message: 'ledger.transfer has no argument amout' }] },
    });
    expect(await stored()).toEqual({ settings: 0, rules: 0 });
  });

  it('a deny with max, and a pack that is not there yet, are saved with a warning', async () => {
    const write = async (rule: object) => (await world.call(world.owner, 'POST', '/access/rules', rule)).body;
    expect(await write({ match: 'ledger.transfer', decision: 'deny', when: { max: { amount: 5 } } })).toMatchObject({
      warnings: [{ path: '/when/max/amount', message: expect.stringContaining('min') as string }],
    });
    expect(await write({ match: 'gh.*', decision: 'ask' })).toMatchObject({ warnings: [{ path: '/match' }] });
  });
});

describe('the list of rules', () => {
  it('shows what can decide about the caller’s calls, page by page', async () => {
    await world.rule({ match: 'ledger.*', decision: 'ask' });
    await world.rule({ match: 'notes.*', decision: 'ask', project_id: world.project_id });
    const other = (await makeProject(api.database.db, world.tenant_id)).id;
    await world.rule({ match: 'transit.*', decision: 'ask', project_id: other });
    const matches = async (who: Who, query = '', headers?: Record<string, string>) => {
      const { body } = await world.call<{ items: { match: string }[] }>(
        who,
        'GET',
        `/access/rules${query}`,
        undefined,
        headers,
      );
      return body.items.map(({ match }) => match);
    };
    expect(await matches(world.owner)).toEqual(['ledger.*', 'notes.*', 'transit.*']);
    expect(await matches(world.member)).toEqual(['ledger.*', 'notes.*']);
    expect(await matches(world.owner, `?project_id=${other}`)).toEqual(['ledger.*', 'transit.*']);
    const hidden = await world.call(world.member, 'GET', `/access/rules?project_id=${other}`);
    expect(hidden).toMatchObject({ status: 404 });
    const narrow = await world.call(world.member, 'POST', '/sessions', { packs: ['notes'] });
    expect(await matches(world.member, '', { 'hcp-session': String(narrow.body.id) })).toEqual(['notes.*']);
    const first = await world.call(world.owner, 'GET', '/access/rules?limit=2');
    expect(first.body.items).toHaveLength(2);
    expect(await matches(world.owner, `?cursor=${String(first.body.next_cursor)}`)).toEqual(['transit.*']);
  });

  it('keeps one’s own from everybody else', async () => {
    await world.settings({ member_access: true });
    const mine = { match: 'notes.*', decision: 'allow', own: true };
    const { body } = await world.call(world.member, 'POST', '/access/rules', mine);
    expect(body).toMatchObject({ scope: 'member' });
    expect((await world.call<{ items: object[] }>(world.owner, 'GET', '/access/rules')).body.items).toEqual([]);
    expect((await world.call(world.owner, 'DELETE', `/access/rules/${String(body.id)}`)).status).toBe(404);
    expect((await world.call(world.member, 'DELETE', `/access/rules/${String(body.id)}`)).status).toBe(204);
  });
});

describe('two changes at once', () => {
  it('do not undo each other', async () => {
    const packs = ['ledger', 'notes', 'transit'];
    await Promise.all(packs.map((pack_id) => world.mode('manual', { pack_id })));
    await Promise.all([world.settings({ approvers: 2 }), world.settings({ reason_required: true })]);
    const { effective } = await world.access(world.owner);
    expect(Object.keys(effective.packs).sort()).toEqual(packs);
    expect(effective).toMatchObject({ approvers: { value: 2 }, reason_required: { value: true } });
  });
});
