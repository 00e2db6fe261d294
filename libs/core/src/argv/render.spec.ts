import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packOf, makePack } from '../../spec/fixtures.js';
import { MAX_VALUE_BYTES, renderArgv, splitControl } from '../index.js';
import { TRANSFER } from '../../spec/fixtures.js';

const argv = (pack: ReturnType<typeof packOf>, args: Record<string, unknown>, verb = 'go'): string[] => {
  const rendered = renderArgv(pack, verb, args);
  if (!rendered.ok) throw new Error(rendered.denial.error);
  return rendered.argv;
};
const refusal = (pack: ReturnType<typeof packOf>, args: Record<string, unknown>): string => {
  const rendered = renderArgv(pack, 'go', args);
  return rendered.ok ? 'ok' : `${rendered.denial.code}: ${rendered.denial.error}`;
};

describe('renderArgv', () => {
  it("renders the protocol's example word for word", () => {
    const { rendered } = splitControl(TRANSFER, { amount: '2.80', payee: 'demo-transit', confirm: true });
    expect(renderArgv(makePack(), 'transfer', rendered)).toEqual({
      ok: true,
      bin: 'bin/ledger',
      argv: ['transfer', '2.80', '--to', 'demo-transit', '--confirm', '--json'],
    });
  });

  it.each<[string, string[], Record<string, unknown>, string[]]>([
    ['drops the first token', ['tool', 'a'], {}, ['a', '--json']],
    ['drops a bare token with its flag', ['t', '--memo', '{{memo}}', 'x'], {}, ['x', '--json']],
    ['drops it for null', ['t', '--memo', '{{memo}}', 'x'], { memo: null }, ['x', '--json']],
    ['drops it for an empty text', ['t', '--memo', '{{memo}}', 'x'], { memo: '' }, ['x', '--json']],
    ['keeps zero', ['t', '--n', '{{n}}'], { n: 0 }, ['--n', '0', '--json']],
    ['keeps false', ['t', '--n', '{{n}}'], { n: false }, ['--n', 'false', '--json']],
    ['keeps a word in front of a missing value', ['t', 'word', '{{x}}'], {}, ['word', '--json']],
    ['keeps a flag that has its value joined', ['t', '--a=1', '{{x}}'], {}, ['--a=1', '--json']],
    ['drops one flag only', ['t', '--a', '--b', '{{x}}'], {}, ['--a', '--json']],
    ['does not take the flag of another value', ['t', '--at', '{{x}}', '{{y}}'], { x: 1 }, ['--at', '1', '--json']],
    ['keeps the value behind a dropped one', ['t', '--at', '{{x}}', '{{y}}'], { y: 1 }, ['1', '--json']],
    ['renders a mixed token', ['t', '--to={{x}}:{{y}}'], { x: 1, y: 'b' }, ['--to=1:b', '--json']],
    ['drops a mixed token whole', ['t', '--to={{x}}:{{y}}', 'z'], { x: 1 }, ['z', '--json']],
    ['drops a mixed token, not the flag before it', ['t', '-v', '--to={{x}}'], {}, ['-v', '--json']],
    ['never drops a literal --', ['t', '--', '{{x}}'], {}, ['--json', '--']],
    ['puts the flag before --', ['t', 'a', '--', '{{x}}'], { x: 'v' }, ['a', '--json', '--', 'v']],
    ['finds the flag where the pack wrote it', ['t', '--json', 'a'], {}, ['--json', 'a']],
    ['does not take a value for the flag', ['t', 'a={{x}}'], { x: '--json' }, ['a=--json', '--json']],
    ['looks up no inherited name', ['t', '{{toString}}', '{{constructor}}'], {}, ['--json']],
  ])('%s', (_, cli, args, expected) => {
    expect(argv(packOf({ cli }), args)).toEqual(expected);
  });

  it.each<[unknown, string[]]>([
    [true, ['-v', '--force', 'x', '--json']],
    ['true', ['-v', '--force', 'x', '--json']],
    [false, ['-v', 'x', '--json']],
    ['false', ['-v', 'x', '--json']],
    [undefined, ['-v', 'x', '--json']],
    [null, ['-v', 'x', '--json']],
  ])('renders a switch that is %j as its flag or not at all', (force, expected) => {
    const args = { type: 'object', properties: { force: { type: 'boolean', 'x-switch': '--force' } } } as const;
    const pack = packOf({ cli: ['t', '-v', '{{force}}', '{{at}}'], args });
    expect(argv(pack, { force, at: 'x' })).toEqual(expected);
    expect(refusal(pack, { force: '--rf' })).toBe('invalid_args: invalid args: force must be true or false');
  });

  it('appends the flag of the manifest, or none', () => {
    expect(argv(packOf({ cli: ['t', 'a'] }, { json_flag: '--format=json' }), {})).toEqual(['a', '--format=json']);
    expect(argv(packOf({ cli: ['t', 'a'] }, { json_flag: false }), {})).toEqual(['a']);
  });

  it('does not take a value that equals the flag or -- for a token of the pack', () => {
    const pack = packOf({
      cli: ['t', '{{x}}', '{{y}}'],
      args: { type: 'object', properties: { x: { 'x-dash': true }, y: { 'x-dash': true } } },
    });
    expect(argv(pack, { x: '--', y: '--json' })).toEqual(['--', '--json', '--json']);
  });

  it('renders argv_template with the tail of the verb', () => {
    const pack = makePack({
      manifest: { wrap: { bin: 'bin/t', argv_template: ['run', '{{verb}}', '--name', '{{name}}'] } },
      commands: { 'setup.apply': { description: 'x' } },
    });
    expect(argv(pack, { name: 'n', verb: 'other' }, 'setup.apply')).toEqual(['run', 'apply', '--name', 'n', '--json']);
    expect(argv(pack, {}, 'setup.apply')).toEqual(['run', 'apply', '--json']);
  });

  it('refuses a command without a command line, or that is none', () => {
    expect(renderArgv(packOf({}), 'go', {})).toMatchObject({ ok: false, denial: { code: 'internal' } });
    expect(renderArgv(packOf({ cli: ['t'] }), 'constructor', {})).toMatchObject({ ok: false });
  });

  it.each<[string, unknown, string]>([
    ['an object', { a: 1 }, 'must be a text, a number or a boolean'],
    ['an array', ['a'], 'must be a text, a number or a boolean'],
    ['NUL', 'a\u0000b', 'holds a NUL character'],
    ['a lone surrogate', '\ud800', 'is not well-formed Unicode'],
    ['an option', '--upload-pack=x', 'begins with "-" and would be read as an option'],
    ['a short option', '-o/tmp/x', 'begins with "-" and would be read as an option'],
    ['two dashes', '--', 'begins with "-" and would be read as an option'],
    ['a dash', '-', 'begins with "-" and would be read as an option'],
    ['a number with a tail', '-5x', 'begins with "-" and would be read as an option'],
    ['128 KiB', 'é'.repeat(MAX_VALUE_BYTES / 2), 'is larger than 128 KiB'],
  ])('refuses %s without repeating it', (_, value, why) => {
    expect(refusal(packOf({ cli: ['t', '{{x}}'] }), { x: value })).toBe(`invalid_args: invalid args: x ${why}`);
  });

  it('refuses an option in front of literal text just so', () => {
    expect(refusal(packOf({ cli: ['t', '{{x}}.txt'] }), { x: '-o' })).toContain('would be read as an option');
    expect(argv(packOf({ cli: ['t', '--out={{x}}'] }), { x: '-o' })).toEqual(['--out=-o', '--json']);
  });

  it.each(['-5', '-2.80', '-.5', '-1e-7'])('takes the negative number %s', (x) => {
    expect(argv(packOf({ cli: ['t', '{{x}}'] }), { x })).toEqual([x, '--json']);
  });

  it('takes a dash where the argument says so', () => {
    const pack = packOf({
      cli: ['t', '--', '{{x}}'],
      args: { type: 'object', properties: { x: { type: 'string', 'x-dash': true } } },
    });
    expect(argv(pack, { x: '--upload-pack=x' })).toEqual(['--json', '--', '--upload-pack=x']);
  });

  it('refuses more than 1 MiB together', () => {
    const names = Array.from({ length: 9 }, (_, index) => `a${index}`);
    const pack = packOf({ cli: ['t', ...names.map((name) => `{{${name}}}`)] });
    const full = Object.fromEntries(names.map((name) => [name, 'x'.repeat(MAX_VALUE_BYTES - 1)]));
    expect(refusal(pack, full)).toBe('invalid_args: invalid args: args are together larger than 1 MiB');
    expect(refusal(pack, { ...full, a8: '', a7: '' })).toBe('ok');
  });
});

