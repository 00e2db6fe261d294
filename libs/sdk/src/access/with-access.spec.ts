import { describe, expect, it } from 'vitest';
import { makeTransferPack } from '../../spec/packs.js';
import {
  ApprovalBook,
  Hcp,
  HcpError,
  MemoryRecords,
  withAccess,
  type AccessOptions,
  type AuditEvent,
  type ExecEnvelope,
  type HostPack,
  type Runtime,
} from '../browser.js';

const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string;
const FARE = { amount: '2.80', payee: 'demo-transit' };

/** A proprietary driver that says what it was given. */
function driver(change: Partial<Runtime> = {}) {
  const ran: ExecEnvelope[] = [];
  const runtime: Runtime = {
    name: 'mine',
    packs: () => [makeTransferPack()],
    exec: async (envelope) => {
      ran.push(envelope);
      const { pack_id, verb_key } = envelope;
      return { ok: true, pack_id, verb_key, result: { done: true }, run_id: null, duration_ms: 1, exit_code: 0 };
    },
    ...change,
  };
  return { ran, runtime };
}

async function made(options: AccessOptions = {}, change: Partial<Runtime> = {}) {
  const { ran, runtime } = driver(change);
  const events: AuditEvent[] = [];
  const hcp = await Hcp.create({ runtime, audit: (event) => void events.push(event), ...options });
  return { hcp, ran, events };
}

describe('the protocol’s example', () => {
  it('asks, shows the card, and runs once a person pressed Approve', async () => {
    const { hcp, ran, events } = await made({ access: { mode: 'auto', approvals: 'human' } });
    const asked = await hcp.exec('ledger', 'transfer', FARE);
    expect(asked).toMatchObject({
      ok: false,
      code: 'confirm_required',
      access: { mode: 'auto', reason_code: 'confirm_always', approvals: 'human' },
      preview: { cli: 'ledger transfer 2.80 --to demo-transit --confirm' },
      approval: {
        pack_name: 'Ledger',
        command: 'transfer',
        operation: 'write',
        confirm: 'always',
        args: [{ name: 'amount', value: '2.80', description: 'Euros.' }, { name: 'payee' }],
        view: { kind: 'payment', signals: [{ text: 'Moves money' }] },
        options: [{ kind: 'allow_once' }, { kind: 'deny' }],
      },
    });
    expect(asked.approval).not.toHaveProperty('approval_id');
    expect(ran).toEqual([]);
    const approval = { by: 'human', id: 'ui-1' } as const;
    expect(await hcp.exec('ledger', 'transfer', FARE, { approval })).toMatchObject({ ok: true, approval_id: 'ui-1' });
    expect(ran).toEqual([{ pack_id: 'ledger', verb_key: 'transfer', args: FARE }]);
    expect(
      events.map(({ action, decision, approved_by, approval_id, ran: did }) => [
        action,
        decision,
        approved_by,
        approval_id,
        did,
      ]),
    ).toEqual([
      ['exec.decision', 'ask', null, null, false],
      ['exec.decision', 'allow', 'human', 'ui-1', false],
      ['exec.completion', 'allow', 'human', 'ui-1', true],
    ]);
  });

  it('takes each yes of the host for one run', async () => {
    const { hcp, ran } = await made({ access: {} });
    const approval = { by: 'human', id: 'ui-1' } as const;
    const answers = await Promise.all([1, 2, 3].map(() => hcp.exec('ledger', 'transfer', FARE, { approval })));
    expect(answers.map(({ ok }) => ok).sort()).toEqual([false, false, true]);
    expect(ran).toHaveLength(1);
  });

  it('wraps a driver in one line', async () => {
    const { runtime, ran } = driver();
    const wrapped = withAccess(runtime, { access: { rules: [{ match: '*', decision: 'deny', op: 'write' }] } });
    expect(await wrapped.exec({ pack_id: 'ledger', verb_key: 'transfer', args: FARE })).toMatchObject({
      code: 'denied_by_rule',
      error: 'denied by rule *',
    });
    expect(await wrapped.exec({ pack_id: 'ledger', verb_key: 'balance', args: {} })).toMatchObject({ ok: true });
    expect(ran.map(({ verb_key }) => verb_key)).toEqual(['balance']);
  });

  it('does not let an agent say yes for a person', async () => {
    const { hcp } = await made({ access: {}, principal: { id: 'a', kind: 'agent' } });
    expect(await hcp.exec('ledger', 'transfer', { ...FARE, confirm: true })).toMatchObject({
      code: 'confirm_required',
    });
  });

  it('lets a person at the terminal confirm', async () => {
    const { hcp, events } = await made({ access: {}, principal: { id: 'ada', kind: 'human', interactive: true } });
    expect(await hcp.exec('ledger', 'transfer', { ...FARE, confirm: true })).toMatchObject({ ok: true });
    expect(events.at(-1)).toMatchObject({ principal_id: 'ada', principal_kind: 'human', approved_by: 'human' });
  });
});

