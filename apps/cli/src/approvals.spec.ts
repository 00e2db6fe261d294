import { describe, expect, it } from 'vitest';
import { AT, hcpx, ID, problem, startApi, tempDir, type Handlers } from './testing/harness.js';

const card = {
  pack_id: 'ledger',
  pack_name: 'Ledger',
  pack_version: '1.0.0',
  command: 'transfer',
  summary: 'Pay a saved payee. Refused until a person confirms the amount and payee.',
  operation: 'write',
  confirm: 'always',
  args: [
    { name: 'amount', value: '2.80' },
    { name: 'payee', value: 'demo-transit', description: 'A saved payee.' },
  ],
  cli: 'ledger transfer 2.80 --to demo-transit --confirm',
  reason: 'Policy confirm "always": every mode asks',
  reason_code: 'confirm_always',
  mode: 'auto',
  approvals: 'human',
  view: {
    kind: 'payment',
    title: 'Pay demo-transit',
    fields: [
      { name: 'amount', value: '2.80' },
      { name: 'currency', value: 'EUR' },
      { name: 'to', value: 'demo-transit' },
      { name: 'from', value: 'Demo account DEMO-0001' },
    ],
    rest: [],
    signals: [{ id: 'moves_money', text: 'Moves money' }],
    sources: { amount: ['amount'], to: ['payee'] },
    complete: true,
  },
  options: [{ kind: 'allow_once' }, { kind: 'deny' }],
};

/** The protocol's own words. */
const SHOWN = `Ledger · Pay a saved payee. Refused until a person confirms the amount and payee.

Pay demo-transit
· Moves money
  amount    2.80
  currency  EUR
  to        demo-transit
  from      Demo account DEMO-0001

  $ ledger transfer 2.80 --to demo-transit --confirm
`;

const approval = (more: object = {}): object => ({
  id: ID,
  state: 'pending',
  pack_id: 'ledger',
  pack_version: '1.0.0',
  verb_key: 'transfer',
  operation: 'write',
  project_id: null,
  principal_id: ID,
  principal_kind: 'agent',
  principal_name: 'reporter',
  client_name: null,
  acts_for: ID,
  acts_for_name: 'Ada',
  created_at: AT,
  pending_expires_at: AT,
  approved_at: null,
  use_expires_at: null,
  run_on_approve: false,
  run_id: null,
  approvers: 1,
  second_person: false,
  reason_required: false,
  decisions: [],
  reason_code: 'confirm_always',
  mode: 'auto',
  arg_names: ['amount', 'payee'],
  card,
  erased_at: null,
  card_digest: 'hmac-sha256:card',
  ...more,
});

async function setup(handlers: Handlers = {}) {
  const home = await tempDir();
  const api = await startApi({
    'GET /v1/approvals': () => ({ json: { items: [approval()], next_cursor: null } }),
    [`GET /v1/approvals/${ID}`]: () => ({ json: approval() }),
    [`POST /v1/approvals/${ID}/approve`]: () => ({ json: approval({ state: 'approved', use_expires_at: AT }) }),
    [`POST /v1/approvals/${ID}/reject`]: () => ({ json: approval({ state: 'rejected' }) }),
    ...handlers,
  });
  const vars = { HCP_URL: api.url, HCP_TOKEN: 'token' };
  const sent = (): unknown[] =>
    api.calls.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(String(body)) as unknown);
  return { home, vars, api, sent };
}

