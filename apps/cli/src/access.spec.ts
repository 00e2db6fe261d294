import { describe, expect, it } from 'vitest';
import { AT, hcpx, ID, problem, startApi, tempDir, type Call, type Handlers } from './testing/harness.js';

const rule = (match: string, more: object = {}) => ({
  ...{ id: ID, scope: 'tenant', project_id: null, match, decision: 'allow', suspended: null },
  ...{ created_by: ID, created_at: AT },
  ...more,
});
const from = (value: unknown, layer = 'default') => ({ value, layer });
const access = (more: object = {}) => ({
  effective: {
    mode: from('auto'),
    packs: { transit: { mode: from('run', 'pack') } },
    ...{ max_mode: from(null), approvals: from('human'), second_person: from(false), approvers: from(1) },
    ...{ reason_required: from(false), pending_ttl_s: from(900), member_access: from(false) },
  },
  layers: [],
  ignored: [{ layer: 'process', setting: 'mode', why: 'no person let it' }],
  ...more,
});

async function run(words: string[], handlers: Handlers, vars: Record<string, string> = {}) {
  const { url, calls } = await startApi(handlers);
  const result = await hcpx(words, { home: await tempDir(), vars: { HCP_URL: url, HCP_TOKEN: 't', ...vars } });
  return { ...result, calls };
}
const bodyOf = (call: Call | undefined): unknown => JSON.parse(String(call?.body));

describe('hcpx allow, ask, deny', () => {
  it('write a rule with conditions, and show warnings', async () => {
    const made = { ...rule('ledger.transfer'), warnings: [{ path: '/match', message: 'beware' }] };
    const { code, err, calls } = await run(
      ['allow', 'ledger.transfer', '--when', 'payee=a=b', '--when', 'memo=', '--max', 'amount=5.50', '--own'],
      { 'POST /v1/access/rules': () => ({ status: 201, json: made }) },
    );
    expect(code).toBe(0);
    expect(err).toContain('warning: /match beware');
    expect(bodyOf(calls[0])).toEqual({
      ...{ match: 'ledger.transfer', decision: 'allow', own: true },
      when: { args: { payee: 'a=b', memo: '' }, max: { amount: 5.5 } },
    });
  });

  it.each([
    [['--max', 'amount']],
    [['--max', 'amount=']],
    [['--max', 'amount=5e1']],
    [['--min', 'amount=0x5']],
    [['--max', 'amount=9007199254740993']],
    [['--when', '=x']],
    [['--when', 'a=1', '--when', 'a=2']],
    [['--op', 'delete']],
  ])('take no %j', async (options) => {
    const { code, calls } = await run(['deny', '*', ...options], {});
    expect(code).toBe(2);
    expect(calls).toEqual([]);
  });
});

describe('hcpx rules', () => {
  const handlers: Handlers = {
    'GET /v1/access/rules': ({ url }) =>
      url.includes('cursor')
        ? { json: { items: [rule('b.*', { when: { min: { n: 1 } }, op: 'write' })], next_cursor: null } }
        : { json: { items: [rule('a.*', { suspended: 'its text is another' })], next_cursor: 'more' } },
    [`DELETE /v1/access/rules/${ID}`]: () => ({}),
  };

  it('shows index, scope and id over all pages, as lines and as JSON', async () => {
    const { out } = await run(['rules'], handlers);
    expect(
      out
        .split('\n')
        .slice(0, 2)
        .map((line) => line.split('\t')),
    ).toEqual([
      ['0', 'tenant', ID, 'allow', 'a.*', '', '', 'its text is another'],
      ['1', 'tenant', ID, 'allow', 'b.*', 'op=write n>=1', '', ''],
    ]);
    expect(JSON.parse((await run(['rules', '--json'], handlers)).out)).toMatchObject([{ index: 0 }, { index: 1 }]);
  });

  it('deletes by index of the list or by id', async () => {
    const by_index = await run(['rules', 'rm', '1'], handlers);
    expect(by_index.calls.at(-1)?.method).toBe('DELETE');
    expect(by_index.err).toBe(`rule ${ID} is gone: tenant, allow b.* when op=write n>=1\n`);
    const by_id = await run(['rules', 'rm', ID], handlers);
    expect(by_id.calls.at(-1)?.method).toBe('DELETE');
    expect(by_id.err).toContain('allow a.*');
    expect((await run(['rules', 'rm', '2'], handlers)).code).toBe(1);
  });
});

