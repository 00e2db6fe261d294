import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archiveOf } from '../../../support/packs.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../../../support/stack.js';

let stack: Stack;
let owner: Person;

beforeAll(async () => {
  stack = await startStack();
  ({ owner } = await tenantWithOwner(stack));
  for (const name of ['ledger', 'transit', 'notes']) {
    const directory = fileURLToPath(new URL(`../../../../examples/packs/${name}`, import.meta.url));
    await install(stack, owner.token, await archiveOf(directory));
  }
});
afterAll(() => stack.stop());

const exec = async (pack_id: string, verb_key: string, args: object = {}) => {
  const { body } = await stack.call('POST', '/v1/exec', { token: owner.token, body: { pack_id, verb_key, args } });
  return body;
};

it('plans a journey as the protocol shows it', async () => {
  expect(await exec('transit', 'plan', { from: 'A', to: 'B' })).toMatchObject({
    ok: true,
    pack_id: 'transit',
    verb_key: 'plan',
    result: { ok: true, verb: 'plan', from: 'A', to: 'B', optionId: 'opt-1' },
    stderr: '',
  });
});

it('asks before it pays, pays what was confirmed, and keeps the balance', async () => {
  const args = { amount: '2.80', payee: 'demo-transit' };
  expect(await exec('ledger', 'transfer', args)).toMatchObject({
    ok: false,
    code: 'confirm_required',
    error: 'confirm required',
    preview: { command: 'transfer', args, cli: 'ledger transfer 2.80 --to demo-transit --confirm' },
  });
  expect(await exec('ledger', 'transfer', { ...args, confirm: true })).toMatchObject({
    ok: true,
    result: { amount: '2.80', to: 'demo-transit', balance: '247.20' },
  });
  expect(await exec('ledger', 'balance')).toMatchObject({ ok: true, result: { balance: '247.20' } });
  expect(await exec('ledger', 'transfer', { ...args, amount: 10_000, confirm: true })).toMatchObject({
    ok: false,
    code: 'exit_nonzero',
    exit_code: 1,
  });
});

it('keeps notes, whatever they say', async () => {
  const text = '; id $(id) `id` {{title}} %s\nsecond line';
  expect(await exec('notes', 'add', { title: 'Hostile', text })).toMatchObject({
    ok: true,
    result: { note: { text } },
  });
  expect(await exec('notes', 'show', { id: 'n-1' })).toMatchObject({ ok: true, result: { note: { text } } });
});

it('answers through hcp-cli', async () => {
  expect(await exec('hcp-cli', 'hcp.skill', { pack: 'ledger' })).toMatchObject({
    ok: true,
    result: { pack_id: 'ledger' },
  });
  expect(await exec('hcp-cli', 'hcp.activate', { pack: 'ledger' })).toMatchObject({
    ok: true,
    result: { deferred_to_cli: true },
  });
});
