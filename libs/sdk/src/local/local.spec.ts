import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Hcp, local, type AuditEvent, type LocalOptions, type LocalRuntime } from '../index.js';

const PACKS = fileURLToPath(new URL('../../../../examples/packs', import.meta.url));
const FARE = { amount: '2.80', payee: 'demo-transit' };
const run = promisify(execFile);

const dirs: string[] = [];
const runtimes: LocalRuntime[] = [];

async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'hcp-sdk-'));
  dirs.push(dir);
  return dir;
}

afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.close();
});
afterAll(async () => {
  for (const dir of dirs) await rm(dir, { recursive: true, force: true });
});

async function made(options: Partial<LocalOptions> = {}) {
  const home = options.home ?? (await tempDir());
  const runtime = local({ packs_dir: PACKS, env: {}, ...options, home });
  runtimes.push(runtime);
  const hcp = await Hcp.create({ runtime });
  const audit = async (): Promise<AuditEvent[]> =>
    (await readFile(join(home, 'audit.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent);
  return { home, runtime, hcp, audit };
}

/** A pack with one command that tells about its process. */
async function packsWith(script: string, manifest: object = {}): Promise<string> {
  const dir = await tempDir();
  await mkdir(join(dir, 'probe/bin'), { recursive: true });
  const files: Record<string, object> = {
    'manifest.json': {
      pack_id: 'probe',
      name: 'Probe',
      version: '1.0.0',
      description: 'Tells.',
      kind: 'wrap',
      binding: { family: 'public' },
      wrap: { bin: 'bin/probe' },
      ...manifest,
    },
    'surface.json': {
      commands: {
        tell: {
          description: 'Tell.',
          args: { type: 'object', properties: { text: { type: 'string' } } },
          cli: ['probe', 'tell', '--text={{text}}'],
        },
      },
    },
    'policy.json': { commands: { tell: { operation: 'read', confirm: false, privacy: { land: 'public' } } } },
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(dir, 'probe', name), JSON.stringify(content));
  }
  await writeFile(join(dir, 'probe/bin/probe'), `#!/usr/bin/env node\n${script}\n`, { mode: 0o755 });
  return dir;
}

describe('the ledger of the examples', () => {
  it('runs what asks nobody, and tells each command’s access', async () => {
    const { hcp, audit } = await made();
    expect(await hcp.exec('transit', 'plan', { from: 'A', to: 'B' })).toMatchObject({
      ok: true,
      result: { ok: true, verb: 'plan', from: 'A', to: 'B', optionId: 'opt-1' },
      exit_code: 0,
      stderr: '',
    });
    const access = Object.fromEntries((await hcp.commands()).map((c) => [`${c.pack_id}.${c.verb_key}`, c.access]));
    expect(access).toMatchObject({ 'ledger.balance': 'allow', 'ledger.transfer': 'ask', 'hcp-cli.hcp.list': 'allow' });
    expect(access).toMatchObject({ 'git.status': 'deny' });
    expect((await audit()).map(({ action, ran }) => [action, ran])).toEqual([
      ['exec.decision', false],
      ['exec.completion', true],
    ]);
  });

  it('asks under each mode, and runs once for a person’s yes to exactly that call', async () => {
    for (const mode of ['manual', 'auto', 'run'] as const) {
      const { hcp } = await made({ access: { mode } });
      expect(await hcp.exec('ledger', 'transfer', { ...FARE, confirm: true }), mode).toMatchObject({
        code: 'confirm_required',
        access: { mode, reason_code: 'confirm_always', approvals: 'agent' },
        preview: { command: 'transfer', args: FARE, cli: 'ledger transfer 2.80 --to demo-transit --confirm' },
      });
    }
    const { hcp, runtime, audit } = await made();
    const { approval_id = '' } = await hcp.exec('ledger', 'transfer', FARE);
    await runtime.approvals.approve(approval_id, 'ada');
    expect(await hcp.exec('ledger', 'transfer', { ...FARE, amount: '2.81' })).toMatchObject({
      code: 'confirm_required',
    });
    expect(await hcp.exec('ledger', 'transfer', FARE)).toMatchObject({
      ok: true,
      approval_id,
      result: { amount: '2.80', to: 'demo-transit', balance: '247.20' },
    });
    expect(await hcp.exec('ledger', 'transfer', FARE)).toMatchObject({ code: 'confirm_required' });
    const used = (await audit()).filter((event) => event.approval_id === approval_id && event.decision === 'allow');
    expect(used.map(({ action, approved_by, ran }) => [action, approved_by, ran])).toEqual([
      ['exec.decision', 'human', false],
      ['exec.completion', 'human', true],
    ]);
    expect(JSON.stringify(await audit())).not.toContain('demo-transit');
  });

  it('follows access.json as it is at each call, and refuses by field what is malformed', async () => {
    const { hcp, home } = await made();
    const set = async (document: unknown) => writeFile(join(home, 'access.json'), JSON.stringify(document));
    const fares = {
      match: 'ledger.transfer',
      decision: 'allow',
      when: { args: { payee: 'demo-transit' }, max: { amount: 5 } },
      note: 'fares',
    };
    await set({ rules: [fares] });
    expect(await hcp.exec('ledger', 'transfer', FARE)).toMatchObject({ ok: true });
    expect(await hcp.exec('ledger', 'transfer', { ...FARE, amount: '5.01' })).toMatchObject({
      code: 'confirm_required',
    });
    await set({ rules: [fares, { match: '*', decision: 'deny', op: 'write' }] });
    expect(await hcp.exec('ledger', 'transfer', FARE)).toMatchObject({ code: 'denied_by_rule' });
    expect(await hcp.exec('ledger', 'balance')).toMatchObject({ ok: true });
    await set({ mode: 'run', rules: [{ ...fares, decision: 'yes' }] });
    const refused = await hcp.exec('ledger', 'balance');
    expect(refused.ok).toBe(false);
    expect(refused.error).toMatch(/^access\.rules\.0\.decision: /);
    await writeFile(join(home, 'access.json'), '{"mode": "run", "mode": "auto"}');
    expect(await hcp.exec('ledger', 'balance')).toMatchObject({ ok: false, code: 'internal' });
  });

  it('takes an agent’s yes where policy says confirm, until somebody objects', async () => {
    const yes = { id: 'n-1', confirm: true };
    const asks = async (options: Partial<LocalOptions>) =>
      (await (await made(options)).hcp.exec('notes', 'delete', yes)).code === 'confirm_required';
    const home = await tempDir();
    await writeFile(join(home, 'project.json'), JSON.stringify({ approvals: 'human', mode: 'run' }));
    expect(await asks({})).toBe(false);
    expect(await asks({ access: { approvals: 'human' } })).toBe(true);
    expect(await asks({ env: { HCP_APPROVALS: 'human' } })).toBe(true);
    expect(await asks({ access: { approvals: 'human' }, env: { HCP_APPROVALS: 'agent' } })).toBe(true);
    expect(await asks({ project_access_file: join(home, 'project.json') })).toBe(true);
    expect(() => local({ packs_dir: PACKS, env: { HCP_APPROVALS: 'people' } })).toThrow(/^HCP_APPROVALS must be/);
  });

  it('takes HCP_MODE for one process, and lets no agent loosen by it', async () => {
    const asks = async (env: Record<string, string>) =>
      (await (await made({ env })).hcp.exec('notes', 'delete', { id: 'n-1' })).code === 'confirm_required';
    expect(await asks({})).toBe(true);
    expect(await asks({ HCP_MODE: 'run' })).toBe(false);
    expect(await asks({ HCP_MODE: 'run', HCP_AGENT: '1' })).toBe(true);
  });

  it('lets no agent say yes from its own process', async () => {
    const { hcp, runtime, home } = await made({ env: { HCP_AGENT: '1' } });
    const { approval_id = '' } = await hcp.exec('ledger', 'transfer', FARE);
    await expect(runtime.approvals.approve(approval_id)).rejects.toMatchObject({ code: 'human_only' });
    await expect(runtime.approvals.reject(approval_id)).rejects.toMatchObject({ code: 'human_only' });
    // A person's own process has the same home.
    await (await made({ home })).runtime.approvals.approve(approval_id);
    expect(await hcp.exec('ledger', 'transfer', FARE)).toMatchObject({ ok: true });
  });

  it('takes a host’s settings instead of the file, and tells both audits', async () => {
    const { runtime, audit, home } = await made();
    await writeFile(join(home, 'access.json'), JSON.stringify({ mode: 'run' }));
    const events: AuditEvent[] = [];
    const hcp = await Hcp.create({
      runtime,
      access: { mode: 'manual', approvals: 'human' },
      audit: (event) => void events.push(event),
    });
    expect(await hcp.exec('notes', 'add', { title: 'x' })).toMatchObject({ access: { reason_code: 'mode_manual' } });
    expect(await audit()).toEqual(events);
  });
});

describe('approvals', () => {
  it('are used once, of however many processes try', async () => {
    const { home, hcp, runtime } = await made();
    const { approval_id = '' } = await hcp.exec('ledger', 'transfer', FARE);
    await runtime.approvals.approve(approval_id);
    const script = `
      import { Hcp, local } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
      const hcp = await Hcp.create({ runtime: local(${JSON.stringify({ packs_dir: PACKS, home, env: {} })}) });
      const call = () => hcp.exec('ledger', 'transfer', ${JSON.stringify(FARE)});
      const answers = await Promise.all([call(), call(), call()]);
      console.log(JSON.stringify(answers.map(({ ok, code }) => ok || code)));`;
    const one = () => run(process.execPath, ['--input-type=module', '-e', script]);
    const outputs = await Promise.all([one(), one()]);
    const answers = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as unknown[]);
    expect(answers.filter((answer) => answer === true)).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'confirm_required')).toHaveLength(5);
    expect(await hcp.exec('ledger', 'balance')).toMatchObject({ result: { balance: '247.20' } });
  });

  it('are for the project that it was asked in, and for its files as they were', async () => {
    const packs_dir = await packsWith('', {
      wrap: { bin: 'bin/probe', workspace: { mode: 'project' } },
    });
    const policy = { tell: { operation: 'write', confirm: 'always', privacy: { land: 'local' } } };
    await writeFile(join(packs_dir, 'probe/policy.json'), JSON.stringify({ commands: policy }));
    const [home, one, other] = [await tempDir(), await tempDir(), await tempDir()];
    for (const dir of [one, other]) await writeFile(join(dir, 'bill.txt'), '1');
    const here = await made({ home, packs_dir, project_dir: one });
    const there = await made({ home, packs_dir, project_dir: other });
    const tell = async (hcp: Hcp) => hcp.exec('probe', 'tell', { text: 'bill.txt' });
    const { approval_id = '' } = await tell(here.hcp);
    await here.runtime.approvals.approve(approval_id);
    expect(await tell(there.hcp)).toMatchObject({ code: 'confirm_required' });
    await writeFile(join(one, 'bill.txt'), '2');
    expect(await tell(here.hcp)).toMatchObject({ code: 'confirm_required' });
    await writeFile(join(one, 'bill.txt'), '1');
    expect(await tell(here.hcp)).toMatchObject({ ok: true, approval_id });
  });

  it('and all else that is kept are the user’s alone', async () => {
    const { home, hcp } = await made();
    await hcp.exec('ledger', 'transfer', FARE);
    const names = (await readdir(join(home, 'approvals'))).map((name) => join('approvals', name));
    for (const name of [...names, 'audit.jsonl']) expect((await stat(join(home, name))).mode & 0o777, name).toBe(0o600);
    expect((await stat(join(home, 'approvals'))).mode & 0o777).toBe(0o700);
  });
});