describe('hcpx mode and access', () => {
  const handlers: Handlers = {
    'GET /v1/access': () => ({ json: access() }),
    'PUT /v1/access/mode': () => ({ json: access() }),
  };

  it('shows the mode, where it comes from and what is ignored', async () => {
    const { out, err, calls } = await run(['mode'], handlers, { HCP_MODE: 'run' });
    expect(out).toBe('auto (default)\ntransit: run (pack)\n');
    expect(err).toContain('no person let it');
    expect(calls[0]?.headers['hcp-mode']).toBe('run');
    expect((await run(['mode', '--pack', 'transit'], handlers)).out).toBe('run (pack)\n');
    expect((await run(['mode', '--pack', 'notes'], handlers)).out).toBe('auto (default)\n');
  });

  it.each([
    [['mode', 'manual'], { mode: 'manual' }],
    [['mode', 'run', '--pack', 'transit'], { mode: 'run', pack_id: 'transit' }],
    [['mode', 'default', '--project', ID], { mode: null, project_id: ID }],
    [['mode', 'run', '--for-key', ID], { mode: 'run', api_key_id: ID }],
    [['mode', 'run', '--for-session', ID], { mode: 'run', session_id: ID }],
    [['mode', 'run', '--own'], { mode: 'run', own: true }],
  ])('%j sets it', async (words, body) => {
    const { code, calls } = await run(words, handlers);
    expect(code).toBe(0);
    expect(bodyOf(calls[0])).toEqual(body);
  });

  it('warns where nothing is seen of the pack', async () => {
    const none = { ...handlers, 'GET /v1/commands': () => ({ json: { items: [], next_cursor: null } }) };
    const done = await run(['mode', 'run', '--pack', 'nosuch'], none);
    expect(done.code).toBe(0);
    expect(done.err).toContain('warning: you see no pack nosuch here');
    expect((await run(['mode', 'default', '--pack', 'nosuch'], none)).err).not.toContain('warning');
  });

  it('takes no word that is no mode, from the line or the environment', async () => {
    expect((await run(['mode', 'fast'], handlers)).code).toBe(2);
    const env = await run(['mode'], handlers, { HCP_MODE: 'fast' });
    expect(env).toMatchObject({ code: 2, calls: [] });
  });

  it('says whose yes counts in this process, and takes no other word for it', async () => {
    const { calls } = await run(['mode'], handlers, { HCP_APPROVALS: 'human' });
    expect(calls[0]?.headers['hcp-approvals']).toBe('human');
    const wrong = await run(['mode'], handlers, { HCP_APPROVALS: 'people' });
    expect(wrong).toMatchObject({ code: 2, calls: [] });
  });

  it('lists each setting with its layer, and what is ignored', async () => {
    const { out } = await run(['access'], handlers);
    expect(out).toContain('mode\tauto\tdefault');
    expect(out).toContain('packs.transit.mode\trun\tpack');
    expect(out).toContain('process\tmode\tno person let it');
  });

  it.each([
    ['mode', 'run'],
    ['allow', 'a.b'],
    ['ask', 'a.*'],
    ['deny', '*'],
    ['rules', 'rm', '0'],
  ])('inside an agent nothing is even asked: %s %s', async (...words) => {
    const { code, out, calls } = await run([...words, '--json'], handlers, { HCP_AGENT: '1' });
    expect(code).toBe(4);
    expect(JSON.parse(out)).toMatchObject({ ok: false, code: 'human_only' });
    expect(calls).toEqual([]);
  });

  it('says that the API lets people alone', async () => {
    const { code } = await run(['mode', 'run'], { 'PUT /v1/access/mode': () => problem(403, 'human_only') });
    expect(code).toBe(4);
  });

  it('shows an agent what is in force', async () => {
    expect((await run(['mode'], handlers, { HCP_AGENT: '1' })).code).toBe(0);
  });
});

describe('hcpx access set and unset', () => {
  const handlers: Handlers = { 'PUT /v1/access/settings': () => ({ json: access() }) };

  it('send what is given, each by its kind, and show what is in force', async () => {
    const narrower = { packs: { ledger: { approvers: 2 } } };
    const words = ['second_person=true', 'approvers=2', 'approvals=agent', `narrower=${JSON.stringify(narrower)}`];
    const { code, err, calls } = await run(['access', 'set', ...words], handlers);
    expect(code).toBe(0);
    expect(bodyOf(calls[0])).toEqual({ second_person: true, approvers: 2, approvals: 'agent', narrower });
    expect(err).toContain('approvers: 1 (default)');
    const unset = await run(['access', 'unset', 'second_person', 'narrower', '--json'], handlers);
    expect(bodyOf(unset.calls[0])).toEqual({ second_person: null, narrower: null });
    expect(JSON.parse(unset.out)).toEqual(access());
  });

  it.each([
    [['set', 'second_person']],
    [['set', 'second_person=yes']],
    [['set', 'approvers=2.5']],
    [['set', 'approvers=1', 'approvers=2']],
    [['set', 'narrower={']],
    [['set', 'mode=run']],
    [['set']],
    [['unset', 'toString']],
  ])('take no %j, and ask nothing of the API', async (words) => {
    const { code, calls } = await run(['access', ...words], handlers);
    expect(code).toBe(2);
    expect(calls).toEqual([]);
  });

  it('are for people', async () => {
    const { code, calls } = await run(['access', 'unset', 'approvers'], handlers, { HCP_AGENT: '1' });
    expect(code).toBe(4);
    expect(calls).toEqual([]);
  });
});
