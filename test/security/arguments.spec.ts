import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultEnvelope } from '@hcp/core';
import { packArchive } from '../support/packs.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** CASES 17 and 25 to 28: whatever a value says, it is one literal item of argv, or refused before anything runs. */

const BIN = `#!/usr/bin/env node
console.log(JSON.stringify({ argv: process.argv.slice(2), template: process.env.TEMPLATE, odd: process.env.ODD }));
`;

const value = { type: 'object' as const, properties: { value: {} }, required: ['value'] };
const text = { type: 'object' as const, properties: { value: { type: 'string' } }, required: ['value'] };
const ODD = `"'\${HOME}\\ $(id) \`id\` {{amount}} %s`;

let stack: Stack;
let owner: Person;
beforeAll(async () => {
  stack = await startStack();
  ({ owner } = await tenantWithOwner(stack));
  const commands = {
    bare: { description: 'Bare.', cli: ['argv', 'bare', '{{value}}'], args: value },
    text: { description: 'Bare text.', cli: ['argv', 'text', '{{value}}'], args: text },
    flag: { description: 'Flag.', cli: ['argv', '--value', '{{value}}', 'end'], args: value },
    mixed: { description: 'Mixed.', cli: ['argv', '--value={{value}}', 'end'], args: value },
    start: { description: 'Mixed, at the start.', cli: ['argv', '{{value}}.txt'], args: value },
    tail: { description: 'After the end of options.', cli: ['argv', '--', '{{value}}'], args: value },
    dash: {
      description: 'Says that a dash is fine.',
      cli: ['argv', '--', '{{value}}'],
      args: { type: 'object' as const, properties: { value: { type: 'string', 'x-dash': true } } },
    },
    twice: { description: 'Ten times.', cli: ['argv', ...Array.from({ length: 10 }, () => '{{value}}')], args: value },
    open: {
      description: 'Declares nothing but uses two.',
      cli: ['argv', '{{amount}}', '{{value}}'],
      args: { type: 'object' as const, properties: { amount: { type: 'number' }, value: {} } },
    },
    free: { description: 'Declares no argument.', cli: ['argv', 'free', '{{value}}'] },
  };
  const env = { TEMPLATE: '{{value}}', ODD };
  await install(
    stack,
    owner.token,
    await packArchive({ pack_id: 'argv', bin: BIN, wrap: { agent_env: env }, commands }),
  );
}, 120_000);
afterAll(() => stack.stop());

