import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant } from '@hcp/testing';
import { terminal, type Terminal } from '../support/hcpx.js';
import { keyFor, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

const LEDGER = fileURLToPath(new URL('../../examples/packs/ledger', import.meta.url));
const TRANSIT = fileURLToPath(new URL('../../examples/packs/transit', import.meta.url));
const TRANSFER = ['ledger', 'transfer', '--json', '--', 'amount=2.80', 'payee=demo-transit'];

let stack: Stack;
let tenant_id: string;
let owner: Person;
let person: Terminal;

beforeAll(async () => {
  stack = await startStack();
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  person = await terminal();
  const login = ['login', '--url', stack.urls[0], '--email', owner.email, '--password-stdin'];
  expect(await person.hcpx(login, { stdin: owner.password })).toMatchObject({ code: 0 });
  for (const pack of [LEDGER, TRANSIT]) {
    expect(await person.hcpx(['pack', 'push', pack, '--activate'])).toMatchObject({ code: 0 });
  }
}, 120_000);

afterAll(() => stack.stop());

describe('hcpx', () => {
  it('keeps the credentials for their owner alone, and says who it is', async () => {
    expect((await stat(join(person.home, 'hosts.json'))).mode & 0o777).toBe(0o600);
    const who = await person.hcpx(['whoami', '--json']);
    expect(JSON.parse(who.stdout)).toMatchObject({ principal: { id: owner.id, kind: 'human' } });
  });

  it('refuses a wrong password without repeating it', async () => {
    const other = await terminal();
    const login = ['login', '--url', stack.urls[0], '--email', owner.email, '--password-stdin'];
    const refused = await other.hcpx(login, { stdin: 'not-this-one' });
    expect(refused.code).toBe(1);
    expect(refused.stdout + refused.stderr).not.toContain('not-this-one');
  });

  it('runs a command by named arguments and as a command line', async () => {
    const named = await person.hcpx(['exec', 'transit', 'plan', '--json', '--', 'from=A', 'to=B']);
    expect(named.code).toBe(0);
    expect(JSON.parse(named.stdout)).toMatchObject({
      ok: true,
      result: { ok: true, verb: 'plan', from: 'A', to: 'B', optionId: 'opt-1' },
    });
    const line = await person.hcpx(['transit', 'plan', '--from', 'A', '--to=B']);
    expect(line).toMatchObject({ code: 0 });
    expect(JSON.parse(line.stdout)).toMatchObject({ from: 'A', to: 'B' });
  });

  it('asks with exit code 3 and the exact command line, and runs on a person’s confirm', async () => {
    const asked = await person.hcpx(['exec', ...TRANSFER]);
    expect(asked.code).toBe(3);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      code: 'confirm_required',
      preview: { cli: 'ledger transfer 2.80 --to demo-transit --confirm' },
    });
    const plain = await person.hcpx(['ledger', 'transfer', '2.80', '--to', 'demo-transit']);
    expect(plain.code).toBe(3);
    expect(plain.stdout + plain.stderr).toContain('ledger transfer 2.80 --to demo-transit --confirm');
    expect(plain.stderr).toContain('run it with: hcpx ledger transfer 2.80 --to demo-transit --confirm\n');
    expect(await person.hcpx(['exec', ...TRANSFER, 'confirm=true'])).toMatchObject({ code: 0 });
    expect(await person.hcpx(['ledger', 'transfer', '2.80', '--to', 'demo-transit', '--confirm'])).toMatchObject({
      code: 0,
    });
  });

  it('as an agent never confirms, whoever’s credentials it has', async () => {
    const asked = await person.hcpx(['exec', ...TRANSFER, 'confirm=true'], { env: { HCP_AGENT: '1' } });
    expect(asked.code).toBe(3);
  });

  it('lets neither of two values of an argument win', async () => {
    const words = ['ledger', 'transfer', '2.80', '--amount', '28', '--to', 'demo-transit', '--confirm'];
    expect(await person.hcpx(words)).toMatchObject({ code: 2, stdout: '' });
  });

  it('runs in a project by name, in a session that is over with the call', async () => {
    const made = await person.hcpx(['projects', 'create', 'Blue', '--json']);
    const { id } = JSON.parse(made.stdout) as { id: string };
    expect(await person.hcpx(['projects', 'add-member', 'Blue', owner.email])).toMatchObject({ code: 0 });
    const ran = await person.hcpx(['transit', 'plan', '--from', 'A', '--to', 'B', '--project', 'Blue', '--json']);
    const { run_id } = JSON.parse(ran.stdout) as ResultEnvelope;
    const shown = await person.hcpx(['runs', 'show', String(run_id), '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ project_id: id, ok: true });
    const open = JSON.parse((await person.hcpx(['sessions', '--json'])).stdout) as { project_id: string | null }[];
    expect(open.filter(({ project_id }) => project_id === id)).toEqual([]);
  });

  it('has exit codes for failure, usage and denial', async () => {
    expect(await person.hcpx(['ledger', 'transfer', '9999', '--to', 'demo-transit', '--confirm'])).toMatchObject({
      code: 1,
    });
    expect(await person.hcpx(['exec', 'ledger'])).toMatchObject({ code: 2 });
    expect(await person.hcpx(['exec', 'nope', 'x'])).toMatchObject({ code: 4 });
  });

  it('shows a narrow key what it may run and nothing more, as the API does', async () => {
    const agent = await makeAgent(stack.database.db, tenant_id, { acts_for: owner.id });
    await makeGrant(stack.database.db, tenant_id, agent.id, 'verb.exec.read', { pack_id: 'transit' });
    const { key } = await keyFor(stack, tenant_id, agent.id);
    const program = await terminal({ HCP_URL: stack.urls[0], HCP_TOKEN: key });
    const listed = JSON.parse((await program.hcpx(['commands', '--json'])).stdout) as Command[];
    const { body } = await stack.call<{ items: Command[] }>('GET', '/v1/commands?limit=200', { token: key });
    const sets = [listed, body.items].map((items) =>
      items.map(({ pack_id, verb_key, access }) => [pack_id, verb_key, access]),
    );
    expect(sets[0]).toEqual(sets[1]);
    expect(sets[0]).toContainEqual(['transit', 'plan', 'allow']);
    expect(listed.some(({ pack_id, access }) => pack_id === 'ledger' && access !== 'deny')).toBe(false);
    expect(await program.hcpx(['exec', 'ledger', 'balance'])).toMatchObject({ code: 4 });
  });

  it('lists runs and the audit, and follows one run to its end', async () => {
    const ran = await person.hcpx(['exec', 'ledger', 'balance', '--json', '--wait', '0']);
    const { run_id } = JSON.parse(ran.stdout) as ResultEnvelope;
    const watched = await person.hcpx(['runs', 'watch', String(run_id)]);
    expect(watched.code).toBe(0);
    expect(watched.stdout + watched.stderr).toContain('succeeded');
    const runs = JSON.parse((await person.hcpx(['runs', '--json'])).stdout) as { id: string }[];
    expect(runs.map(({ id }) => id)).toContain(run_id);
    const audit = JSON.parse((await person.hcpx(['audit', '--limit', '20', '--json'])).stdout) as { run_id: string }[];
    expect(audit.map((event) => event.run_id)).toContain(run_id);
  });

  it('checks a pack without the API, and tells the state of things', async () => {
    const alone = await terminal();
    expect(await alone.hcpx(['check', LEDGER])).toMatchObject({ code: 0 });
    const doctor = await person.hcpx(['doctor']);
    expect(doctor.code).toBe(0);
    expect(doctor.stdout).toContain('bubblewrap');
    expect(await alone.hcpx(['doctor', '--url', 'http://127.0.0.1:9'])).toMatchObject({ code: 1 });
  });
});

interface Command {
  readonly pack_id: string;
  readonly verb_key: string;
  readonly access: string;
}
