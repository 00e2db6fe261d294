import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Hcp, HcpError, items, remote, type RemoteOptions, type Runtime } from './index.js';

const RUN = '3f1c2f86-5f0a-4f4b-9d70-0b8a6a1c9a11';
const AT = '2026-01-01T00:00:00.000Z';

interface Seen {
  url: string;
  init: RequestInit;
  headers: Headers;
}

/** A fetch that answers from a list and keeps what it was asked. */
function api(...answers: (Response | Error)[]) {
  const seen: Seen[] = [];
  const fake: typeof fetch = async (input, init = {}) => {
    seen.push({ url: typeof input === 'string' ? input : 'not a text', init, headers: new Headers(init.headers) });
    const answer = answers.shift() ?? new Error('no more answers');
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { seen, fetch: fake };
}

const json = (status: number, body: unknown) => Response.json(body, { status });
const problem = (status: number, code: string, extra: object = {}) =>
  json(status, { type: 'about:blank', title: code, status, code, ...extra });
const envelope = (extra: object = {}) => ({
  ok: true,
  pack_id: 'ledger',
  verb_key: 'balance',
  result: { total: 1 },
  run_id: RUN,
  duration_ms: 3,
  ...extra,
});
const hcpOf = async (fake: { fetch: typeof fetch }, options: Partial<RemoteOptions> = {}) =>
  Hcp.create({
    runtime: remote({ url: 'https://hcp.test/base/', token: 'secret-token', fetch: fake.fetch, ...options }),
  });

const refusedConnection = new TypeError('fetch failed', {
  cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
});

const refusedAtAll = (...codes: string[]): TypeError => {
  const syscall = (code: string) => (code === 'ECONNRESET' ? 'read' : 'connect');
  const errors = codes.map((code) => Object.assign(new Error('connect'), { code, syscall: syscall(code) }));
  return new TypeError('fetch failed', { cause: new AggregateError(errors) });
};

describe('exec', () => {
  it('sends one envelope with credentials, session and the agent mark', async () => {
    const fake = api(json(200, envelope()));
    const hcp = await hcpOf(fake, { session: RUN, agent: true });
    const answer = await hcp.exec('ledger', 'balance', { account: '1' }, { wait_ms: 5, idempotency_key: 'k' });

    expect(answer).toEqual(envelope());
    const [call] = fake.seen;
    expect(call?.url).toBe('https://hcp.test/base/v1/exec');
    expect(JSON.parse(call?.init.body as string)).toEqual({
      pack_id: 'ledger',
      verb_key: 'balance',
      args: { account: '1' },
      wait_ms: 5,
      idempotency_key: 'k',
    });
    expect(call?.headers.get('authorization')).toBe('Bearer secret-token');
    expect(call?.headers.get('hcp-session')).toBe(RUN);
    expect(call?.headers.get('hcp-agent')).toBe('1');
    expect(call?.init.redirect).toBe('error');
  });

  it('answers the envelope of HTTP 400', async () => {
    const refused = envelope({
      ok: false,
      result: null,
      run_id: null,
      code: 'invalid_envelope',
      error: 'x',
      hint: 'y',
    });
    const hcp = await hcpOf(api(json(400, refused)));
    expect(await hcp.exec('ledger', 'balance')).toEqual(refused);
  });

  it.each([
    ['no valid credentials', problem(401, 'unauthenticated'), 'unauthenticated', /not signed in/],
    ['a rate limit', problem(429, 'rate_limited', { retry_after_ms: 7 }), 'rate_limited', /rate_limited/],
    ['a broken server', problem(500, 'internal'), 'internal', /internal/],
    ['a refused connection', refusedConnection, 'unreachable', /no answer/],
    ['connections refused at every address', refusedAtAll('ECONNREFUSED', 'ETIMEDOUT'), 'unreachable', /no answer/],
    ['one that was cut at one address', refusedAtAll('ECONNREFUSED', 'ECONNRESET'), 'outcome_unknown', /no answer/],
    ['no answer', new TypeError('fetch failed'), 'outcome_unknown', /no answer/],
    ['an answer that is no envelope', json(200, { hello: 1 }), 'outcome_unknown', /not what this client expects/],
    ['a page of a proxy', new Response('<html>', { status: 502 }), 'outcome_unknown', /502/],
  ])('answers an envelope for %s', async (_, answer, code, error) => {
    const result = await (await hcpOf(api(answer))).exec('ledger', 'balance', { account: '1' });
    expect(result).toMatchObject({ ok: false, pack_id: 'ledger', verb_key: 'balance', result: null, run_id: null });
    expect(result.code).toBe(code);
    expect(result.error).toMatch(error);
    expect(result.hint).toBeTruthy();
    expect(JSON.stringify(result)).not.toContain('secret-token');
  });

  it('knows where nobody listens, at a host with an address of each family', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const hcp = await Hcp.create({ runtime: remote({ url: `http://localhost:${port}` }) });
    expect(await hcp.exec('ledger', 'balance')).toMatchObject({ ok: false, code: 'unreachable' });
  });

  it('sends nothing for arguments that are no JSON', async () => {
    const fake = api();
    const result = await (await hcpOf(fake)).exec('ledger', 'balance', { n: 1n });
    expect(result.code).toBe('invalid_envelope');
    expect(fake.seen).toEqual([]);
  });

  it('needs a runtime, and says so', async () => {
    for (const options of [{}, { runtime: 'remote' }]) {
      const made = Hcp.create(options as unknown as { runtime: Runtime });
      await expect(made).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('runtime is missing') as string,
      });
    }
  });

  it('rejects with the caller’s own abort', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const hcp = await hcpOf(api(new DOMException('aborted', 'AbortError')));
    await expect(hcp.exec('ledger', 'balance', {}, { signal })).rejects.toThrow('enough');
  });
});

