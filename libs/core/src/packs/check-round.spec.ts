import { describe, expect, it } from 'vitest';
import { filesOf, makeManifest, makePack, READ } from '../../spec/fixtures.js';
import { checkPack } from '../index.js';

const LIST = { description: 'Lists.', cli: ['ledger', 'list'] };
const files = filesOf(makePack({ commands: { list: LIST, show: LIST }, rows: { list: READ, show: READ } }));

describe('checkPack', () => {
  it('tells every misspelt name and word of a policy in one round', () => {
    const policy = JSON.stringify({ commands: { list: { ...READ, operation: 'raed', confrim: true }, shwo: READ } });
    const { findings, pack } = checkPack({ ...files, policy });
    expect(pack).toBeNull();
    expect(findings.map(({ code, path }) => `${code} ${path}`).sort()).toEqual([
      'P003 policy.json#/commands/list/confrim',
      'P008 surface.json#/commands/show',
      'P009 policy.json#/commands/shwo',
      'P014 policy.json#/commands/list/operation',
    ]);
  });

  it.each(['{', '[]', '{"commands": []}', '{"commands": null}'])('looks for no names in %s', (policy) => {
    expect(checkPack({ ...files, policy }).findings.map(({ code }) => code)).not.toContain('P008');
  });

  it.each([
    ['version', '1.2', 'such as 1.2.3'],
    ['pack_id', 'Ledger!', 'such as ledger'],
    ['wrap', { bin: 'x', json_flag: 'json' }, 'such as --json'],
    ['wrap', { bin: 'x', network: ['10.0.0.1'] }, 'such as api.example.com'],
  ])('says in words what %s has to be', (field, value, words) => {
    const manifest = JSON.stringify({ ...makeManifest(), [field]: value });
    const text = JSON.stringify(checkPack({ ...files, manifest }).findings);
    expect(text).toContain(words);
    expect(text).not.toContain('pattern');
  });
});