describe('settings', () => {
  const fares = {
    match: 'ledger.transfer',
    decision: 'allow',
    when: { args: { payee: 'demo-transit' }, max: { amount: 5 } },
    note: 'fares',
  } as const;

  it('allow what a rule names exactly, and no cent more', async () => {
    const { hcp, events } = await made({ access: { mode: 'manual', rules: [fares] } });
    expect(await hcp.exec('ledger', 'transfer', FARE)).toMatchObject({ ok: true });
    expect(events[0]).toMatchObject({ approved_by: 'rule', reason: 'Rule ledger.transfer allows', mode: 'manual' });
    expect(await hcp.exec('ledger', 'transfer', { ...FARE, amount: '5.01' })).toMatchObject({
      code: 'confirm_required',
    });
    expect(await hcp.exec('ledger', 'transfer', { ...FARE, payee: 'x' })).toMatchObject({ code: 'confirm_required' });
  });

  it.each<[string, object, RegExp]>([
    ['mode', { mode: 'fast' }, /^access\.mode: /],
    ['a rule', { mode: 'run', rules: [fares, { match: 'x', decision: 'allow' }] }, /^access\.rules\.1\.match: /],
    ['an unknown setting', { rules: [], agents: true }, /^access: /],
    [
      'an argument that the command has not got',
      { rules: [{ ...fares, when: { max: { amonut: 5 } } }] },
      /^access\.rules\.0\.when\.max\.amonut: ledger\.transfer has no argument amonut$/,
    ],
  ])('are refused by field: %s', async (_, access, message) => {
    const refused = await made({ access }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HcpError);
    expect((refused as HcpError).message).toMatch(message);
  });

  it('that a host gives anew count from the next call on, or refuse it', async () => {
    let access: object = {};
    const { hcp, ran } = await made({ access: () => access });
    expect(await hcp.exec('ledger', 'note', { text: 'x' })).toMatchObject({ code: 'confirm_required' });
    const { approval } = await hcp.exec('ledger', 'note', { text: 'x' });
    const session = approval?.options.find((option) => option.kind === 'allow_session');
    expect(session).toMatchObject({ rule: { match: 'ledger.note', decision: 'allow', note: 'session' } });
    access = { rules: [session?.kind === 'allow_session' ? session.rule : null] };
    expect(await hcp.exec('ledger', 'note', { text: 'y' })).toMatchObject({ ok: true });
    access = {
      rules: [session?.kind === 'allow_session' ? session.rule : null, { match: 'ledger.*', decision: 'deny' }],
    };
    expect(await hcp.exec('ledger', 'note', { text: 'y' })).toMatchObject({ code: 'denied_by_rule' });
    access = { mode: 'fast' };
    expect(await hcp.exec('ledger', 'note', { text: 'y' })).toMatchObject({
      ok: false,
      error: matching(/^access\.mode/),
    });
    expect(ran).toHaveLength(1);
  });

  it('do not change with the object that was given', async () => {
    const access = { rules: [{ match: '*', decision: 'deny' as const }] };
    const { hcp } = await made({ access });
    access.rules.length = 0;
    expect(await hcp.exec('ledger', 'balance')).toMatchObject({ code: 'denied_by_rule' });
  });
});

