import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HINT_PERSON } from '@hcp/core';
import { AT, envelope, hcpx, ID, me, problem, startApi, tempDir } from './testing/harness.js';
import type { Answer, Call, Handlers } from './testing/harness.js';

const transfer = {
  pack_id: 'ledger',
  verb_key: 'transfer',
  description: 'Pay a saved payee.',
  operation: 'write',
  confirm: 'always',
  land: 'personal',
  args: {
    type: 'object',
    properties: { amount: { type: 'number' }, payee: { type: 'string', description: 'who' }, memo: { type: 'string' } },
    required: ['amount', 'payee'],
  },
  cli: ['ledger', 'transfer', '{{amount}}', '--to', '{{payee}}', '--memo', '{{memo}}', '--confirm'],
  access: 'ask',
  reason: 'confirm',
  code: 'confirm_required',
};
const addPayee = { ...transfer, verb_key: 'payee.add', cli: ['ledger', 'payee', 'add', '{{payee}}'], access: 'allow' };

const SESSION = '5a1c2f86-5f0a-4f4b-9d70-0b8a6a1c9a22';
const inBlue: Handlers = {
  'GET /v1/projects': () => ({ json: { items: [{ id: ID, name: 'Blue', created_at: AT }], next_cursor: null } }),
  'POST /v1/sessions': () => ({
    status: 201,
    json: {
      id: SESSION,
      kind: 'explicit',
      interactive: true,
      client: null,
      project_id: ID,
      packs: null,
      expires_at: AT,
      created_at: AT,
      current: false,
    },
  }),
  [`DELETE /v1/sessions/${SESSION}`]: () => ({}),
};

async function setup(answer: (call: Call) => Answer, more: object = {}) {
  const home = await tempDir();
  const api = await startApi({
    'POST /v1/exec': answer,
    'GET /v1/commands': () => ({ json: { items: [transfer, addPayee], next_cursor: null } }),
    ...more,
  });
  const vars = { HCP_URL: api.url, HCP_TOKEN: 'hcp_id_topsecret' };
  const sent = (): unknown => JSON.parse(String(api.calls.find((call) => call.url === '/v1/exec')?.body)) as unknown;
  return { home, api, vars, sent };
}