describe('tokens', () => {
  const me = {
    principal: { id: RUN, kind: 'human', name: 'Ada' },
    acts_for: null,
    tenant: { id: RUN, name: 'Acme', slug: 'acme' },
    session: { id: RUN, interactive: true, project_id: null, packs: null, expires_at: AT },
    grants: [[{ capability: 'pack.install' }]],
    roles: ['owner'],
    is_agent: false,
  };

  it('asks once for another token after a 401', async () => {
    const fake = api(problem(401, 'unauthenticated'), json(200, me));
    const asked: (string | undefined)[] = [];
    const getToken = async (refused?: string) => {
      asked.push(refused);
      return Promise.resolve(refused === undefined ? 'old' : 'new');
    };
    const answer = await (await hcpOf(fake, { getToken })).api.auth.me();
    expect(answer.principal.name).toBe('Ada');
    expect(asked).toEqual([undefined, 'old']);
    expect(fake.seen.map((call) => call.headers.get('authorization'))).toEqual(['Bearer old', 'Bearer new']);
  });

  it('gives up where there is no other token', async () => {
    const fake = api(problem(401, 'unauthenticated'));
    const hcp = await hcpOf(fake, { getToken: async () => Promise.resolve('same') });
    await expect(hcp.api.auth.me()).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(fake.seen).toHaveLength(1);
  });

  it('sends no credentials to sign in', async () => {
    const fake = api(problem(409, 'tenant_required', { tenants: [{ id: RUN, name: 'Acme' }] }));
    const hcp = await hcpOf(fake);
    const error = await hcp.api.auth.token({ email: 'a@b.c', password: 'p' }).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(HcpError);
    expect((error as HcpError).problem?.tenants).toEqual([{ id: RUN, name: 'Acme' }]);
    expect(fake.seen[0]?.headers.has('authorization')).toBe(false);
  });
});

