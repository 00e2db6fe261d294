import { describe, expect, it } from 'vitest';
import { makeManifest, makePack, READ } from '../../spec/fixtures.js';
import { commandFamily, findCommand, mcpToolName, packJsonSchemas, skillLead, workspaceMode } from '../index.js';

describe('skillLead', () => {
  it.each<[string, string, string]>([
    ['text up to the first heading after the title', '# Ledger\n\nPays.\n\n## Use\nmore', '# Ledger\n\nPays.'],
    ['a second title', '# Ledger\n\nPays.\n# Use\nmore', '# Ledger\n\nPays.'],
    ['all, without a further heading', '# Ledger\r\nPays.\r\n', '# Ledger\nPays.'],
    ['text without a title', 'Pays.\n\n## Use\nmore', 'Pays.'],
    ['a title below some text', 'Hello.\n\n# Ledger\nPays.\n## Use', 'Hello.\n\n# Ledger\nPays.'],
    ['no heading inside of code', '# L\n```sh\n# not\n```\nPays.\n## Use', '# L\n```sh\n# not\n```\nPays.'],
    ['code fenced with more marks', '# L\n````\n```\n# not\n````\n## Use', '# L\n````\n```\n# not\n````'],
    ['no hashtag', '# L\n#tag\n## Use', '# L\n#tag'],
    ['underlined headings', 'Ledger\n======\nPays.\n\nUse\n---\nmore', 'Ledger\n======\nPays.'],
    ['no front matter', '---\nname: x\n---\n# L\nPays.\n## Use', '# L\nPays.'],
    ['nothing', '', ''],
  ])('gives %s', (_, markdown, lead) => {
    expect(skillLead(markdown)).toBe(lead);
  });
});

describe('lookups', () => {
  it("lets the row's family win over the manifest's", () => {
    const pack = makePack({ rows: { transfer: { ...READ, binding: 'user' } } });
    expect(commandFamily(pack, 'transfer')).toBe('user');
    expect(commandFamily(makePack(), 'transfer')).toBe('public');
  });

  it('runs in the pack unless the manifest says otherwise, and finds no inherited command', () => {
    expect(workspaceMode(makeManifest())).toBe('pack');
    expect(workspaceMode(makeManifest({ wrap: { bin: 'b', workspace: { mode: 'ephemeral' } } }))).toBe('ephemeral');
    expect(findCommand(makePack(), 'constructor')).toBeNull();
    expect(mcpToolName('mail', 'mail.send-now')).toBe('mail__mail_send-now');
  });
});

describe('packJsonSchemas', () => {
  it('describes the three files as JSON Schema, as authors write them', () => {
    const { manifest, surface, policy } = packJsonSchemas();
    for (const schema of [manifest, surface, policy]) {
      expect(schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        additionalProperties: false,
      });
    }
    expect(manifest).toMatchObject({ required: ['pack_id', 'name', 'version', 'description', 'kind', 'binding'] });
    expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest);
    // A mode with a default may be left out.
    expect(JSON.stringify(manifest)).not.toContain('"required":["mode"]');
  });
});