describe('hcpx preview', () => {
  const answer = (more: object) => ({
    code: null,
    error: null,
    hint: null,
    access: null,
    preview: null,
    card,
    ...more,
  });

  it('shows the card as the protocol writes it, and asks nothing', async () => {
    const { home, vars, sent } = await setup({
      'POST /v1/exec/preview': () => ({ json: answer({ decision: 'ask', code: 'confirm_required' }) }),
    });
    const words = ['preview', 'ledger', 'transfer', '--', 'amount=2.80', 'payee=demo-transit'];
    expect(await hcpx(words, { home, vars })).toEqual({ code: 0, out: SHOWN, err: '' });
    expect(sent()).toEqual([
      { pack_id: 'ledger', verb_key: 'transfer', args: { amount: '2.80', payee: 'demo-transit' } },
    ]);
  });

  it('says why a call is refused', async () => {
    const refused = {
      decision: 'deny',
      code: 'denied_by_rule',
      error: 'denied by rule *',
      hint: 'Stop here.',
      card: null,
    };
    const { home, vars } = await setup({ 'POST /v1/exec/preview': () => ({ json: answer(refused) }) });
    const done = await hcpx(['preview', 'ledger', 'transfer'], { home, vars });
    expect(done).toEqual({ code: 4, out: '', err: 'denied_by_rule: denied by rule *\nwhat to do: Stop here.\n' });
  });

  it('shows what cannot be seen, and cut values whole', async () => {
    const memo = `a\u202e\u001b[31m${'b'.repeat(900)}`;
    const view = {
      ...card.view,
      rest: [{ name: 'memo', value: `${memo.slice(0, 600)}…`, cut: true }],
      complete: false,
    };
    const long = { ...card, args: [{ name: 'memo', value: memo }], view };
    const { home, vars } = await setup({
      'POST /v1/exec/preview': () => ({ json: answer({ decision: 'ask', card: long }) }),
    });
    const { out } = await hcpx(['preview', 'ledger', 'transfer'], { home, vars, terminal: true });
    expect(out).not.toMatch(/\u202e/);
    expect(out).not.toContain('\u001b[31mb');
    expect(out).toContain(`${'b'.repeat(900)}\n`);
  });
});

describe('hcpx approvals', () => {
  it('lists what waits for a person', async () => {
    const { home, vars, api } = await setup();
    const { code, out } = await hcpx(['approvals'], { home, vars });
    expect({ code, out }).toEqual({
      code: 0,
      out: `${ID}\tpending\tledger.transfer\tPay demo-transit: 2.80 EUR\tagent reporter, for Ada\t${AT}\n`,
    });
    expect(api.calls[0]?.url).toBe('/v1/approvals?state=pending');
    await hcpx(['approvals', '--state', 'all', '--json'], { home, vars });
    expect(api.calls[1]?.url).toBe('/v1/approvals');
  });
});

describe('hcpx approvals list', () => {
  it('tells plain commands apart by their command lines, and names an OAuth client', async () => {
    const view = { ...card.view, kind: 'command', title: 'Run jq', fields: [] };
    const plain = approval({
      principal_name: 'Ada',
      client_name: 'Claude',
      acts_for: null,
      acts_for_name: null,
      card: { ...card, view, cli: `jq ${'.a'.repeat(60)}` },
    });
    const { home, vars } = await setup({
      'GET /v1/approvals': () => ({ json: { items: [plain], next_cursor: null } }),
    });
    const { out } = await hcpx(['approvals'], { home, vars });
    expect(out).toContain(`\tRun jq: jq ${'.a'.repeat(28)}…\tClaude, for Ada\t`);
  });
});

describe('hcpx approvals show', () => {
  it('tells what a request was about whose card is gone', async () => {
    const gone = approval({ state: 'rejected', card: null, card_digest: null, erased_at: AT });
    const { home, vars } = await setup({ [`GET /v1/approvals/${ID}`]: () => ({ json: gone }) });
    const { out } = await hcpx(['approvals', 'show', ID], { home, vars });
    for (const text of ['ledger.transfer', 'amount, payee', `erased ${AT}`, 'confirm_always'])
      expect(out).toContain(text);
  });
});