describe('a command', () => {
  it('gets no shell, no input and nothing of this process’s environment', async () => {
    process.env['SDK_SPEC_SECRET'] = 'hunter2';
    const packs_dir = await packsWith(
      "console.log(JSON.stringify({ argv: process.argv.slice(2), env: process.env, input: require('fs').readFileSync(0, 'utf8') }));",
    );
    const { hcp, home } = await made({ packs_dir });
    const { result } = await hcp.exec('probe', 'tell', { text: '$(touch x); `id` "a b"' });
    const told = result as { argv: string[]; env: Record<string, string>; input: string };
    expect(told).toMatchObject({ argv: ['tell', '--text=$(touch x); `id` "a b"', '--json'], input: '' });
    expect(told.env).toMatchObject({ HCP_SANDBOX: 'native-local' });
    expect(Object.keys(told.env).sort()).toEqual(['HCP_SANDBOX', 'HOME', 'LANG', 'PATH', 'TMPDIR']);
    expect(told.env['HOME']).toContain(home);
    delete process.env['SDK_SPEC_SECRET'];
  });

  it('that does not end is stopped with all it started', async () => {
    const packs_dir = await packsWith(
      "require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }); setInterval(() => {}, 1000);",
      { wrap: { bin: 'bin/probe', timeout_ms: 500 } },
    );
    const { hcp } = await made({ packs_dir });
    expect(await hcp.exec('probe', 'tell')).toMatchObject({ ok: false, code: 'timeout' });
  });

  it('that fails says why', async () => {
    const packs_dir = await packsWith("console.error('no luck'); process.exit(3);");
    const { hcp, audit } = await made({ packs_dir });
    expect(await hcp.exec('probe', 'tell')).toMatchObject({ code: 'exit_nonzero', error: 'no luck', exit_code: 3 });
    expect((await audit()).at(-1)).toMatchObject({ action: 'exec.completion', exit_code: 3, ran: true });
  });

  it('gets a credential from the host alone, which its output does not show', async () => {
    const binding = { family: 'user', provider: 'mail', env: { MAIL_TOKEN: '{{token}}' } };
    const packs_dir = await packsWith('console.log(JSON.stringify({ token: process.env.MAIL_TOKEN }));', { binding });
    process.env['MAIL_TOKEN'] = 'of-the-environment';
    const without = await made({ packs_dir });
    expect(await without.hcp.exec('probe', 'tell')).toMatchObject({
      code: 'mint_failed',
      error: 'no user binding for probe',
    });
    expect((await without.audit()).map(({ decision, code }) => [decision, code])).toEqual([['deny', 'mint_failed']]);
    for (const mint of [() => null, () => ({ other: 'x' }), () => Promise.reject(new Error('s3cret'))]) {
      const failed = await (await made({ packs_dir, mint: mint })).hcp.exec('probe', 'tell');
      expect(failed).toMatchObject({ code: 'mint_failed' });
      expect(JSON.stringify(failed)).not.toContain('s3cret');
    }
    const asked: unknown[] = [];
    const mint: LocalOptions['mint'] = (request) => {
      asked.push(request);
      return { token: 'long-secret-token' };
    };
    const answer = await (await made({ packs_dir, mint })).hcp.exec('probe', 'tell');
    expect(asked).toEqual([
      { family: 'user', provider: 'mail', pack_id: 'probe', verb_key: 'tell', principal_id: 'host', fields: ['token'] },
    ]);
    expect(answer.ok).toBe(true);
    expect(JSON.stringify(answer)).not.toContain('long-secret-token');
    expect(JSON.stringify(answer)).not.toContain('of-the-environment');
    expect(await without.hcp.exec('probe', 'tell', { mode: 'mock' })).toMatchObject({ ok: true });
    delete process.env['MAIL_TOKEN'];
  });

  it.each([
    ['composite', { kind: 'composite', wrap: undefined }, /^kind composite is not executable/],
    ['sense_only', { kind: 'sense_only', wrap: undefined }, /./],
  ])('of kind %s is refused', async (_, manifest, error) => {
    const { hcp, runtime } = await made({ packs_dir: await packsWith('', manifest) });
    const answer = await hcp.exec('probe', 'tell');
    const [report] = await runtime.report();
    expect(answer.ok).toBe(false);
    expect(answer.error).toMatch(report?.pack ? error : /^unknown pack probe$/);
  });

  it('with an idempotency key is refused: it would not be kept', async () => {
    const { hcp } = await made();
    expect(await hcp.exec('ledger', 'balance', {}, { idempotency_key: 'k' })).toMatchObject({
      code: 'invalid_envelope',
    });
  });

  it('ends with who stops waiting', async () => {
    const packs_dir = await packsWith('setInterval(() => {}, 1000);');
    const { hcp } = await made({ packs_dir });
    const stop = new AbortController();
    const waiting = hcp.exec('probe', 'tell', {}, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 300);
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('packs', () => {
  it('that are broken are told of and not run', async () => {
    const packs_dir = await packsWith('console.log(1)');
    await cp(join(packs_dir, 'probe'), join(packs_dir, 'twin'), { recursive: true });
    await cp(join(PACKS, 'transit'), join(packs_dir, 'transit'), { recursive: true });
    await writeFile(join(packs_dir, 'transit/policy.json'), '{"commands": {}}');
    const { hcp, runtime } = await made({ packs_dir });
    const report = await runtime.report();
    expect(report.map(({ pack }) => pack)).toEqual([null, null, null]);
    expect(report.every(({ findings }) => findings.some(({ level }) => level === 'error'))).toBe(true);
    expect(await hcp.exec('probe', 'tell')).toMatchObject({ code: 'unknown_pack' });
    expect(await hcp.exec('transit', 'plan', { from: 'A', to: 'B' })).toMatchObject({ code: 'unknown_pack' });
    expect((await hcp.exec('hcp-cli', 'hcp.doctor')).result).toMatchObject({ ok: false, broken: [{}, {}, {}] });
  });

  it('that change need another yes', async () => {
    const packs_dir = await tempDir();
    await cp(join(PACKS, 'ledger'), join(packs_dir, 'ledger'), { recursive: true });
    const { hcp, runtime } = await made({ packs_dir });
    const { approval_id = '' } = await hcp.exec('ledger', 'transfer', FARE);
    await runtime.approvals.approve(approval_id);
    await writeFile(join(packs_dir, 'ledger/src/more.mjs'), '// another line');
    expect(await hcp.exec('ledger', 'transfer', FARE)).toMatchObject({ code: 'confirm_required' });
  });

  it('answer through hcp-cli', async () => {
    const { hcp } = await made();
    expect((await hcp.exec('hcp-cli', 'hcp.list')).result).toMatchObject({
      packs: expect.arrayContaining([]) as unknown[],
    });
    expect((await hcp.exec('hcp-cli', 'hcp.skill', { pack: 'ledger' })).result).toMatchObject({
      pack_id: 'ledger',
      full: false,
    });
    expect((await hcp.exec('hcp-cli', 'hcp.availability', { pack: 'ledger' })).result).toMatchObject({
      packs: [{ pack_id: 'ledger', available: true }],
    });
    expect((await hcp.exec('hcp-cli', 'hcp.install', { dir: 'x' })).result).toMatchObject({ deferred_to_cli: true });
  });
});
