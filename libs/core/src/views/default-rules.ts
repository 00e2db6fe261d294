import type { SignalRule, ViewRule } from './view.js';

const TO = ['to', 'payee', 'recipient', 'recipients', 'beneficiary', 'account', 'destination'];
const PEOPLE = ['to', 'recipient', 'recipients', 'cc', 'bcc', 'attendees', 'participants', 'guests', 'invitees'];
const NAMED = ['name', 'title', 'id', 'key', 'path', 'file', 'target', 'slug'];

/** Words of a command that moves money; such a one should ask in every mode (finding P007). */
export const PAYING_WORDS: readonly string[] =
  'transfer transfers pay pays payment payments payout payouts refund charge donate buy purchase withdraw wire remit'.split(
    ' ',
  );

/** What a command is, by its name and its arguments' names; the first that fits (SPEC C2). */
export const DEFAULT_VIEW_RULES: readonly ViewRule[] = [
  {
    kind: 'message',
    words: ['send', 'reply', 'forward', 'message', 'email', 'mail', 'notify', 'post'],
    needs: [
      ['to', 'recipient', 'recipients', 'channel'],
      ['subject', 'body', 'text', 'message', 'content'],
    ],
    fields: {
      to: ['to', 'recipient', 'recipients', 'channel'],
      cc: ['cc'],
      bcc: ['bcc'],
      subject: ['subject'],
      body: ['body', 'text', 'message', 'content'],
    },
    titles: ['Send “{subject}” to {to}', 'Send a message to {to}'],
  },
  {
    kind: 'payment',
    words: PAYING_WORDS,
    needs: [['amount', 'total', 'sum', 'price']],
    fields: {
      amount: ['amount', 'total', 'sum', 'price'],
      currency: ['currency'],
      to: TO,
      from: ['from', 'source'],
      memo: ['memo', 'reference', 'note', 'description'],
    },
    titles: ['Pay {amount} {currency} to {to}', 'Pay {amount} to {to}', 'Pay {amount} {currency}', 'Pay {amount}'],
  },
  {
    kind: 'event',
    words: [
      'cancel',
      'create',
      'add',
      'invite',
      'update',
      'move',
      'reschedule',
      'accept',
      'decline',
      'delete',
      'remove',
    ],
    about: ['calendar', 'event', 'events', 'meeting', 'appointment'],
    fields: {
      event: ['event', 'event_id', ...NAMED],
      when: ['when', 'start', 'date', 'time'],
      until: ['until', 'end'],
      where: ['where', 'location'],
      attendees: ['attendees', 'participants', 'guests', 'invitees', 'to'],
    },
    titles: ['{verb} event {event}', '{verb} an event'],
  },
  {
    kind: 'removal',
    words: ['delete', 'remove', 'rm', 'drop', 'destroy', 'purge', 'erase', 'wipe', 'trash', 'uninstall', 'revoke'],
    fields: { item: NAMED },
    titles: ['Delete {item}', 'Delete'],
  },
  {
    kind: 'publish',
    words: ['publish', 'deploy', 'release', 'promote'],
    fields: {
      item: ['package', 'app', 'service', ...NAMED],
      version: ['version', 'tag', 'ref'],
      where: ['env', 'environment', 'stage', 'target', 'registry'],
    },
    titles: ['{verb} {item} {version} to {where}', '{verb} {item} {version}', '{verb} {item}', '{verb}'],
  },
  {
    kind: 'change',
    words: ['update', 'set', 'edit', 'change', 'rename', 'move', 'create', 'add', 'write', 'put', 'patch', 'book'],
    fields: { item: NAMED },
    titles: ['{verb} {item}', '{verb}'],
  },
];

/** What a person should weigh, by what a call is and whom it reaches (SPEC C2). */
export const DEFAULT_SIGNAL_RULES: readonly SignalRule[] = [
  { id: 'moves_money', text: 'Moves money', kinds: ['payment'] },
  { id: 'cannot_be_undone', text: 'Cannot be undone', kinds: ['removal'] },
  { id: 'goes_live', text: 'Goes live', kinds: ['publish'] },
  { id: 'reaches', text: 'Goes to {count} people', kinds: ['message'], counts: { args: PEOPLE, at_least: 2 } },
  {
    id: 'tells_cancelled',
    text: 'Tells {count} people it is cancelled',
    kinds: ['event'],
    words: ['cancel', 'delete', 'remove'],
    counts: { args: PEOPLE, at_least: 1 },
  },
];
