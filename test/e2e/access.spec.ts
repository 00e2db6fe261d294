import { fileURLToPath } from 'node:url';
import type { Access, AccessRuleRecord } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { terminal, type Ran, type Terminal } from '../support/hcpx.js';
import { keyFor, startStack, tenantWithOwner, type Stack } from '../support/stack.js';

/** The protocol's examples of access, word for word in behaviour, by hcpx on the whole product. */

const PACKS = ['ledger', 'transit', 'notes'].map((name) =>
  fileURLToPath(new URL(`../../examples/packs/${name}`, import.meta.url)),
);

let stack: Stack;
let person: Terminal;
let agent: Terminal;
let key_id: string;

beforeAll(async () => {
  stack = await startStack();
}, 120_000);
afterAll(() => stack.stop());

beforeEach(async () => {
  const { tenant_id, owner } = await tenantWithOwner(stack);
  person = await terminal();
  const login = ['login', '--url', stack.urls[0], '--email', owner.email, '--password-stdin'];
  expect(await person.hcpx(login, { stdin: owner.password })).toMatchObject({ code: 0 });
  for (const pack of PACKS) expect(await person.hcpx(['pack', 'push', pack, '--activate'])).toMatchObject({ code: 0 });
  const { id } = await makeAgent(stack.database.db, tenant_id, { acts_for: owner.id });
  for (const capability of ['verb.exec.read', 'verb.exec.write'] as const) {
    await makeGrant(stack.database.db, tenant_id, id, capability);
  }
  const key = await keyFor(stack, tenant_id, id);
  key_id = key.id;
  agent = await terminal({ HCP_URL: stack.urls[0], HCP_TOKEN: key.key });
});

const read = <T>({ stdout }: Ran): T => JSON.parse(stdout) as T;
const transfer = (amount = '2.80', payee = 'demo-transit', env: Record<string, string> = {}): Promise<Ran> =>
  agent.hcpx(['exec', 'ledger', 'transfer', '--json', '--', `amount=${amount}`, `payee=${payee}`], { env });
const ok = async (...words: string[]): Promise<Ran> => {
  const ran = await person.hcpx(words);
  expect(ran, words.join(' ')).toMatchObject({ code: 0 });
  return ran;
};

describe('hcpx mode', () => {
  it('shows the current mode and where it comes from, and sets it for everything, one pack, one process', async () => {
    expect((await ok('mode')).stdout).toBe('auto (default)\n');
    await ok('mode', 'manual');
    await ok('mode', 'run', '--pack', 'transit');
    expect((await ok('mode')).stdout).toBe('manual (tenant)\ntransit: run (pack)\n');
    expect(read(await ok('mode', '--json'))).toEqual({
      mode: 'manual',
      layer: 'tenant',
      packs: { transit: { mode: 'run', layer: 'pack' } },
    });
    // One process, up to what a person let its key.
    const add = ['exec', 'notes', 'add', '--', 'title=x'];
    expect(await agent.hcpx(add)).toMatchObject({ code: 3 });
    expect(await agent.hcpx(add, { env: { HCP_MODE: 'run' } })).toMatchObject({ code: 3 });
    await ok('mode', 'run', '--for-key', key_id);
    expect(await agent.hcpx(add, { env: { HCP_MODE: 'run' } })).toMatchObject({ code: 0 });
    expect(await agent.hcpx(add, { env: { HCP_MODE: 'fast' } })).toMatchObject({ code: 2 });
    await ok('mode', 'default');
    expect(await agent.hcpx(add)).toMatchObject({ code: 0 });
    expect(await person.hcpx(['mode', 'fast'])).toMatchObject({ code: 2 });
  });

  it('lets a transfer ask in every mode', async () => {
    for (const mode of ['manual', 'auto', 'run']) {
      await ok('mode', mode);
      const asked = await transfer();
      expect(asked.code).toBe(3);
      expect(read<ResultEnvelope>(asked)).toMatchObject({
        ok: false,
        code: 'confirm_required',
        preview: {
          command: 'transfer',
          args: { amount: '2.80', payee: 'demo-transit' },
          cli: 'ledger transfer 2.80 --to demo-transit --confirm',
        },
        access: { mode, reason: 'Policy confirm "always": every mode asks' },
      });
    }
  });
});