describe('routes', () => {
  it('never lets an identifier walk to another route', async () => {
    const fake = api();
    const hcp = await hcpOf(fake);
    await expect(hcp.api.runs.get('../audit')).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(hcp.api.packs.get('..')).rejects.toMatchObject({ code: 'invalid_request' });
    expect(fake.seen).toEqual([]);
  });

  it('writes queries, leaving out what is not given', async () => {
    const fake = api(json(200, { items: [], next_cursor: null }));
    await (await hcpOf(fake)).api.audit.list({ pack_id: 'ledger', limit: 5, run_id: undefined });
    expect(fake.seen[0]?.url).toBe('https://hcp.test/base/v1/audit?pack_id=ledger&limit=5');
  });

  it('sends archives as gzip and other bodies as JSON', async () => {
    const fake = api(json(200, { ok: true, findings: [], pack: null }), new Response(null, { status: 204 }));
    const hcp = await hcpOf(fake);
    await hcp.api.packs.check(new Uint8Array([31, 139]));
    expect(await hcp.api.packs.deactivate('ledger', { project_id: RUN })).toBeUndefined();
    expect(fake.seen[0]?.headers.get('content-type')).toBe('application/gzip');
    expect(fake.seen[1]?.init.method).toBe('DELETE');
    expect(fake.seen[1]?.url).toContain(`/v1/packs/ledger/activation?project_id=${RUN}`);
  });

  it('refuses an answer that is not of the contract', async () => {
    const hcp = await hcpOf(api(json(200, { items: [{ id: 1 }], next_cursor: null })));
    await expect(hcp.api.runs.list()).rejects.toMatchObject({ code: 'invalid_response', status: 200 });
  });

  it('goes through all pages', async () => {
    const page = (name: string, next: string | null) =>
      json(200, { items: [{ id: RUN, name, created_at: AT }], next_cursor: next });
    const hcp = await hcpOf(api(page('a', 'c1'), page('b', null)));
    const names: string[] = [];
    for await (const project of items((query) => hcp.api.projects.list(query))) names.push(project.name);
    expect(names).toEqual(['a', 'b']);
  });

  it('lists the commands and previews a call as every runtime does', async () => {
    const command = {
      ...{ pack_id: 'ledger', verb_key: 'balance', description: 'x', operation: 'read', confirm: false },
      ...{ land: 'public', access: 'allow', reason: null, code: null },
    };
    const page = (next_cursor: string | null) => json(200, { items: [command], next_cursor });
    const card = { decision: 'allow', code: null, error: null, hint: null, access: null, preview: null, card: null };
    const fake = api(page('c1'), page(null), json(200, card));
    const hcp = await hcpOf(fake);
    expect(await hcp.commands()).toEqual([command, command]);
    expect(await hcp.preview('ledger', 'balance')).toEqual(card);
    expect(JSON.parse(fake.seen[2]?.init.body as string)).toEqual({ pack_id: 'ledger', verb_key: 'balance', args: {} });
  });

  it('tells what is not ready although the status is 503', async () => {
    const body = { status: 'not_ready', database: 'failed', queue: 'ok', sandbox: { driver: null, detail: 'none' } };
    expect(await (await hcpOf(api(json(503, body)))).api.health.ready()).toEqual(body);
  });

  it.each(['ftp://hcp.test', 'nonsense', 'https://user:pw@hcp.test', 'https://hcp.test/?a=1'])(
    'refuses the address %s',
    (url) => {
      expect(() => remote({ url })).toThrow(HcpError);
    },
  );
});

describe('events of a run', () => {
  const sse = (text: string) => new Response(text, { status: 200, headers: { 'content-type': 'text/event-stream' } });
  const event = (id: string, data: object) =>
    `id: ${id}\nevent: x\ndata: ${JSON.stringify({ run_id: RUN, ...data })}\n\n`;
  const end = event('3', { type: 'end', status: 'succeeded', ok: true, code: null, exit_code: 0 });

  it('resumes where a stream broke off and passes over what it does not know', async () => {
    const fake = api(
      sse(
        event('1', { type: 'state', status: 'running', attempt: 1, at: AT }) +
          event('2', { type: 'weather' }) +
          'data: half',
      ),
      new TypeError('fetch failed'),
      sse(`: heartbeat\n\n${event('3', { type: 'output', attempt: 1, stream: 'stdout', text: 'é' })}${end}`),
    );
    const types: string[] = [];
    for await (const e of (await hcpOf(fake)).api.runs.events(RUN, { retry_ms: 0 })) types.push(e.type);
    expect(types).toEqual(['state', 'output', 'end']);
    expect(fake.seen.map((call) => call.headers.get('last-event-id'))).toEqual([null, '2', '2']);
  });

  it('gives up after openings that bring nothing', async () => {
    const fake = api(...Array.from({ length: 9 }, () => sse('')));
    const follow = (await hcpOf(fake)).api.runs.events(RUN, { retry_ms: 0 });
    await expect(follow.next()).rejects.toMatchObject({ code: 'network' });
    expect(fake.seen).toHaveLength(5);
  });

  it('does not repeat a refusal', async () => {
    const fake = api(problem(404, 'not_found'));
    await expect((await hcpOf(fake)).api.runs.events(RUN).next()).rejects.toMatchObject({ code: 'not_found' });
    expect(fake.seen).toHaveLength(1);
  });
});
