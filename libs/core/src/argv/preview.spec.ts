import { describe, expect, it } from 'vitest';
import { makePack, packOf } from '../../spec/fixtures.js';
import { renderPreview } from '../index.js';

describe('renderPreview', () => {
  it("shows the protocol's example", () => {
    expect(
      renderPreview(makePack(), 'transfer', { amount: '2.80', payee: 'demo-transit', confirm: true, mode: 'mock' }),
    ).toEqual({
      command: 'transfer',
      args: { amount: '2.80', payee: 'demo-transit' },
      cli: 'ledger transfer 2.80 --to demo-transit --confirm',
    });
  });

  it('leaves the JSON flag out where the pack wrote it, and a value that equals it in', () => {
    const pack = packOf({ cli: ['t', '--json', '--note={{x}}', 'v={{y}}'] });
    expect(renderPreview(pack, 'go', { x: '--json', y: 1 }).cli).toBe('t --note=--json v=1');
  });

  it('quotes, so that one argument cannot be shown as two', () => {
    const pack = packOf({ cli: ['t', '--to', '{{x}}', '{{y}}'] });
    expect(renderPreview(pack, 'go', { x: 'a --amount 1', y: "it's" }).cli).toBe("t --to 'a --amount 1' 'it'\\''s'");
  });

  it('shows what cannot be seen as an escape', () => {
    const pack = packOf({ cli: ['t', '{{x}}'] });
    expect(renderPreview(pack, 'go', { x: 'a\u202eb\n\u001b[2J\u200b' }).cli).toBe("t 'a\\u202eb\\n\\u001b[2J\\u200b'");
  });

  it('shows a command without a command line as hcpx takes it', () => {
    const pack = makePack({
      manifest: { kind: 'composite', wrap: undefined },
      commands: { 'hcp.install': { description: 'x' } },
    });
    expect(renderPreview(pack, 'hcp.install', { id: 'a b', deep: { n: 1 } }).cli).toBe(
      `ledger hcp.install --id 'a b' --deep '{"n":1}'`,
    );
    const args = { to: ['A', 'B'], by: '-x', quick: true };
    expect(renderPreview(pack, 'hcp.install', args).cli).toBe('ledger hcp.install --to A --to B --by=-x --quick=true');
  });
});