describe('hcpx allow, ask, deny and rules', () => {
  it('allow fares up to five to one payee', async () => {
    const allow = ['allow', 'ledger.transfer', '--when', 'payee=demo-transit', '--max', 'amount=5', '--note', 'fares'];
    await ok(...allow);
    expect(await transfer()).toMatchObject({ code: 0 });
    expect(await transfer('5.01')).toMatchObject({ code: 3 });
    expect(await transfer('2.80', 'demo-landlord')).toMatchObject({ code: 3 });
    const rules = read<(AccessRuleRecord & { index: number })[]>(await ok('rules', '--json'));
    expect(rules).toMatchObject([
      {
        index: 0,
        scope: 'tenant',
        match: 'ledger.transfer',
        decision: 'allow',
        when: { args: { payee: 'demo-transit' }, max: { amount: 5 } },
        note: 'fares',
      },
    ]);
    expect((await ok('rules')).stdout).toContain('payee=demo-transit amount<=5');
    await ok('rules', 'rm', '0');
    expect(await transfer()).toMatchObject({ code: 3 });
    expect(await person.hcpx(['rules', 'rm', '0'])).toMatchObject({ code: 1 });
  });

  it('ask for anything of a pack that is not there yet, deny one command whatever the mode', async () => {
    const asked = await ok('ask', 'gh.*');
    expect(asked.stderr).toContain('there is no pack gh yet');
    const { id } = read<AccessRuleRecord>(await ok('deny', 'notes.delete', '--json'));
    await ok('mode', 'run');
    const remove = ['exec', 'notes', 'delete', '--json', '--', 'id=n-1', 'confirm=true'];
    const denied = await person.hcpx(remove);
    expect(denied.code).toBe(4);
    expect(read<ResultEnvelope>(denied)).toMatchObject({
      code: 'denied_by_rule',
      error: 'denied by rule notes.delete',
    });
    await ok('rules', 'rm', id);
    expect(await person.hcpx(remove)).toMatchObject({ code: 1 });
  });

  it('read-only everywhere, and the list of commands says so', async () => {
    await ok('deny', '*', '--op', 'write');
    expect(read<ResultEnvelope>(await transfer())).toMatchObject({
      code: 'denied_by_rule',
      error: 'denied by rule *',
    });
    const commands = read<{ pack_id: string; verb_key: string; access: string }[]>(
      await agent.hcpx(['commands', '--json']),
    );
    const access = Object.fromEntries(commands.map((each) => [`${each.pack_id}.${each.verb_key}`, each.access]));
    expect(access).toMatchObject({ 'ledger.transfer': 'deny', 'notes.add': 'deny', 'ledger.balance': 'allow' });
  });

  it('refuse an argument that the command has not got, by name, and warn of a deny with max', async () => {
    const wrong = await person.hcpx(['allow', 'ledger.transfer', '--max', 'amout=5']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('ledger.transfer has no argument amout');
    expect(await person.hcpx(['allow', 'ledger.transfer', '--max', 'amount=5e1'])).toMatchObject({ code: 2 });
    const warned = await ok('deny', 'ledger.transfer', '--max', 'amount=5');
    expect(warned.stderr).toMatch(/warning: .*min/);
  });
});

describe('hcpx access', () => {
  it('prints what is in force, where it comes from, and what is ignored because it would loosen', async () => {
    const { id } = read<{ id: string }>(await ok('projects', 'create', 'web', '--json'));
    await ok('mode', 'manual');
    await ok('mode', 'run', '--project', id);
    await ok('allow', 'notes.delete', '--project', id);
    const access = read<Access>(await ok('access', '--project', id, '--json'));
    expect(access).toMatchObject({
      effective: { mode: { value: 'manual', layer: 'tenant' }, approvals: { value: 'human', layer: 'default' } },
      ignored: [
        { layer: 'project', setting: 'mode' },
        { layer: 'project', setting: 'rules.0' },
      ],
    });
    const { stdout } = await ok('access', '--project', id);
    expect(stdout).toContain('would loosen: run is looser than manual');
  });
});

/** The protocol's own text. */
const CARD = `Ledger · Pay a saved payee. Refused until a person confirms the amount and payee.

Pay demo-transit
· Moves money
  amount    2.80
  currency  EUR
  to        demo-transit
  from      Demo account DEMO-0001

  $ ledger transfer 2.80 --to demo-transit --confirm
`;

describe('hcpx preview', () => {
  it('shows a person and an agent the card, and nothing waits for anyone', async () => {
    const words = ['preview', 'ledger', 'transfer', '--', 'amount=2.80', 'payee=demo-transit'];
    for (const who of [person, agent]) {
      expect(await who.hcpx(words)).toEqual({ code: 0, stdout: CARD, stderr: '' });
    }
    expect(read(await ok('approvals', '--json'))).toEqual([]);
  });
});

describe('inside an agent', () => {
  it('every access command is refused with human_only, whoever’s credentials there are', async () => {
    const commands = [
      ['mode', 'run'],
      ['allow', 'ledger.transfer'],
      ['ask', '*'],
      ['deny', '*'],
      ['rules', 'rm', '3f1c2f86-5f0a-4f4b-9d70-0b8a6a1c9a11'],
    ];
    for (const words of commands) {
      for (const refused of [await person.hcpx(words, { env: { HCP_AGENT: '1' } }), await agent.hcpx(words)]) {
        expect(refused.code, words.join(' ')).toBe(4);
      }
      const json = await person.hcpx([...words, '--json'], { env: { HCP_AGENT: '1' } });
      expect(read(json)).toMatchObject({ ok: false, code: 'human_only' });
    }
    expect(read(await ok('rules', '--json'))).toEqual([]);
    // What is in force may be read.
    expect(await agent.hcpx(['access'])).toMatchObject({ code: 0 });
  });
});
