import { describe, expect, it } from 'vitest';
import { AT, DIGEST, type Handlers, hcpx, ID, me, startApi, tempDir } from './testing/harness.js';

async function setup(handlers: Handlers) {
  const api = await startApi(handlers);
  return { api, home: await tempDir(), vars: { HCP_URL: api.url, HCP_TOKEN: 'hcp_id_topsecret' } };
}

const command = (verb_key: string, extra: object = {}): object => ({
  pack_id: 'ledger',
  verb_key,
  description: 'Show\u001b[31m it.',
  operation: 'read',
  confirm: false,
  land: 'public',
  access: 'allow',
  reason: null,
  code: null,
  ...extra,
});

const event = {
  id: ID,
  seq: '9007199254740993',
  at: AT,
  action: 'exec.decision',
  principal_id: ID,
  principal_kind: 'agent',
  acts_for: null,
  session_id: null,
  project_id: null,
  binding: null,
  pack_id: 'ledger',
  verb_key: 'balance',
  operation: 'read',
  pack_version: '1.0.0',
  land: 'public',
  decision: 'allow',
  code: null,
  reason: null,
  mode: 'auto',
  approved_by: 'policy',
  run_id: ID,
  ran: true,
  exit_code: 0,
  duration_ms: 3,
  arg_names: ['account'],
  args_digest: null,
  subject: null,
  details: null,
};

describe('hcpx commands', () => {
  it('goes through all pages and says why a command would not run', async () => {
    const { api, home, vars } = await setup({
      'GET /v1/commands': (call) =>
        call.url.includes('cursor=next')
          ? {
              json: {
                items: [command('drop', { access: 'deny', reason: 'missing grant', code: 'missing_capability' })],
                next_cursor: null,
              },
            }
          : { json: { items: [command('balance')], next_cursor: 'next' } },
    });
    const done = await hcpx(['commands', '--pack', 'ledger'], { home, vars });
    expect(done.out).toBe(
      'ledger\tbalance\tread\tallow\tShow\\u001b[31m it.\t\nledger\tdrop\tread\tdeny\tShow\\u001b[31m it.\tmissing grant\n',
    );
    expect(api.calls.map((call) => call.url)).toEqual([
      '/v1/commands?pack_id=ledger',
      '/v1/commands?pack_id=ledger&cursor=next',
    ]);
  });

  it('has a head on a terminal, and says so where there is nothing', async () => {
    const { home, vars } = await setup({ 'GET /v1/commands': () => ({ json: { items: [], next_cursor: null } }) });
    expect((await hcpx(['commands'], { home, vars, terminal: true })).err).toContain('nothing to show');
    const full = await setup({
      'GET /v1/commands': () => ({ json: { items: [command('balance')], next_cursor: null } }),
    });
    const shown = await hcpx(['commands'], { home, vars: full.vars, terminal: true });
    expect(shown.out).toContain('OPERATION');
    expect(shown.out).not.toContain('\u001b[31m it');
  });

  it('takes options before its name too', async () => {
    const { api, home } = await setup({ 'GET /v1/commands': () => ({ json: { items: [], next_cursor: null } }) });
    const done = await hcpx(['--url', api.url, '--json', 'commands'], { home, vars: { HCP_TOKEN: 'k' } });
    expect(done).toMatchObject({ code: 0, out: '[]\n' });
  });
});

describe('hcpx audit', () => {
  it('passes its filters on and prints events', async () => {
    const { api, home, vars } = await setup({
      'GET /v1/audit': () => ({ json: { items: [event], next_cursor: 'x' } }),
    });
    const done = await hcpx(
      ['audit', '--limit', '1', '--pack', 'ledger', '--decision', 'allow', '--from', AT, '--json'],
      { home, vars },
    );
    expect(JSON.parse(done.out)).toEqual([event]);
    const query = new URL(api.calls[0]?.url ?? '', api.url).searchParams;
    expect(Object.fromEntries(query)).toEqual({ limit: '1', pack_id: 'ledger', decision: 'allow', from: AT });
    const text = await hcpx(['audit'], { home, vars });
    expect(text.out).toBe(`${AT}\texec.decision\tagent ${ID}\tledger.balance\tallow\t-\t${ID}\n`);
  });
});

