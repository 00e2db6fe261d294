import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pack } from '../packs/pack.js';
import type { PolicyRow } from '../packs/policy.js';
import type { Command } from '../packs/surface.js';
import { buildView, MAX_SHOWN } from './build.js';
import { approvalOptions } from './options.js';

const packOf = (pack_id: string, commands: Record<string, Command>): Pick<Pack, 'manifest' | 'surface'> => ({
  manifest: { pack_id, name: pack_id, version: '1.0.0', description: 'd', kind: 'wrap', binding: { family: 'public' } },
  surface: { commands },
});
const bare: Command = { description: 'd' };

const LEDGER = packOf('ledger', {
  transfer: {
    description: 'Pay a saved payee. Refused until a person confirms the amount and payee.',
    preview: {
      kind: 'payment',
      title: 'Pay {{payee}}',
      fields: {
        amount: '{{amount}}',
        currency: 'EUR',
        to: '{{payee}}',
        from: 'Demo account DEMO-0001',
        memo: '{{memo}}',
      },
    },
  },
});

describe('a declared preview', () => {
  it('is shown with the real arguments', () => {
    expect(buildView(LEDGER, 'transfer', { amount: '2.80', payee: 'demo-transit' }).view).toEqual({
      kind: 'payment',
      title: 'Pay demo-transit',
      fields: [
        { name: 'amount', value: '2.80' },
        { name: 'currency', value: 'EUR' },
        { name: 'to', value: 'demo-transit' },
        { name: 'from', value: 'Demo account DEMO-0001' },
      ],
      rest: [],
      signals: [{ id: 'moves_money', text: 'Moves money' }],
      sources: { amount: ['amount'], to: ['payee'] },
      complete: true,
    });
  });

  it('cannot dress a payment up', () => {
    const pack = packOf('shop', {
      pay: { description: 'd', preview: { kind: 'command', title: 'Look around', fields: { amount: '{{amount}}' } } },
    });
    const built = buildView(pack, 'pay', { amount: '900', payee: 'x' });
    expect(built.view).toMatchObject({ kind: 'command', signals: [{ id: 'moves_money' }] });
    expect(built.view.rest).toEqual([{ name: 'payee', value: 'x' }]);
    const row: PolicyRow = { operation: 'write', confirm: true, privacy: { land: 'personal' } };
    const command = { pack_id: 'shop', verb_key: 'pay', row, argument_names: new Set(['amount', 'payee']) };
    expect(approvalOptions(command, built, {}).map(({ kind }) => kind)).toEqual(['allow_once', 'deny']);
  });

  it('never reads a value as a template', () => {
    const { view } = buildView(LEDGER, 'transfer', { amount: '{{payee}}', payee: 'x', memo: '{{amount}}' });
    expect(view.fields).toContainEqual({ name: 'amount', value: '{{payee}}' });
    expect(view.fields).toContainEqual({ name: 'memo', value: '{{amount}}' });
  });
});

describe('an inferred view', () => {
  it.each([
    ['mail', 'mail.send', { to: 'a@x', subject: 'Hi', body: 'B' }, 'message', 'Send “Hi” to a@x'],
    ['bank', 'transfer', { amount: '5', currency: 'EUR', payee: 'bob' }, 'payment', 'Pay 5 EUR to bob'],
    ['calendar', 'cancel', { id: 'e1' }, 'event', 'Cancel event e1'],
    ['notes', 'delete', { id: 'n1' }, 'removal', 'Delete n1'],
    ['npm', 'publish', { package: 'p', version: '1.0.0' }, 'publish', 'Publish p 1.0.0'],
    ['notes', 'rename', { id: 'n1', to: 'x' }, 'change', 'Rename n1'],
    ['bank', 'transfer', { note: 'no amount' }, 'command', 'Transfer'],
    ['jobs', 'run-all', {}, 'command', 'Run all'],
  ])('%s %s', (pack_id, verb_key, args, kind, title) => {
    expect(buildView(packOf(pack_id, { [verb_key]: bare }), verb_key, args).view).toMatchObject({ kind, title });
  });

  it('counts whom it reaches', () => {
    const send = buildView(packOf('mail', { send: bare }), 'send', { to: 'a@x, b@x;A@x', cc: 'c@x', subject: 's' });
    expect(send.view.signals).toEqual([{ id: 'reaches', text: 'Goes to 3 people' }]);
    const cancel = buildView(packOf('calendar', { cancel: bare }), 'cancel', { id: '1', attendees: 'a@x' });
    expect(cancel.view.signals).toEqual([{ id: 'tells_cancelled', text: 'Tells 1 person it is cancelled' }]);
  });
});

describe('any card', () => {
  const args = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.oneof(fc.string({ unit: 'binary' }), fc.integer()));
  const verbs = fc.constantFrom('transfer', 'send', 'delete', 'publish', 'run', 'cancel');

  it('shows every argument somewhere, with nothing invisible', () => {
    fc.assert(
      fc.property(verbs, args, (verb_key, given) => {
        const { view } = buildView(packOf('any', { [verb_key]: bare }), verb_key, given);
        const behind = new Set([...Object.values(view.sources).flat(), ...view.rest.map(({ name }) => name)]);
        for (const name of Object.keys(given)) expect(behind.has(name)).toBe(true);
        const texts = [view.title, ...[...view.fields, ...view.rest].flatMap(({ name, value }) => [name, value])];
        expect(texts.join('')).not.toMatch(/[\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  it('says so where a value is too long to show', () => {
    const { view } = buildView(packOf('any', { run: bare }), 'run', { text: 'x'.repeat(MAX_SHOWN + 1) });
    expect(view).toMatchObject({ complete: false, rest: [{ cut: true }] });
  });
});

describe('a session option', () => {
  const row: PolicyRow = { operation: 'write', confirm: true, privacy: { land: 'personal' } };
  const options = (pack_id: string, verb_key: string, args: Record<string, unknown>, names: string[], policy = row) =>
    approvalOptions(
      { pack_id, verb_key, row: policy, argument_names: new Set(names) },
      buildView(packOf(pack_id, { [verb_key]: bare }), verb_key, args),
      args,
    );

  it('binds the audience of a message', () => {
    const args = { to: 'a@x', subject: 's' };
    expect(options('mail', 'send', args, ['to', 'subject'])).toContainEqual({
      kind: 'allow_session',
      rule: { match: 'mail.send', decision: 'allow', note: 'session', when: { args: { to: 'a@x' } } },
    });
    // A copy to others, left out now, could not be held fast.
    expect(options('mail', 'send', args, ['to', 'cc', 'subject']).map(({ kind }) => kind)).toEqual([
      'allow_once',
      'deny',
    ]);
  });

  it.each([
    ['notes', 'delete'],
    ['npm', 'publish'],
    ['calendar', 'cancel'],
  ])('is not there for %s %s', (pack_id, verb_key) => {
    expect(options(pack_id, verb_key, {}, []).map(({ kind }) => kind)).toEqual(['allow_once', 'deny']);
  });

  it('is not there for what always asks', () => {
    const kinds = options('x', 'update', {}, [], { ...row, confirm: 'always' }).map(({ kind }) => kind);
    expect(kinds).toEqual(['allow_once', 'deny']);
    expect(options('x', 'update', {}, []).map(({ kind }) => kind)).toEqual(['allow_once', 'allow_session', 'deny']);
  });
});