describe('hcpx exec', () => {
  it('keeps values as texts and turns confirm into a boolean', async () => {
    const { home, vars, sent, api } = await setup(() => ({ json: envelope() }));
    const done = await hcpx(
      [
        'exec',
        'ledger',
        'transfer',
        '--json',
        '--wait',
        '50',
        '--idempotency-key',
        'k1',
        '--',
        'amount=2.80',
        'confirm=true',
        'mode=mock',
        'memo=a=b --json',
        'n=',
      ],
      { home, vars: { ...vars, HCP_SESSION: ID, HCP_AGENT: '1' } },
    );
    expect(done).toEqual({ code: 0, out: `${JSON.stringify(envelope())}\n`, err: '' });
    expect(sent()).toEqual({
      pack_id: 'ledger',
      verb_key: 'transfer',
      args: { amount: '2.80', confirm: true, mode: 'mock', memo: 'a=b --json', n: '' },
      wait_ms: 50,
      idempotency_key: 'k1',
    });
    expect(api.calls[0]?.headers).toMatchObject({ 'hcp-session': ID, 'hcp-agent': '1' });
  });

  it('joins JSON arguments and words, words winning', async () => {
    const { home, vars, sent } = await setup(() => ({ json: envelope() }));
    const file = join(home, 'args.json');
    await writeFile(file, '{"amount": 10, "list": [1], "payee": "x"}');
    await hcpx(['exec', 'ledger', 'transfer', '--args-file', file, '--', 'payee=y'], { home, vars });
    expect(sent()).toMatchObject({ args: { amount: 10, list: [1], payee: 'y' } });
  });

  it.each([
    ['a word without =', ['--', 'amount=1', 'secretword'], /argument 2 is not key=value/],
    ['an argument twice', ['--', 'a=1', 'a=2'], /argument a is given twice/],
    ['JSON that is none', ['--args-json', '{secretword'], /not JSON/],
    ['JSON that is a list', ['--args-json', '[1]'], /not a JSON object/],
    ['two sources', ['--args-json', '{}', '--args-file', 'x'], /exclude each other/],
    ['a wait that is no number', ['--wait', '1e3'], /whole number/],
    ['an unknown option', ['--wat'], /unknown option/],
    ['a yes as an option', ['--confirm'], /-- … confirm=true/],
  ])('refuses %s without a call', async (_, words, message) => {
    const { home, vars, api } = await setup(() => ({ json: envelope() }));
    const done = await hcpx(['exec', 'ledger', 'transfer', ...words], { home, vars });
    expect(done.code).toBe(2);
    expect(done.err).toMatch(message);
    expect(done.err).not.toContain('secretword');
    expect(api.calls).toEqual([]);
  });

  it('shows the exact command and what to do when a confirm is required', async () => {
    const { home, vars } = await setup(() => ({
      json: envelope({
        ok: false,
        result: null,
        run_id: null,
        code: 'confirm_required',
        error: 'confirm required',
        hint: 'Rerun it unchanged after a person’s yes.',
        preview: {
          command: 'transfer',
          args: { payee: 'evil\u001b[2Jname' },
          cli: 'ledger transfer 2.80 --to demo \u202e',
        },
        access: { mode: 'auto', reason: 'Policy confirm "always"', reason_code: 'confirm_always', approvals: 'human' },
      }),
    }));
    const done = await hcpx(['exec', 'ledger', 'transfer'], { home, vars, terminal: true });
    expect(done.code).toBe(3);
    expect(done.err).toContain('$ ledger transfer 2.80 --to demo \\u202e');
    expect(done.err).toContain('payee = evil\\u001b[2Jname');
    expect(done.err).toContain('Rerun it unchanged');
    expect(done.err).not.toContain('\u202e');
    expect(done.err).not.toContain('\u001b[2J');
  });

  it.each([
    ['a denial', { code: 'missing_capability', error: 'denied: missing verb.exec.write for ledger.transfer' }, 4],
    ['bad arguments', { code: 'invalid_args', error: 'invalid args: /amount is no number' }, 2],
    ['a failed run', { code: 'exit_nonzero', error: 'no funds', exit_code: 9 }, 1],
    ['a run that goes on', { code: 'still_running', error: 'still running', status: 'running' }, 1],
  ])('ends with the right code for %s', async (_, extra, code) => {
    const { home, vars } = await setup(() => ({ json: envelope({ ok: false, result: null, ...extra }) }));
    expect((await hcpx(['exec', 'ledger', 'transfer'], { home, vars })).code).toBe(code);
  });

  it('says how to go on when the credentials are refused, without showing them', async () => {
    const { home, vars } = await setup(() => problem(401, 'unauthenticated'));
    const done = await hcpx(['exec', 'ledger', 'balance'], { home, vars });
    expect(done.code).toBe(1);
    expect(done.err).toMatch(/HCP_TOKEN/);
    expect(done.err).not.toContain('topsecret');
  });

  it('shows the error that a failed command wrote itself, and line ends as line ends', async () => {
    const failed = { ok: false, code: 'exit_nonzero', error: 'a\nb\u001b[2J', stderr: 'a\nb\u001b[2J' };
    const { home, vars } = await setup(() => ({ json: envelope({ ...failed, result: { error: 'no funds' } }) }));
    const own = await hcpx(['exec', 'ledger', 'transfer'], { home, vars });
    expect(own.err).toContain('exit_nonzero: no funds\na\nb\\u001b[2J\n');
    const plain = await setup(() => ({ json: envelope({ ...failed, result: null }) }));
    expect((await hcpx(['exec', 'ledger', 'transfer'], plain)).err).toContain('exit_nonzero: a\nb\\u001b[2J\n');
  });

  it('says of a repeat whose result is gone that nothing ran now', async () => {
    const gone = { ok: true, result: null, hint: 'It did not run again.', output_erased_at: AT };
    const { home, vars } = await setup(() => ({ json: envelope(gone) }));
    const words = ['exec', 'ledger', 'transfer', '--idempotency-key', 'k'];
    expect(await hcpx(words, { home, vars })).toEqual({ code: 0, out: '', err: 'It did not run again.\n' });
  });

  it('says at an ask that HCP_MODE was not taken', async () => {
    const access = { mode: 'auto', reason: 'r', reason_code: 'confirm', approvals: 'human' };
    const asks = envelope({ ok: false, result: null, code: 'confirm_required', access });
    const { home, vars } = await setup(() => ({ json: asks }));
    const words = ['exec', 'ledger', 'transfer'];
    expect((await hcpx(words, { home, vars: { ...vars, HCP_MODE: 'run' } })).err).toContain(
      'HCP_MODE=run is not in force',
    );
    expect((await hcpx(words, { home, vars: { ...vars, HCP_MODE: 'auto' } })).err).not.toContain('HCP_MODE');
  });

  it('escapes a result for a terminal and leaves it alone in a pipe', async () => {
    const text = 'one\ttwo\n\u001b]0;title\u0007three\u202e\n';
    const { home, vars } = await setup(() => ({ json: envelope({ result: text }) }));
    const piped = await hcpx(['exec', 'ledger', 'show'], { home, vars });
    expect(piped.out).toBe(text);
    const shown = await hcpx(['exec', 'ledger', 'show'], { home, vars, terminal: true });
    expect(shown.out).toBe('one\ttwo\n\\u001b]0;title\\u0007three\\u202e\n');
    const json = await hcpx(['exec', 'ledger', 'show', '--json'], { home, vars, terminal: true });
    expect(json.out).not.toContain('\u202e');
    expect((JSON.parse(json.out) as { result: string }).result).toBe(text);
  });

  it('uses colours on a terminal only, and not with NO_COLOR', async () => {
    const { home, vars } = await setup(() => ({
      json: envelope({ ok: false, code: 'exit_nonzero', error: 'x', result: null }),
    }));
    const words = ['exec', 'ledger', 'balance'];
    expect((await hcpx(words, { home, vars, terminal: true })).err).toContain('\u001b[');
    expect((await hcpx(words, { home, vars: { ...vars, NO_COLOR: '1' }, terminal: true })).err).not.toContain(
      '\u001b[',
    );
    expect((await hcpx(words, { home, vars })).err).not.toContain('\u001b[');
  });
});

