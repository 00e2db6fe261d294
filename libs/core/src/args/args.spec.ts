import { describe, expect, it } from 'vitest';
import { anySchema } from '../../spec/fixtures.js';
import { argsFault, invalidArgs, splitControl, validateArgs, type Command, type SchemaCheck } from '../index.js';

const command = (properties?: Record<string, Record<string, unknown>>, cli?: string[]): Command => ({
  description: 'x',
  ...(properties === undefined ? {} : { args: { type: 'object', properties } }),
  ...(cli === undefined ? {} : { cli }),
});

describe('splitControl', () => {
  it('takes control words out, and keeps the ones that the command declares as well', () => {
    const args = { confirm: true, apply: false, mode: 'mock', x: 1 };
    expect(splitControl(command(), args)).toEqual({ control: { confirm: true, mode: 'mock' }, rendered: { x: 1 } });
    expect(splitControl(command({ mode: {}, confirm: {} }), args)).toEqual({
      control: { confirm: true, mode: 'mock' },
      rendered: { confirm: true, mode: 'mock', x: 1 },
    });
  });

  it.each([['true'], [1], [null], [{}]])('takes %j for no yes', (word) => {
    expect(splitControl(command(), { confirm: word, apply: word }).control.confirm).toBe(false);
  });

  it('takes apply for a yes, and no inherited one', () => {
    expect(splitControl(command(), { apply: true }).control.confirm).toBe(true);
    expect(splitControl(command(), Object.create({ confirm: true }) as Record<string, unknown>).control.confirm).toBe(
      false,
    );
  });
});

describe('validateArgs', () => {
  const error = (cmd: Command, args: Record<string, unknown>, check: SchemaCheck = anySchema): string | null =>
    validateArgs(cmd, args, check)?.error ?? null;

  it('validates the decimal string of a number property as a number, and hands on what was sent', () => {
    const seen: unknown[] = [];
    const cmd = command({
      amount: { type: 'number' },
      n: { type: 'integer' },
      s: { type: 'string' },
      either: { type: ['string', 'number'] },
    });
    const args = { amount: '2.80', n: '10', s: '5', either: '5' };
    expect(error(cmd, args, (_, value) => (seen.push(value), null))).toBeNull();
    expect(seen).toEqual([{ amount: 2.8, n: 10, s: '5', either: '5' }]);
    expect(args.amount).toBe('2.80');
  });

  it('takes the texts of a switch for booleans, and of nothing else', () => {
    const seen: unknown[] = [];
    const properties = { on: { type: 'boolean', 'x-switch': '--on' }, off: { type: 'boolean' } };
    const command: Command = { description: 'x', args: { type: 'object', properties } };
    validateArgs(command, { on: 'true', off: 'true' }, (_, value) => {
      seen.push(value);
      return null;
    });
    expect(seen).toEqual([{ on: true, off: 'true' }]);
  });

  it('reads decimals inside of objects and arrays', () => {
    const seen: unknown[] = [];
    const cmd = command({
      o: { type: 'object', properties: { n: { type: 'number' } } },
      a: { type: 'array', items: { type: 'integer' } },
    });
    error(cmd, { o: { n: '1.50', m: '2' }, a: ['1', 'x'] }, (_, value) => (seen.push(value), null));
    expect(seen).toEqual([{ o: { n: 1.5, m: '2' }, a: [1, 'x'] }]);
  });

  it.each(['1e3', '0x10', ' 1', '1 EUR', '+1', '01', '.5', '1.', '٣'])(
    'leaves %j a text, which a number property refuses',
    (text) => {
      const seen: unknown[] = [];
      error(command({ n: { type: 'number' } }), { n: text }, (_, value) => (seen.push(value), null));
      expect(seen).toEqual([{ n: text }]);
    },
  );

  it('leaves a fraction a text where a whole number is wanted', () => {
    const seen: unknown[] = [];
    error(command({ n: { type: 'integer' } }), { n: '3.0' }, (_, value) => (seen.push(value), null));
    expect(seen).toEqual([{ n: '3.0' }]);
  });

  it.each(['9007199254740993', '0.10000000000000000001', '-0', `1${'0'.repeat(400)}`])(
    'refuses %s: a double changes it',
    (n) => {
      expect(error(command({ n: { type: 'number' } }), { n })).toBe(
        'invalid args: n is a number that a double cannot hold exactly',
      );
    },
  );

  it.each([[2 ** 53], [Number.POSITIVE_INFINITY], [-0], [Number.NaN]])('refuses the number %d', (n) => {
    expect(error(command(), { deep: [{ n }] })).toBe('invalid args: deep.0.n is a number that does not round-trip');
  });

  it('refuses NUL and broken Unicode in any text, without a schema too', () => {
    expect(error(command(), { x: 'secret\u0000' })).toBe('invalid args: x holds a NUL character');
    expect(error(command(), { x: ['\udfff'] })).toBe('invalid args: x.0 is not well-formed Unicode');
  });

  it('refuses undeclared arguments once a command declares any, but for placeholders', () => {
    expect(error(command(), { x: 1 })).toBeNull();
    expect(error(command({ a: {} }, ['t', '{{x}}']), { x: 1 })).toBeNull();
    expect(error(command({ a: {} }), { x: 1 })).toBe('invalid args: x is no argument of this command');
    expect(error(command({ a: {} }), { toString: 1 })).toBe('invalid args: toString is no argument of this command');
    expect(error(command({ a: {} }, ['{{x}}']), { x: 1 })).toContain('x is no argument');
    expect(error(command({ a: {} }), { 'a\u202e': 1 })).toBe(
      'invalid args: (unprintable name) is no argument of this command',
    );
  });

  it.each([
    ['/to/0/name', 'to.0.name'],
    ['to.0', 'to.0'],
    ['', 'args'],
    ['/a~1b', '(unprintable name)'],
  ])('names the path %j as %s', (path, shown) => {
    expect(error(command({ to: {} }), {}, () => ({ path, why: 'must be string' }))).toBe(
      `invalid args: ${shown} must be string`,
    );
  });
});

describe('argsFault', () => {
  it.each([
    ['/to/0/name', ['to', '0', 'name']],
    ['amount', ['amount']],
    ['', []],
  ])('reads where %j is', (path, shown) => {
    expect(argsFault(invalidArgs(path, 'must be > 0').error)).toEqual({ path: shown, why: 'must be > 0' });
  });

  it('knows no other error', () => {
    expect(argsFault('confirm required')).toBeNull();
  });
});
