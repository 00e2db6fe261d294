import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makePack, packOf } from '../../spec/fixtures.js';
import { argsFromArgv, readArgv } from '../index.js';

describe('argsFromArgv', () => {
  const declared = packOf({
    cli: ['t', 'go'],
    args: {
      type: 'object',
      properties: {
        node_id: { type: 'string' },
        name: { type: 'string', 'x-position': 0 },
        force: { type: 'boolean' },
        tag: { type: 'array' },
      },
    },
  });

  it('reads the command line of the protocol back', () => {
    const words = ['2.80', '--to', 'demo-transit', '--confirm', '--json'];
    expect(argsFromArgv(makePack(), 'transfer', words)).toEqual({
      amount: '2.80',
      payee: 'demo-transit',
      confirm: true,
    });
  });

  it.each<[string[], Record<string, unknown>]>([
    [['--node-id=n-7'], { node_id: 'n-7' }],
    [['--node-id', 'n-7'], { node_id: 'n-7' }],
    [['--node_id', 'n-7'], { node_id: 'n-7' }],
    [['--node-id=-x=y'], { node_id: '-x=y' }],
    [['word', '--node-id', '5'], { name: 'word', node_id: '5' }],
    [['--force', 'word'], { force: true, name: 'word' }],
    [['--force=false'], { force: false }],
    [['--dry-run', 'word'], { 'dry-run': true, name: 'word' }],
    [['-v', '--level=3'], { v: true, level: '3' }],
    [['--tag', 'a', '--tag', 'b'], { tag: ['a', 'b'] }],
    [['--node-id'], { node_id: true }],
    [['--node-id', '--force'], { node_id: true, force: true }],
    [['--node-id', '-5'], { node_id: '-5' }],
    [['--', '--force'], { name: '--force' }],
    [['a', 'b', 'c'], { name: 'a', _: ['b', 'c'] }],
    [['-'], { name: '-' }],
    [['--json'], {}],
    [['--confirm=true', '--apply=false', '--mode', 'mock'], { confirm: true, apply: false, mode: 'mock' }],
    [['--mode=mock', '--other=true'], { mode: 'mock', other: 'true' }],
  ])('reads %j', (words, expected) => {
    expect(argsFromArgv(declared, 'go', words)).toEqual(expected);
  });

  it.each<[string[], string]>([
    [['2.80', '--amount', '28'], 'amount'],
    [['--amount', '28', '2.80'], 'amount'],
    [['--amount=28', '--amount=28'], 'amount'],
    [['2.80', '--to', 'a', '--payee', 'b'], 'payee'],
    [['2.80', '--confirm', '--confirm=false'], 'confirm'],
  ])('lets no value win where an argument is given twice: %j', (words, name) => {
    expect(readArgv(makePack(), 'transfer', words).twice).toEqual([name]);
    expect(argsFromArgv(makePack(), 'transfer', words)).toMatchObject({ _: [name] });
  });

  it('names flags that mean nothing, and takes the words of the runtime and lists as they are', () => {
    const words = ['--wat=1', '-x', '--force', '--confirm', '--mode', 'mock', '--apply', '--tag', 'a', '--tag', 'b'];
    expect(readArgv(declared, 'go', words)).toMatchObject({ unknown: ['--wat', '-x'], twice: [], extra: [] });
  });

  it("fills the template's places, joined flags and short flags", () => {
    const pack = packOf({ cli: ['t', '{{from}}', '-m', '{{memo}}', '--at={{at}}', '{{to}}'] });
    expect(argsFromArgv(pack, 'go', ['A', '--at', '9', 'B', '-m', 'hi'])).toEqual({
      from: 'A',
      to: 'B',
      at: '9',
      memo: 'hi',
    });
  });

  it('tells a switch from a place for a word', () => {
    const pack = packOf({
      cli: ['t', '{{quick}}', '{{name}}'],
      args: { type: 'object', properties: { quick: { type: 'boolean', 'x-switch': '-q' }, name: { type: 'string' } } },
    });
    expect(argsFromArgv(pack, 'go', ['-q', 'x'])).toEqual({ quick: true, name: 'x' });
    expect(argsFromArgv(pack, 'go', ['x', '--quick=false'])).toEqual({ quick: false, name: 'x' });
    expect(argsFromArgv(pack, 'go', ['x'])).toEqual({ name: 'x' });
  });

  it('gives x-position the first word and the template the rest', () => {
    const pack = packOf({
      cli: ['t', '{{b}}', '{{a}}'],
      args: { type: 'object', properties: { a: { 'x-position': 0 }, b: {} } },
    });
    expect(argsFromArgv(pack, 'go', ['1', '2'])).toEqual({ a: '1', b: '2' });
  });

  it('sets no prototype and never throws', () => {
    const args = argsFromArgv(declared, 'go', ['--__proto__=x']);
    expect(Object.keys(args)).toEqual(['__proto__']);
    fc.assert(fc.property(fc.array(fc.string()), (words) => void argsFromArgv(declared, 'go', words)));
  });
});
