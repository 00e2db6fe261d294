import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ExampleCli } from './cli.js';

let ledger: ExampleCli;
beforeEach(async () => {
  ledger = await ExampleCli.start('ledger');
});
afterEach(() => ledger.end());

const pay = (amount: string, to = 'demo-transit', ...more: string[]) =>
  ledger.run('transfer', amount, '--to', to, ...more);

it('pays a saved payee, to the cent, and remembers it', async () => {
  expect(await pay('2.80', 'demo-transit', '--memo', 'x', '--confirm')).toEqual({
    exit: 0,
    out: {
      ok: true,
      verb: 'transfer',
      id: 'tx-1',
      amount: '2.80',
      currency: 'EUR',
      to: 'demo-transit',
      from: 'DEMO-0001',
      memo: 'x',
      balance: '247.20',
    },
  });
  expect((await pay('0.1', 'demo-landlord', '--confirm')).out).toMatchObject({ balance: '247.10', memo: null });
  expect((await pay('0.2', 'demo-landlord', '--confirm')).out).toMatchObject({ balance: '246.90' });
  expect((await ledger.run('balance')).out).toMatchObject({ balance: '246.90', currency: 'EUR', account: 'DEMO-0001' });
  const { transfers } = (await ledger.run('history', '--limit=2')).out as { transfers: unknown[] };
  expect(transfers).toMatchObject([
    { id: 'tx-3', amount: '0.20' },
    { id: 'tx-2', amount: '0.10' },
  ]);
});

it('lists the saved payees', async () => {
  const { payees } = (await ledger.run('payees')).out as { payees: { payee: string }[] };
  expect(payees.map(({ payee }) => payee)).toEqual(['demo-transit', 'demo-landlord', 'demo-grocer']);
});

it('pays nothing without --confirm', async () => {
  expect(await pay('2.80')).toMatchObject({ exit: 1, out: { ok: false, code: 'confirm_required' } });
  expect((await ledger.run('balance')).out).toMatchObject({ balance: '250.00' });
  expect(await readdir(ledger.workspace)).toEqual([]);
});

it('pays nothing that the balance does not cover', async () => {
  expect(await pay('250.01', 'demo-landlord', '--confirm')).toMatchObject({
    exit: 1,
    out: { code: 'insufficient_funds' },
  });
  expect((await pay('250', 'demo-landlord', '--confirm')).out).toMatchObject({ balance: '0.00' });
});

it.each(['constructor', 'nobody', ''])('pays nobody who is not saved: %j', async (payee) => {
  expect(await pay('1', payee, '--confirm')).toMatchObject({ exit: 1, out: { code: 'unknown_payee' } });
});

it.each(['0', '0.00', '1.234', '1e3', '1,50', ' 1', '0x10', 'NaN', '01', '9999999999'])(
  'takes no amount %j',
  async (amount) => {
    expect(await pay(amount, 'demo-transit', '--confirm')).toMatchObject({ exit: 1, out: { code: 'invalid_amount' } });
  },
);

it.each([[], ['nonsense'], ['constructor'], ['balance', 'more'], ['balance', '--nope'], ['transfer', '1']])(
  'answers wrong usage with exit 2: %j',
  async (...argv) => {
    expect(await ledger.run(...argv)).toMatchObject({ exit: 2, out: { ok: false, code: 'usage' } });
  },
);

it.each(['not json', '{"balance":"all"}', 'null', '{"balance":1,"transfers":[{}]}'])(
  'touches no state that is damaged: %s',
  async (content) => {
    await writeFile(join(ledger.workspace, 'ledger.json'), content);
    expect(await ledger.run('balance')).toMatchObject({ exit: 1, out: { code: 'corrupt_state' } });
    expect(await pay('1', 'demo-transit', '--confirm')).toMatchObject({ exit: 1, out: { code: 'corrupt_state' } });
  },
);

it('leaves one whole state behind, and nothing else', async () => {
  await Promise.all(Array.from({ length: 5 }, () => pay('1', 'demo-transit', '--confirm')));
  expect(await readdir(ledger.workspace)).toEqual(['ledger.json']);
  expect((await ledger.run('balance')).exit).toBe(0);
});
