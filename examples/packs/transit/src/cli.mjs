import { main } from './run.mjs';
import { Failure, readState, writeState } from './state.mjs';

const FILE = 'transit.json';
const FARES = { single: '2.80', day: '8.80', week: '29.00' };
const OPTIONS = ['opt-1', 'opt-2', 'opt-3'];
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

const initial = () => ({ tickets: [] });
const isValid = (state) =>
  Array.isArray(state?.tickets) && state.tickets.every((ticket) => typeof ticket?.id === 'string');

function stops({ from, to }) {
  if (!from || !to) throw new Failure('usage', '--from STOP and --to STOP are needed');
  if (from === to) throw new Failure('same_stop', 'the journey starts where it ends');
  return { from, to };
}

function plan({ values, words }) {
  noMore(words, 0);
  const { from, to } = stops(values);
  const { depart } = values;
  if (depart !== undefined && !TIME.test(depart)) throw new Failure('usage', '--depart takes HH:MM');
  return { from, to, optionId: OPTIONS[0], ...(depart !== undefined && { depart }) };
}

function fares({ words }) {
  noMore(words, 0);
  return { currency: 'EUR', fares: Object.entries(FARES).map(([ticket, price]) => ({ ticket, price })) };
}

function tickets({ words }) {
  noMore(words, 0);
  return { tickets: readState(FILE, initial, isValid).tickets };
}

function book({ values, words }) {
  noMore(words, 1);
  const [option] = words;
  if (option === undefined) throw new Failure('usage', 'an option is needed; transit plan gives one');
  if (!OPTIONS.includes(option)) throw new Failure('unknown_option', 'there is no such option; transit plan gives one');
  const { from, to } = stops(values);
  const passengers = Number(values.passengers ?? 1);
  if (!Number.isInteger(passengers) || passengers < 1 || passengers > 9) {
    throw new Failure('usage', '--passengers takes 1 to 9');
  }
  if (values.confirm !== true) throw new Failure('confirm_required', 'nothing was booked: add --confirm to book');
  const state = readState(FILE, initial, isValid);
  const ticket = { id: `ticket-${state.tickets.length + 1}`, optionId: option, from, to, passengers };
  writeState(FILE, { tickets: [...state.tickets, ticket] });
  return { ticket };
}

function noMore(words, allowed) {
  if (words.length > allowed) throw new Failure('usage', 'there are more words than the command takes');
}

const STOPS = { from: { type: 'string' }, to: { type: 'string' } };

main('transit', {
  plan: {
    usage: 'plan --from STOP --to STOP [--depart HH:MM] [--json]',
    options: { ...STOPS, depart: { type: 'string' } },
    run: plan,
  },
  fares: { usage: 'fares [--json]', options: {}, run: fares },
  tickets: { usage: 'tickets [--json]', options: {}, run: tickets },
  book: {
    usage: 'book OPTION --from STOP --to STOP [--passengers N] --confirm [--json]',
    options: { ...STOPS, passengers: { type: 'string' }, confirm: { type: 'boolean' } },
    run: book,
  },
});
