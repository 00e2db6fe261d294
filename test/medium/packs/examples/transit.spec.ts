import { afterEach, beforeEach, expect, it } from 'vitest';
import { ExampleCli } from './cli.js';

let transit: ExampleCli;
beforeEach(async () => {
  transit = await ExampleCli.start('transit');
});
afterEach(() => transit.end());

it('plans as the protocol shows it', async () => {
  expect(await transit.run('plan', '--from=A', '--to=B')).toEqual({
    exit: 0,
    out: { ok: true, verb: 'plan', from: 'A', to: 'B', optionId: 'opt-1' },
  });
});

it('gives back any name of a stop as it came', async () => {
  const from = '; id $(id) `id` {{amount}} %s\n--upload-pack=x';
  expect((await transit.run('plan', `--from=${from}`, '--to=B')).out).toMatchObject({ from });
});

it('books what was planned, once it is confirmed', async () => {
  const argv = ['book', 'opt-1', '--from=A', '--to=B', '--passengers=2'];
  expect(await transit.run(...argv)).toMatchObject({ exit: 1, out: { code: 'confirm_required' } });
  const ticket = { id: 'ticket-1', optionId: 'opt-1', from: 'A', to: 'B', passengers: 2 };
  expect((await transit.run(...argv, '--confirm')).out).toEqual({ ok: true, verb: 'book', ticket });
  expect((await transit.run('tickets')).out).toMatchObject({ tickets: [ticket] });
});

it('names what is wrong', async () => {
  expect(await transit.run('plan', '--from=A', '--to=A')).toMatchObject({ exit: 1, out: { code: 'same_stop' } });
  expect(await transit.run('plan', '--from=A')).toMatchObject({ exit: 2, out: { code: 'usage' } });
  const other = ['book', 'opt-9', '--from=A', '--to=B', '--confirm'];
  expect(await transit.run(...other)).toMatchObject({ exit: 1, out: { code: 'unknown_option' } });
  expect((await transit.run('fares')).out).toMatchObject({ fares: [{ ticket: 'single', price: '2.80' }, {}, {}] });
});