describe('the audit', () => {
  it('gets the attribution of each decision and end, and no value', async () => {
    const { hcp, events } = await made({
      access: { mode: 'run' },
      tenant_id: 't',
      grants: [{ capability: 'verb.exec.read' }],
    });
    await hcp.exec('ledger', 'balance', {});
    await hcp.exec('ledger', 'transfer', FARE);
    expect(events).toHaveLength(3);
    expect(events[1]).toMatchObject({
      action: 'exec.completion',
      principal_id: 'host',
      tenant_id: 't',
      project_id: null,
      binding: 'local',
      pack_id: 'ledger',
      pack_version: '1.0.0',
      verb_key: 'balance',
      operation: 'read',
      mode: 'run',
      approved_by: 'mode',
      ran: true,
      exit_code: 0,
    });
    expect(events[2]).toMatchObject({
      decision: 'deny',
      code: 'missing_capability',
      reason: 'denied: missing verb.exec.write for ledger.transfer',
      arg_names: ['amount', 'payee'],
      args_digest: matching(/^sha256:[0-9a-f]{64}$/),
    });
    expect(JSON.stringify(events)).not.toContain('demo-transit');
  });

  it('that fails lets nothing run, and spends no yes', async () => {
    let fails = true;
    const { hcp, ran } = await made({
      access: {},
      audit: async () => {
        if (fails) throw new Error('disk full');
      },
    });
    const approval = { by: 'human', id: 'ui-1' } as const;
    for (const [verb_key, args] of [
      ['balance', {}],
      ['transfer', FARE],
      ['nothing', {}],
    ] as const) {
      expect(await hcp.exec('ledger', verb_key, args), verb_key).toMatchObject({
        ok: false,
        code: 'audit_unavailable',
      });
    }
    expect(await hcp.exec('ledger', 'transfer', FARE, { approval })).toMatchObject({ code: 'audit_unavailable' });
    expect(ran).toEqual([]);
    fails = false;
    expect(await hcp.exec('ledger', 'transfer', FARE, { approval })).toMatchObject({ ok: true });
  });
});