async function exec(verb_key: string, args: unknown): Promise<ResultEnvelope> {
  const body = { pack_id: 'argv', verb_key, args };
  const answer = await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function argv(verb_key: string, args: unknown): Promise<string[]> {
  const answer = await exec(verb_key, args);
  expect(answer).toMatchObject({ ok: true });
  return (answer.result as { argv: string[] }).argv;
}

async function refused(verb_key: string, args: unknown, error: string, secret?: string): Promise<void> {
  const answer = await exec(verb_key, args);
  expect(answer).toMatchObject({ ok: false, code: 'invalid_args', error, run_id: null, result: null });
  expect(answer.hint).toBeTruthy();
  if (secret !== undefined) expect(JSON.stringify(answer)).not.toContain(secret);
}

const LITERAL = [
  '; id',
  '$(id)',
  '`id`',
  '{{amount}}',
  '{{value}}',
  '{{ value }}',
  '%s%n%x',
  'a\nb\r\n',
  '\ttab',
  '"double" \'single\'',
  '${HOME} $HOME ~',
  '*?[a-z]',
  '&& id || id | id > /tmp/x < /etc/passwd',
  'a\\',
  '@/etc/passwd',
  '../../etc/passwd',
  'file:///etc/passwd',
  '\u001b[31mred\u0007',
  '\u202egnp.exe',
  '😀 имя 名前',
  ' ',
  'true',
  '1e3',
  '!! !$',
  '__proto__',
];

describe('a value', () => {
  it.each(LITERAL)('is one literal item: %j', async (one) => {
    expect(await argv('bare', { value: one })).toEqual(['bare', one]);
    expect(await argv('flag', { value: one })).toEqual(['--value', one, 'end']);
    expect(await argv('mixed', { value: one })).toEqual([`--value=${one}`, 'end']);
  });

  it.each([
    '--upload-pack=x',
    '-o/tmp/x',
    '-',
    '--',
    '--exec=sh',
    '-rf',
    '-1x',
    '--json',
    '-e',
    '−1'.replace('−', '--1'),
  ])('that would be an option is refused where one could stand, and literal elsewhere: %s', async (one) => {
    const why = 'invalid args: value begins with "-" and would be read as an option';
    for (const verb of ['bare', 'text', 'flag', 'tail', 'start']) await refused(verb, { value: one }, why);
    expect(await argv('mixed', { value: one })).toEqual([`--value=${one}`, 'end']);
    expect(await argv('dash', { value: one })).toEqual(['--', one]);
  });

  it('that is a negative number is no option', async () => {
    expect(await argv('bare', { value: -1 })).toEqual(['bare', '-1']);
    expect(await argv('bare', { value: '-2.80' })).toEqual(['bare', '-2.80']);
  });

  it('is never looked at for placeholders again', async () => {
    expect(await argv('open', { amount: 5, value: '{{amount}}' })).toEqual(['5', '{{amount}}']);
    await refused('open', { amount: '{{value}}', value: 'x' }, 'invalid args: amount must be number', '{{value}}');
  });

  it('with NUL or half a surrogate is refused, wherever it stands', async () => {
    for (const verb of ['bare', 'text', 'flag', 'mixed', 'dash', 'free']) {
      await refused(verb, { value: 'canary\u0000x' }, 'invalid args: value holds a NUL character', 'canary');
      for (const half of ['canary\ud800', '\udfffcanary', 'a\ude00\ud83dcanary']) {
        await refused(verb, { value: half }, 'invalid args: value is not well-formed Unicode', 'canary');
      }
    }
  });

  it('is refused from 128 KiB on, counted in bytes, and alike together beyond 1 MiB', async () => {
    const most = 'a'.repeat(128 * 1024 - 1);
    expect(await argv('bare', { value: most })).toEqual(['bare', most]);
    await refused('bare', { value: `${most}a` }, 'invalid args: value is larger than 128 KiB');
    await refused('bare', { value: '名'.repeat(44_000) }, 'invalid args: value is larger than 128 KiB');
    await refused('mixed', { value: most }, 'invalid args: value makes an argument larger than 128 KiB');
    await refused('twice', { value: most }, 'invalid args: args are together larger than 1 MiB');
  });

  it('that is an object or a list is refused', async () => {
    for (const one of [{}, { a: 'canary' }, [], ['canary'], [['canary']]]) {
      await refused('bare', { value: one }, 'invalid args: value must be a text, a number or a boolean', 'canary');
      await refused('free', { value: one }, 'invalid args: value must be a text, a number or a boolean', 'canary');
      await refused('text', { value: one }, 'invalid args: value must be string', 'canary');
    }
  });

  it('that is nothing drops its item and the flag before it', async () => {
    for (const one of ['', null]) {
      expect(await argv('bare', { value: one })).toEqual(['bare']);
      expect(await argv('flag', { value: one })).toEqual(['end']);
      expect(await argv('mixed', { value: one })).toEqual(['end']);
      expect(await argv('tail', { value: one })).toEqual(['--']);
    }
  });

  it('of another type is its text', async () => {
    expect(await argv('bare', { value: true })).toEqual(['bare', 'true']);
    expect(await argv('bare', { value: 1.5 })).toEqual(['bare', '1.5']);
    expect(await argv('bare', { value: 0 })).toEqual(['bare', '0']);
  });

  it('of a name that the command does not declare is refused by name', async () => {
    await refused(
      'bare',
      { value: 'x', other: 'canary' },
      'invalid args: other is no argument of this command',
      'canary',
    );
    await refused(
      'bare',
      { value: 'x', 'a b\n$(id)': 'canary' },
      'invalid args: (unprintable name) is no argument of this command',
      'canary',
    );
  });
});

describe('what a pack puts into the environment', () => {
  it('is data, quotes and placeholders and all', async () => {
    const answer = await exec('bare', { value: 'x' });
    expect(answer.result).toMatchObject({ template: '{{value}}', odd: ODD });
  });
});
