import { fileURLToPath } from 'node:url';
import { checkArchive } from '@hcp/packs';
import { checkPack, renderArgv, renderPreview, type Pack } from '@hcp/core';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { archiveOf } from '../../../support/packs.js';

const dirOf = (name: string) => fileURLToPath(new URL(`../../../../examples/packs/${name}`, import.meta.url));

async function load(name: string): Promise<Pack> {
  const checked = await checkArchive(await archiveOf(dirOf(name)), { platform: false });
  if (!checked.ok || !checked.pack) throw new Error(JSON.stringify(checked));
  return checked.pack;
}

describe.each(['ledger', 'transit', 'notes', 'stock'])('the pack %s', (name) => {
  it('passes the check without a finding', async () => {
    const checked = await checkArchive(await archiveOf(dirOf(name)), { platform: false });
    expect(checked).toMatchObject({ ok: true, findings: [] });
  });

  it('has a skill whose lead fits into a prompt', async () => {
    const { skill } = await load(name);
    expect(skill).toMatch(/^# /);
    expect(skill?.length).toBeLessThan(2000);
  });
});

describe('ledger.transfer', () => {
  const args = { amount: '2.80', payee: 'demo-transit' };

  it('renders as the protocol shows it', async () => {
    expect(renderArgv(await load('ledger'), 'transfer', args)).toMatchObject({
      ok: true,
      bin: 'bin/ledger',
      argv: ['transfer', '2.80', '--to', 'demo-transit', '--confirm', '--json'],
    });
  });

  it('previews as the protocol shows it', async () => {
    expect(renderPreview(await load('ledger'), 'transfer', { ...args, confirm: true })).toEqual({
      command: 'transfer',
      args,
      cli: 'ledger transfer 2.80 --to demo-transit --confirm',
    });
  });

  it('is described and shown as the protocol shows it', async () => {
    const { surface, policy } = await load('ledger');
    const { description, cli, preview } = surface.commands['transfer'] ?? {};
    expect(description).toBe('Pay a saved payee. Refused until a person confirms the amount and payee.');
    expect(cli).toEqual(['ledger', 'transfer', '{{amount}}', '--to', '{{payee}}', '--memo', '{{memo}}', '--confirm']);
    expect(preview).toEqual({
      kind: 'payment',
      title: 'Pay {{payee}}',
      fields: {
        amount: '{{amount}}',
        currency: 'EUR',
        to: '{{payee}}',
        from: 'Demo account DEMO-0001',
        memo: '{{memo}}',
      },
    });
    expect(policy.commands['transfer']).toMatchObject({ operation: 'write', confirm: 'always' });
  });

  it('would be told to always confirm if it did not', async () => {
    const text = async (file: string) => readFile(`${dirOf('ledger')}/${file}`, 'utf8');
    const { findings } = checkPack({
      manifest: await text('manifest.json'),
      surface: await text('surface.json'),
      policy: (await text('policy.json')).replace('"always"', 'true'),
      paths: ['bin/ledger'],
    });
    expect(findings.map((finding) => finding.code)).toContain('P007');
  });
});