describe('a host’s own parts', () => {
  it('authorize stands in the place of the default, and only a plain yes is one', async () => {
    const asked: unknown[] = [];
    const answers: unknown[] = [{ allow: true }, { allow: false, reason: 'not today' }, 'yes', undefined];
    const { hcp, ran } = await made({
      access: {},
      authorize: async (ctx, request) => {
        asked.push([ctx.principal.id, request]);
        return answers.shift() as { allow: true };
      },
    });
    expect(await hcp.exec('ledger', 'balance')).toMatchObject({ ok: true });
    expect(await hcp.exec('ledger', 'balance')).toMatchObject({
      code: 'missing_capability',
      error: 'denied: not today',
    });
    for (const _ of [1, 2]) expect(await hcp.exec('ledger', 'balance')).toMatchObject({ code: 'missing_capability' });
    expect(asked[0]).toEqual([
      'host',
      { pack_id: 'ledger', verb_key: 'balance', operation: 'read', land: 'personal', kind: 'exec' },
    ]);
    expect(ran).toHaveLength(1);
  });

  it('views come before the default ones', async () => {
    const { hcp } = await made({
      access: {},
      views: {
        rules: [{ kind: 'publish', words: ['note'], fields: { text: ['text'] }, titles: ['Post {text}'] }],
        signals: [{ id: 'loud', text: 'Everybody sees it', kinds: ['publish'] }],
      },
    });
    const { approval } = await hcp.exec('ledger', 'note', { text: 'x' });
    expect(approval?.view).toMatchObject({ kind: 'publish', title: 'Post x' });
    expect(approval?.view.signals.map(({ id }) => id)).toEqual(['loud', 'goes_live']);
    expect(approval?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'deny']);
  });

  it('approvals are kept where the host says, each for exactly one run of exactly that call', async () => {
    let now = new Date('2026-01-01T00:00:00Z');
    const approvals = new ApprovalBook(new MemoryRecords(), { now: () => now });
    const { hcp, ran } = await made({ access: {}, approvals });
    const { approval_id = '', approval } = await hcp.exec('ledger', 'transfer', FARE);
    expect(approval).toMatchObject({ approval_id, expires_at: '2026-01-01T00:15:00.000Z' });
    expect((await hcp.exec('ledger', 'transfer', FARE)).approval_id).toBe(approval_id);
    expect(await approvals.approve(approval_id, 'ada')).toMatchObject({ state: 'approved' });
    expect((await hcp.exec('ledger', 'transfer', { ...FARE, amount: '2.81' })).code).toBe('confirm_required');
    const answers = await Promise.all([1, 2, 3].map(() => hcp.exec('ledger', 'transfer', FARE)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(ran).toHaveLength(1);
    expect(await approvals.get(approval_id)).toMatchObject({ state: 'consumed' });
    await expect(approvals.approve(approval_id)).rejects.toMatchObject({ code: 'conflict' });

    const late = (await hcp.exec('ledger', 'transfer', FARE)).approval_id ?? '';
    await approvals.approve(late);
    now = new Date('2026-01-01T00:15:00Z');
    expect((await hcp.exec('ledger', 'transfer', FARE)).code).toBe('confirm_required');
    const unwanted = (await hcp.exec('ledger', 'transfer', FARE)).approval_id ?? '';
    await approvals.approve(unwanted);
    await approvals.reject(unwanted);
    const after = await hcp.exec('ledger', 'transfer', FARE);
    expect(after).toMatchObject({ code: 'confirm_required', approval: { rejected_at: now.toISOString() } });
    expect(after.hint).toMatch(/^A person said no to exactly this call at 2026-01-01T00:15:00.000Z: stop here/);
    const other = await hcp.exec('ledger', 'transfer', { ...FARE, amount: '2.81' });
    expect(other.approval).not.toHaveProperty('rejected_at');
    now = new Date('2026-01-01T00:30:00Z');
    expect((await hcp.exec('ledger', 'transfer', FARE)).approval).not.toHaveProperty('rejected_at');
    expect(ran).toHaveLength(1);
  });
});

describe('what cannot be decided is refused', () => {
  it('a runtime that does not tell its packs', async () => {
    const { hcp, ran } = await made({ access: { mode: 'run' } }, { packs: undefined });
    expect(await hcp.exec('ledger', 'balance')).toMatchObject({
      code: 'no_policy',
      error: matching(/does not tell its packs/),
    });
    expect(ran).toEqual([]);
  });

  it('packs that cannot be had', async () => {
    let there = true;
    const packs = async (): Promise<HostPack[]> =>
      there ? [makeTransferPack()] : Promise.reject(new Error('secret path'));
    const { hcp, ran } = await made({ access: {} }, { packs });
    there = false;
    const refused = await hcp.exec('ledger', 'balance');
    expect(refused).toMatchObject({ ok: false, code: 'internal' });
    expect(JSON.stringify(refused)).not.toContain('secret');
    expect(ran).toEqual([]);
  });

  it.each([
    ['no JSON', { n: 1n }],
    ['a key that pollutes', JSON.parse('{"__proto__": {"a": 1}}') as object],
  ])('%s', async (_, args) => {
    const { hcp, ran } = await made({ access: {} });
    expect(await hcp.exec('ledger', 'balance', args as Record<string, unknown>)).toMatchObject({
      code: 'invalid_envelope',
    });
    expect(ran).toEqual([]);
  });

  it('a driver that throws is no success', async () => {
    const { hcp, events } = await made({ access: {} }, { exec: async () => Promise.reject(new Error('boom 2.80')) });
    const answer = await hcp.exec('ledger', 'balance');
    expect(answer).toMatchObject({ ok: false, code: 'outcome_unknown' });
    expect(JSON.stringify(answer)).not.toContain('2.80');
    expect(events.at(-1)).toMatchObject({ action: 'exec.completion', code: 'outcome_unknown', ran: null });
  });

  it('changing the arguments after the call changes nothing', async () => {
    const { hcp, ran } = await made({
      access: {},
      authorize: async () => {
        args.amount = '1000';
        return Promise.resolve({ allow: true });
      },
    });
    const args = { ...FARE };
    await hcp.exec('ledger', 'transfer', args, { approval: { by: 'human', id: 'x' } });
    expect(ran[0]?.args).toEqual(FARE);
  });

  it('nothing runs for who stopped waiting', async () => {
    const { hcp, ran } = await made({ access: {} });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(hcp.exec('ledger', 'balance', {}, { signal })).rejects.toThrow('enough');
    expect(ran).toEqual([]);
  });
});

it('lists the commands with what each would get', async () => {
  const { hcp } = await made({ access: { rules: [{ match: 'ledger.note', decision: 'deny' }] } });
  const rows = (await hcp.commands()).map(({ pack_id, verb_key, access, code }) => [
    `${pack_id}.${verb_key}`,
    access,
    code,
  ]);
  expect(rows).toEqual([
    ['ledger.balance', 'allow', null],
    ['ledger.note', 'deny', 'denied_by_rule'],
    ['ledger.transfer', 'ask', 'confirm_required'],
  ]);
});

it('previews without running or asking', async () => {
  const approvals = new ApprovalBook(new MemoryRecords());
  const { hcp, ran } = await made({ access: {}, approvals });
  expect(await hcp.preview('ledger', 'transfer', FARE)).toMatchObject({
    decision: 'ask',
    code: 'confirm_required',
    card: { view: { title: 'Pay 2.80 to demo-transit' } },
  });
  expect(await hcp.preview('ledger', 'transfer', {})).toMatchObject({
    decision: 'deny',
    code: 'invalid_args',
    card: null,
  });
  expect([ran, await approvals.list()]).toEqual([[], []]);
});