describe('hcpx approve', () => {
  it('shows the card first, and says yes to that very card', async () => {
    const { home, vars, api, sent } = await setup();
    const done = await hcpx(['approve', ID, '--reason', 'fares'], { home, vars });
    expect(done.code).toBe(0);
    expect(done.out.startsWith(`${SHOWN}\n`)).toBe(true);
    expect(done.out).toMatch(/asked by +agent reporter, for Ada\n/);
    expect(done.out).toMatch(/why +Policy confirm "always": every mode asks\n/);
    expect(done.err).toContain('one run of exactly this');
    expect(api.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET /v1/approvals/${ID}?full=1`,
      `POST /v1/approvals/${ID}/approve`,
    ]);
    expect(sent()).toEqual([{ card_digest: 'hmac-sha256:card', reason: 'fares' }]);
  });

  it('asks a person at a terminal, and takes anything but yes for not now', async () => {
    const { home, vars, sent } = await setup();
    for (const answer of ['', 'n', 'yesno']) {
      const done = await hcpx(['approve', ID], { home, vars, answers: [answer] });
      expect(done).toMatchObject({ code: 1 });
      expect(done.err).toContain(`hcpx reject ${ID}`);
    }
    expect(sent()).toEqual([]);
    expect(await hcpx(['approve', ID], { home, vars, answers: ['y'] })).toMatchObject({ code: 0 });
    expect(await hcpx(['approve', ID, '--yes'], { home, vars, answers: [''] })).toMatchObject({ code: 0 });
    expect(sent()).toHaveLength(2);
  });

  it('says that a yes for the session is not offered, and names --reason where one is wanted', async () => {
    const errors = [{ path: '/reason', message: 'is required here' }];
    const { home, vars, sent } = await setup({
      [`POST /v1/approvals/${ID}/approve`]: () => problem(400, 'invalid_request', { detail: 'invalid', errors }),
    });
    const session = await hcpx(['approve', ID, '--for-session'], { home, vars });
    expect(session).toMatchObject({ code: 2 });
    expect(session.err).toContain(`Leave it out: hcpx approve ${ID} says yes once.`);
    expect(sent()).toEqual([]);
    expect((await hcpx(['approve', ID], { home, vars })).err).toContain('  --reason is required here\n');
  });

  it('tells a second yes of the same person from a first', async () => {
    const said = {
      principal_id: ID,
      principal_name: 'Ada',
      decision: 'approve',
      option: 'allow_once',
      reason: null,
      at: AT,
    };
    const twice = { json: approval({ approvers: 2, decisions: [said] }) };
    const before: Handlers = { [`GET /v1/approvals/${ID}`]: () => twice };
    const after: Handlers = { [`POST /v1/approvals/${ID}/approve`]: () => twice };
    const first = await setup(after);
    expect((await hcpx(['approve', ID], first)).err).toContain('your yes counts; 1 of 2 so far');
    const second = await setup({ ...before, ...after });
    const { out, err } = await hcpx(['approve', ID], second);
    expect(err).toContain('you said yes before; 1 of 2 so far, another person has to');
    expect(out).toMatch(/said +yes by Ada\n/);
  });

  it.each([
    ['approve', 'approve'],
    ['reject', 'reject'],
  ])('%s is for people: inside an agent nothing is even asked', async (word) => {
    const { home, vars, api } = await setup();
    const done = await hcpx([word, ID, '--json'], { home, vars: { ...vars, HCP_AGENT: '1' } });
    expect(done.code).toBe(4);
    expect(JSON.parse(done.out)).toMatchObject({ ok: false, code: 'human_only' });
    expect(api.calls).toEqual([]);
  });

  it('exits as denied where a second person has to', async () => {
    const { home, vars } = await setup({
      [`POST /v1/approvals/${ID}/approve`]: () => problem(403, 'forbidden', { detail: 'a second person has to' }),
    });
    expect(await hcpx(['approve', ID], { home, vars })).toMatchObject({ code: 4 });
  });
});

describe('hcpx reject', () => {
  it('says no', async () => {
    const { home, vars, sent } = await setup();
    expect(await hcpx(['reject', ID], { home, vars })).toMatchObject({ code: 0, err: `approval ${ID} is rejected\n` });
    expect(sent()).toEqual([{}]);
  });
});
