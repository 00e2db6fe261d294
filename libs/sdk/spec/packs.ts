import type { HostPack } from '../src/browser.js';

const READ = { operation: 'read', confirm: false, privacy: { land: 'personal' } } as const;

/** One command that moves money, one that writes and asks, one that reads. */
export const makeTransferPack = (): HostPack => ({
  manifest: {
    pack_id: 'ledger',
    name: 'Ledger',
    version: '1.0.0',
    description: 'Pays.',
    kind: 'wrap',
    binding: { family: 'local' },
    wrap: { bin: 'bin/ledger' },
  },
  surface: {
    commands: {
      transfer: {
        description: 'Pay a saved payee.',
        args: {
          type: 'object',
          properties: {
            amount: { type: 'number', description: 'Euros.' },
            payee: { type: 'string' },
            memo: { type: 'string' },
          },
          required: ['amount', 'payee'],
          additionalProperties: false,
        },
        cli: ['ledger', 'transfer', '{{amount}}', '--to', '{{payee}}', '--memo', '{{memo}}', '--confirm'],
      },
      note: {
        description: 'Note something.',
        args: { type: 'object', properties: { text: { type: 'string' } } },
        cli: ['ledger', 'note', '--text={{text}}'],
      },
      balance: { description: 'Tell the balance.', cli: ['ledger', 'balance'] },
    },
  },
  policy: {
    commands: {
      transfer: { ...READ, operation: 'write', confirm: 'always' },
      note: { ...READ, operation: 'write', confirm: true },
      balance: READ,
    },
  },
});
