import { readArgv } from '@hcp/core';
import { describe, expect, it } from 'vitest';
import { typedForm } from './typed-form.js';

const text = { type: 'string' };
const form = (verb_key: string, cli: string[] | undefined, properties: object, required: string[] = []): string =>
  typedForm({ pack_id: 'tool', verb_key, cli, args: { type: 'object', properties, required } });

describe('the form that a command is typed in', () => {
  it('has its own words, places and flags; what may be left out in brackets', () => {
    const cli = ['tool', 'transfer', '{{amount}}', '--to', '{{payee}}', '--memo={{memo}}'];
    expect(form('transfer', cli, { amount: text, payee: text, memo: text }, ['amount', 'payee'])).toBe(
      'hcpx tool transfer <amount> --to <payee> [--memo=<memo>]',
    );
    expect(form('payee.add', ['tool', 'payee', 'add', '{{name}}'], { name: text })).toBe(
      'hcpx tool payee add [<name>]',
    );
  });

  it('has the key where the program has no words, and switches as they are typed', () => {
    const properties = {
      human_readable: { type: 'boolean', 'x-switch': '--human-readable' },
      c: { type: 'boolean', 'x-switch': '-c' },
      c_2: { type: 'boolean', 'x-switch': '-C' },
      file: text,
    };
    const cli = ['df', '{{human_readable}}', '{{c}}', '{{c_2}}', '{{file}}'];
    expect(form('run', cli, properties)).toBe('hcpx tool run [--human-readable] [-c] [-C] [<file>]');
  });

  it('has every argument of what has no command line', () => {
    const properties = { max_age: text, quick: { type: 'boolean' }, from: { ...text, 'x-position': 0 } };
    expect(form('go', undefined, properties, ['from', 'max_age'])).toBe(
      'hcpx tool go <from> --max-age <max_age> [--quick]',
    );
    const surface = { commands: { go: { description: 'x', args: { type: 'object', properties } } } };
    const pack = { manifest: {}, surface } as unknown as Parameters<typeof readArgv>[0];
    expect(readArgv(pack, 'go', ['A', '--max-age', '3', '--quick'])).toEqual({
      args: { from: 'A', max_age: '3', quick: true },
      extra: [],
      twice: [],
      unknown: [],
    });
  });
});