describe('hcpx <pack> <verb>', () => {
  it('reads the command’s own command line', async () => {
    const { home, vars, sent, api } = await setup(() => ({ json: envelope() }));
    const done = await hcpx(['ledger', 'transfer', '2.80', '--to', 'demo-transit', '--confirm', '--json'], {
      home,
      vars,
    });
    expect(done.code).toBe(0);
    expect(JSON.parse(done.out)).toEqual(envelope());
    expect(api.calls[0]?.url).toContain('pack_id=ledger');
    expect(sent()).toEqual({
      pack_id: 'ledger',
      verb_key: 'transfer',
      args: { amount: '2.80', payee: 'demo-transit', confirm: true },
    });
  });

  it.each([[['payee.add', 'x']], [['payee', 'add', 'x']]])('finds a command by the words %j', async (words) => {
    const { home, vars, sent } = await setup(() => ({ json: envelope() }));
    await hcpx(['ledger', ...words], { home, vars });
    expect(sent()).toEqual({ pack_id: 'ledger', verb_key: 'payee.add', args: { payee: 'x' } });
  });

  it.each([
    ...[
      '; id',
      '$(id)',
      '`id`',
      '{{amount}}',
      '%s',
      'a\nb',
      ' ',
      '@/etc/passwd',
      '--upload-pack=x',
      '-o/tmp/x',
      '--',
      'a=b',
    ],
    '__proto__',
    '\u202e\u001b[31m',
  ])('passes a value on as it is, from either face: %j', async (value) => {
    const want = { pack_id: 'ledger', verb_key: 'transfer', args: { amount: '2.80', payee: value } };
    for (const words of [
      ['exec', 'ledger', 'transfer', '--', 'amount=2.80', `payee=${value}`],
      ['ledger', 'transfer', '2.80', `--to=${value}`],
      ['ledger', 'transfer', `--payee=${value}`, '--', '2.80'],
    ]) {
      const { home, vars, sent } = await setup(() => ({ json: envelope() }));
      await hcpx(words, { home, vars });
      expect(sent(), words[0]).toEqual(want);
    }
    const { home, vars, sent } = await setup(() => ({ json: envelope() }));
    await hcpx(['ledger', 'payee', 'add', '--', value], { home, vars });
    expect(sent()).toEqual({ pack_id: 'ledger', verb_key: 'payee.add', args: { payee: value } });
  });

  it.each([
    ['--upload-pack=x', /unknown flag --upload-pack/],
    ['-o/tmp/x', /unknown flag -o\/tmp\/x/],
  ])('takes no option for a word: %s', async (word, message) => {
    const { home, vars, api } = await setup(() => ({ json: envelope() }));
    const done = await hcpx(['ledger', 'payee', 'add', word], { home, vars });
    expect(done.code).toBe(2);
    expect(done.err).toMatch(message);
    expect(api.calls.filter(({ url }) => url === '/v1/exec')).toEqual([]);
  });

  it('shows the card of an ask, on standard error', async () => {
    const approval = {
      pack_id: 'ledger',
      pack_name: 'Ledger',
      pack_version: '1.0.0',
      command: 'transfer',
      summary: 'Pays.',
      operation: 'write',
      confirm: true,
      args: [],
      cli: 'ledger transfer',
      reason: 'r',
      reason_code: 'confirm',
      mode: 'auto',
      approvals: 'human',
      view: {
        kind: 'payment',
        title: 'Pay x',
        fields: [{ name: 'amount', value: '2.80' }],
        rest: [],
        signals: [{ id: 'moves_money', text: 'Moves money' }],
        sources: {},
        complete: true,
      },
      options: [],
    };
    const asks = envelope({ ok: false, result: null, run_id: null, code: 'confirm_required', approval });
    const { home, vars } = await setup(() => ({ json: asks }));
    const { out, err } = await hcpx(['exec', 'ledger', 'transfer'], { home, vars });
    expect(out).toBe('');
    expect(err).toContain('\nLedger · Pays.\n\nPay x\n· Moves money\n  amount  2.80\n\n  $ ledger transfer\n');
  });

  it('tells a person what to type for a yes', async () => {
    const asks = envelope({ ok: false, result: null, run_id: null, code: 'confirm_required', hint: HINT_PERSON });
    const { home, vars } = await setup(() => ({ json: asks }));
    const typed = await hcpx(['ledger', 'transfer', '2.80', '--to', 'two words'], { home, vars });
    expect(typed.code).toBe(3);
    expect(typed.err).toContain("run it with: hcpx ledger transfer 2.80 --to 'two words' --confirm\n");
    const named = await hcpx(['exec', 'ledger', 'transfer', '--', 'amount=2.80'], { home, vars });
    expect(named.err).toContain('run it with: hcpx exec ledger transfer -- amount=2.80 confirm=true\n');
  });

  it.each([
    [['ledger', 'transfer', '1', '--to', 'x', '--project', 'Blue']],
    [['--project', 'Blue', 'ledger', 'transfer', '1', '--to', 'x']],
    [['exec', 'ledger', 'transfer', '--project', 'Blue', '--', 'amount=1', 'payee=x']],
  ])('runs in a project by a session for this call alone: %j', async (words) => {
    const { home, vars, api, sent } = await setup(() => ({ json: envelope() }), inBlue);
    expect(await hcpx(words, { home, vars })).toMatchObject({ code: 0 });
    const of = (method: string, url: string) => api.calls.find((call) => call.method === method && call.url === url);
    expect(JSON.parse(String(of('POST', '/v1/sessions')?.body))).toMatchObject({ project_id: ID });
    expect(of('POST', '/v1/exec')?.headers['hcp-session']).toBe(SESSION);
    expect(sent()).toMatchObject({ args: { amount: '1', payee: 'x' } });
    expect(api.calls.at(-1)).toMatchObject({ method: 'DELETE', url: `/v1/sessions/${SESSION}` });
  });

  it('leaves the session of a run that goes on, which would lose its rights', async () => {
    const goes_on = envelope({ ok: false, result: null, code: 'still_running', status: 'queued' });
    const { home, vars, api } = await setup(() => ({ json: goes_on }), inBlue);
    const words = ['exec', 'ledger', 'transfer', '--project', ID, '--wait', '0'];
    expect((await hcpx(words, { home, vars })).code).toBe(0);
    expect(api.calls.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  it('names --project where a command wants one', async () => {
    const refused = envelope({ ok: false, result: null, code: 'land_requires_project', hint: 'POST /v1/sessions' });
    const { home, vars } = await setup(() => ({ json: refused }));
    const done = await hcpx(['ledger', 'transfer', '1', '--to', 'x'], { home, vars });
    expect(done.code).toBe(4);
    expect(done.err).toContain('--project NAME');
  });

  it('explains a command with --help and runs nothing', async () => {
    const { home, vars, api } = await setup(() => ({ json: envelope() }));
    const done = await hcpx(['ledger', 'transfer', '--help'], { home, vars });
    expect(done.code).toBe(0);
    expect(done.out).toContain('Pay a saved payee.');
    expect(done.out).toContain('payee\tstring\trequired\twho');
    expect(api.calls.map((call) => call.method)).toEqual(['GET']);
  });

  it.each([
    ['an unknown command', ['ledger', 'nothing'], /transfer, payee.add/],
    ['a misspelt command', ['ledger', 'transfr'], /unknown command of ledger: transfr[^]*Did you mean transfer\?/],
    ['a misspelt flag', ['ledger', 'transfer', '2.80', '--too', 'x'], /unknown flag --too[^]*Did you mean --to\?/],
    ['an argument as word and flag', ['ledger', 'transfer', '2.80', '--amount', '28'], /amount is given twice/],
    ['an option twice', ['ledger', 'transfer', '--session', 'a', '--session', 'b'], /--session is given twice/],
    ['words too many', ['ledger', 'transfer', '1', '2'], /fewer words/],
    ['no pack id at all', ['Ledger!'], /no hcpx command/],
  ])('refuses %s', async (_, words, message) => {
    const { home, vars } = await setup(() => ({ json: envelope() }));
    const done = await hcpx(words, { home, vars });
    expect(done.code).toBe(2);
    expect(done.err).toMatch(message);
  });

  it('lists what a pack has with --help', async () => {
    const { home, vars } = await setup(() => ({ json: envelope() }));
    const done = await hcpx(['ledger', '--help'], { home, vars });
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain('payee.add');
  });

  it('never takes the address from a command line: what is called there is not trusted with the token', async () => {
    const { home, vars } = await setup(() => ({ json: envelope() }));
    const other = await startApi({});
    await hcpx(['ledger', 'transfer', '--url', other.url], { home, vars });
    expect(other.calls).toEqual([]);
  });

  it('tells credentials without rights that these may be missing', async () => {
    const { home, vars } = await setup(() => ({ json: envelope() }), {
      'GET /v1/commands': () => ({ json: { items: [], next_cursor: null } }),
      'GET /v1/me': () => ({ json: me({ grants: [[]] }) }),
    });
    const done = await hcpx(['ledger', 'balance'], { home, vars });
    expect(done.code).toBe(4);
    expect(done.err).toContain('missing rights');
  });

  it('says that an unknown word is neither command nor pack', async () => {
    const { home, vars } = await setup(() => ({ json: envelope() }), {
      'GET /v1/commands': () => ({ json: { items: [], next_cursor: null } }),
    });
    const { err } = await hcpx(['lgin'], { home, vars });
    expect(err).toContain('no hcpx command, and no pack');
    expect(err).toContain('Did you mean login?');
  });
});