describe('hcpx whoami', () => {
  it('shows each layer of grants', async () => {
    const read = { capability: 'verb.exec.read' };
    const { home, vars } = await setup({
      'GET /v1/me': () => ({
        json: me({ grants: [[read], [{ ...read, pack_id: 'ledger', verb_keys: ['balance'] }]], acts_for: ID }),
      }),
    });
    const done = await hcpx(['whoami'], { home, vars });
    expect(done.out).toContain('layer 2 of 2');
    expect(done.out).toContain('verb.exec.read\tledger\tbalance\t*\t-');
    expect(done.out).not.toContain('HCP_AGENT');
  });

  it('says that HCP_AGENT makes the calls an agent’s', async () => {
    const { home, vars } = await setup({ 'GET /v1/me': () => ({ json: me({ is_agent: true }) }) });
    const { out } = await hcpx(['whoami'], { home, vars: { ...vars, HCP_AGENT: '1' } });
    expect(out).toContain('HCP_AGENT is set here, so calls count as an agent’s');
  });
});

describe('hcpx skill', () => {
  it('asks for the lead, or for all', async () => {
    const { api, home, vars } = await setup({
      'GET /v1/packs/ledger/skill': () => ({
        json: { pack_id: 'ledger', version: '1.0.0', skill: '# Ledger\n\nRead first.' },
      }),
    });
    expect((await hcpx(['skill', 'ledger'], { home, vars })).out).toBe('# Ledger\n\nRead first.\n');
    await hcpx(['skill', 'ledger', '--full'], { home, vars });
    expect(api.calls.map((call) => call.url)).toEqual(['/v1/packs/ledger/skill', '/v1/packs/ledger/skill?full=1']);
  });
});

describe('hcpx pack', () => {
  it('activates a named version in one project', async () => {
    const { api, home, vars } = await setup({
      'PUT /v1/packs/ledger/activation': () => ({
        json: { pack_id: 'ledger', version: '1.0.0', digest: DIGEST, project_id: ID, activated_at: AT },
      }),
    });
    const done = await hcpx(['pack', 'activate', 'ledger', '--version', '1.0.0', '--project', ID], { home, vars });
    expect(done.err).toContain(`in project ${ID}`);
    expect(JSON.parse(String(api.calls[0]?.body))).toEqual({ version: '1.0.0', project_id: ID });
  });

  it('deactivates', async () => {
    const { api, home, vars } = await setup({ 'DELETE /v1/packs/ledger/activation': () => ({ status: 204 }) });
    expect((await hcpx(['pack', 'deactivate', 'ledger', '--json'], { home, vars })).out).toBe(
      '{"ok":true,"pack_id":"ledger"}\n',
    );
    expect(api.calls[0]?.body.length).toBe(0);
  });
});

describe('hcpx sessions', () => {
  const session = {
    id: ID,
    kind: 'explicit',
    interactive: false,
    client: null,
    project_id: ID,
    packs: ['ledger'],
    expires_at: AT,
    created_at: AT,
    current: false,
  };

  it('opens one that reaches less and prints its id alone', async () => {
    const { api, home, vars } = await setup({ 'POST /v1/sessions': () => ({ status: 201, json: session }) });
    const done = await hcpx(['sessions', 'open', '--project', ID, '--pack', 'ledger', 'notes', '--expires-in', '60'], {
      home,
      vars,
    });
    expect(done.out).toBe(`${ID}\n`);
    expect(JSON.parse(String(api.calls[0]?.body))).toEqual({
      project_id: ID,
      packs: ['ledger', 'notes'],
      expires_in_s: 60,
    });
    await hcpx(['sessions', 'open', '--expires-in', '8h'], { home, vars });
    expect(JSON.parse(String(api.calls.at(-1)?.body))).toEqual({ expires_in_s: 28_800 });
    for (const wrong of ['30s', '59', '400d', 'h', ''])
      expect((await hcpx(['sessions', 'open', '--expires-in', wrong], { home, vars })).code).toBe(2);
  });

  it('lists by default and ends one', async () => {
    const { home, vars } = await setup({
      'GET /v1/sessions': () => ({ json: { items: [session], next_cursor: null } }),
      [`DELETE /v1/sessions/${ID}`]: () => ({ status: 204 }),
    });
    expect((await hcpx(['sessions'], { home, vars })).out).toBe(`${ID}\texplicit\t-\t${ID}\tledger\t${AT}\t\n`);
    expect((await hcpx(['sessions', 'end', ID], { home, vars })).code).toBe(0);
  });
});
