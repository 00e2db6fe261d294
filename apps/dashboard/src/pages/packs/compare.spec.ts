import { describe, expect, it } from 'vitest';
import type { PackDetail } from '@hcp/contracts';
import { compareVersions, isSame } from './compare.js';

type Command = PackDetail['commands'][number];

const command = (verb_key: string, more: Partial<Command> = {}): Command => ({
  verb_key,
  description: 'Does it.',
  operation: 'read',
  confirm: false,
  land: 'personal',
  args: { type: 'object', properties: { a: { type: 'string', maxLength: 5 } }, required: ['a'] },
  cli: ['x', '{{a}}'],
  ...more,
});

const pack = (commands: Command[], more: Partial<PackDetail> = {}): PackDetail => ({
  pack_id: 'demo',
  name: 'Demo',
  description: 'x',
  kind: 'wrap',
  platform: false,
  needs_binding: false,
  provider: null,
  stopped: false,
  command_count: commands.length,
  versions: [],
  activations: [],
  version: '1.0.0',
  wrap: { bin: 'bin/x', workspace: 'pack', network: [] },
  commands,
  ...more,
});

describe('compareVersions', () => {
  it('finds nothing between equal versions, whatever the order of keys', () => {
    const turned = command('a', {
      args: { required: ['a'], properties: { a: { maxLength: 5, type: 'string' } }, type: 'object' },
    });
    const found = compareVersions(pack([command('a')]), pack([turned]));
    expect(isSame(found)).toBe(true);
    expect(found.widens).toEqual([]);
  });

  it('tells commands that come and go; a new one that writes widens', () => {
    const before = pack([command('a'), command('gone')]);
    const found = compareVersions(
      before,
      pack([command('a'), command('look'), command('put', { operation: 'write' })]),
    );
    expect(found.added.map(({ verb_key }) => verb_key)).toEqual(['look', 'put']);
    expect(found.removed).toEqual(['gone']);
    expect(found.changed).toEqual([]);
    expect(found.widens).toEqual(['put is new and writes']);
  });

  it.each<[string, Partial<Command>, Partial<Command>, string[], string[]]>([
    ['operation', {}, { operation: 'write' }, ['operation read becomes write'], ['a no longer only reads: write']],
    ['operation back', { operation: 'write' }, {}, ['operation write becomes read'], []],
    [
      'less asking',
      { confirm: 'always' },
      { confirm: true },
      ['always asks becomes asks first'],
      ['a asked more before; now it asks first'],
    ],
    ['more asking', {}, { confirm: true }, ['runs without asking becomes asks first'], []],
    ['land', {}, { land: 'public' }, ['land personal becomes public'], ['a has its results land in public']],
    ['command line', {}, { cli: ['x', '--', '{{a}}'] }, ['another command line'], []],
    ['description', {}, { description: 'Does more.' }, ['another description'], []],
  ])('tells what of a command changes: %s', (_, was, is, changes, widens) => {
    const found = compareVersions(pack([command('a', was)]), pack([command('a', is)]));
    expect(found.changed).toEqual([{ verb_key: 'a', changes }]);
    expect(found.widens).toEqual(widens);
  });

  it('tells what of its arguments changes', () => {
    const args: Command['args'] = {
      type: 'object',
      properties: { b: { type: 'string' }, a: { type: 'string', maxLength: 9 } },
      required: ['b'],
    };
    const found = compareVersions(pack([command('a')]), pack([command('a', { args })]));
    expect(found.changed[0]?.changes).toEqual([
      'new argument b',
      'no longer required: a',
      'other rules for argument a',
    ]);
    const closed = command('a', {
      args: { ...command('a').args, type: 'object', additionalProperties: false },
    });
    expect(compareVersions(pack([command('a')]), pack([closed])).changed[0]?.changes).toEqual([
      'other rules for its arguments',
    ]);
  });

  it('tells what of the pack changes: network, files, credential, program', () => {
    const is = pack([], {
      wrap: { bin: 'bin/y', workspace: 'project', network: ['api.example.com'] },
      binding: { families: ['user'], provider: null, fields: ['token'], uses: [], ways: [] },
    });
    const found = compareVersions(pack([]), is);
    const widens = ['may reach api.example.com', 'works in the files of the project', 'runs with a user credential'];
    expect(found.widens).toEqual(widens);
    expect(found.pack).toEqual([...widens, 'runs another program: bin/y']);
    expect(compareVersions(is, pack([])).widens).toEqual([]);
  });

  it('takes everything for new where nothing is active', () => {
    const after = pack([command('a')], { wrap: { bin: 'bin/x', workspace: 'pack', network: ['a.example'] } });
    const found = compareVersions(null, after);
    expect(found.added).toHaveLength(1);
    expect(found.widens).toEqual(['may reach a.example']);
  });

  it('reads schemas that are odd without failing', () => {
    const odd = command('a', { args: { properties: null, required: 'a' } as unknown as NonNullable<Command['args']> });
    expect(compareVersions(pack([odd]), pack([command('a', { args: undefined })])).changed).toHaveLength(1);
  });
});
