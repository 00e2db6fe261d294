import { fromCents, toCents } from './cents.mjs';
import { main } from './run.mjs';
import { Failure, readState, writeState } from './state.mjs';

const FILE = 'ledger.json';
const ACCOUNT = 'DEMO-0001';
const CURRENCY = 'EUR';
const PAYEES = {
  'demo-transit': 'Demo Transit',
  'demo-landlord': 'Demo Landlord',
  'demo-grocer': 'Demo Grocer',
};

/** Amounts in the state are whole cents. */
const initial = () => ({ balance: 250_00, transfers: [] });
const isValid = (state) =>
  Number.isSafeInteger(state?.balance) &&
  state.balance >= 0 &&
  Array.isArray(state.transfers) &&
  state.transfers.every((transfer) => Number.isSafeInteger(transfer?.amount) && typeof transfer.payee === 'string');

const read = () => readState(FILE, initial, isValid);

function balance({ words }) {
  noMore(words, 0);
  return { account: ACCOUNT, balance: fromCents(read().balance), currency: CURRENCY };
}

function payees({ words }) {
  noMore(words, 0);
  return { payees: Object.entries(PAYEES).map(([payee, name]) => ({ payee, name })) };
}

function history({ values, words }) {
  noMore(words, 0);
  const limit = Number(values.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1) throw new Failure('usage', 'the limit must be a whole number above zero');
  const transfers = read().transfers.slice(-limit).reverse();
  return { transfers: transfers.map((transfer) => ({ ...transfer, amount: fromCents(transfer.amount) })) };
}

function transfer({ values, words }) {
  noMore(words, 1);
  if (words.length === 0 || values.to === undefined) throw new Failure('usage', 'an amount and --to PAYEE are needed');
  const amount = toCents(words[0]);
  const payee = values.to;
  if (!Object.hasOwn(PAYEES, payee)) throw new Failure('unknown_payee', 'the payee is not saved; see ledger payees');
  if (values.confirm !== true) throw new Failure('confirm_required', 'nothing was paid: add --confirm to pay');
  const state = read();
  if (amount > state.balance) throw new Failure('insufficient_funds', 'the balance does not cover the amount');
  const memo = values.memo ?? null;
  const entry = { id: `tx-${state.transfers.length + 1}`, at: new Date().toISOString(), amount, payee, memo };
  const next = { balance: state.balance - amount, transfers: [...state.transfers, entry] };
  writeState(FILE, next);
  return {
    id: entry.id,
    amount: fromCents(amount),
    currency: CURRENCY,
    to: payee,
    from: ACCOUNT,
    memo,
    balance: fromCents(next.balance),
  };
}

function noMore(words, allowed) {
  if (words.length > allowed) throw new Failure('usage', 'there are more words than the command takes');
}

main('ledger', {
  balance: { usage: 'balance [--json]', options: {}, run: balance },
  payees: { usage: 'payees [--json]', options: {}, run: payees },
  history: { usage: 'history [--limit N] [--json]', options: { limit: { type: 'string' } }, run: history },
  transfer: {
    usage: 'transfer AMOUNT --to PAYEE [--memo TEXT] --confirm [--json]',
    options: { to: { type: 'string' }, memo: { type: 'string' }, confirm: { type: 'boolean' } },
    run: transfer,
  },
});