describe('renderArgv, for all values', () => {
  const hostile = fc.constantFrom(
    '; id',
    '$(id)',
    '`id`',
    '{{amount}}',
    '{{b}}',
    '{{verb}}',
    '%s',
    'a\nb',
    "'",
    '"',
    '\\',
    '$&',
    '$1',
    '--json',
    '*',
  );
  const value = fc.oneof(
    hostile,
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const args = fc.record({ a: value, b: value, c: value }, { requiredKeys: [] });
  const tokens = fc.array(
    fc.constantFrom('word', '--flag', '--', '{{a}}', '{{b}}', '--to={{c}}', '--json', 'p/{{a}}-{{b}}'),
    { maxLength: 8 },
  );

  it('makes one literal item of each value and never reads it again', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const rendered = renderArgv(packOf({ cli: ['t', '--a', '{{a}}', '--b={{b}}', 'end'] }), 'go', { a, b });
        if (!rendered.ok) return rendered.denial.code === 'invalid_args';
        const missing = (each: unknown): boolean => each === null || each === '';
        expect(rendered.argv).toEqual([
          ...(missing(a) ? [] : ['--a', String(a)]),
          ...(missing(b) ? [] : [`--b=${String(b)}`]),
          'end',
          '--json',
        ]);
        return true;
      }),
    );
  });

  it('never has more items than the template and one flag, and only items that the pack or a value wrote', () => {
    fc.assert(
      fc.property(tokens, args, (cli, given) => {
        const rendered = renderArgv(packOf({ cli: ['t', ...cli] }), 'go', given);
        if (!rendered.ok) return rendered.denial.code === 'invalid_args';
        expect(rendered.argv.length).toBeLessThanOrEqual(cli.length + 1);
        expect(rendered.argv.filter((item) => item === '--json').length).toBeGreaterThanOrEqual(1);
        const text = (name: 'a' | 'b' | 'c'): string => String(given[name]);
        const possible = new Set([
          ...cli,
          '--json',
          text('a'),
          text('b'),
          `--to=${text('c')}`,
          `p/${text('a')}-${text('b')}`,
        ]);
        expect(rendered.argv.filter((item) => !possible.has(item))).toEqual([]);
        return !rendered.argv.some((item) => item.includes('\u0000'));
      }),
    );
  });

  it('never throws, whatever JSON the arguments are', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.jsonValue()), (given) => {
        expect(() =>
          renderArgv(packOf({ cli: ['t', '{{a}}', '-x', '{{b}}', '--c={{c}}'] }), 'go', given),
        ).not.toThrow();
      }),
    );
  });
});
