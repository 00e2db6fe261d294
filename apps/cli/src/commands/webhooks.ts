import {
  DELIVERY_STATES,
  WEBHOOK_EVENT_TYPES,
  type Delivery,
  type DeliveryState,
  type Webhook,
  type WebhookEventType,
} from '@hcp/contracts';
import { EXIT } from '@hcp/core';
import { type Command, Option } from 'commander';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommonOptions, Context } from '../context.js';
import { act, given, showList, showOne, showSecret, type Client } from './group.js';
import { leaf, optionsOf } from './leaf.js';

interface AddOptions extends CommonOptions {
  readonly event: WebhookEventType[];
  readonly pack?: string[];
  readonly description?: string;
}

const fields = (webhook: Webhook): [string, string | null][] => [
  ['url', webhook.url],
  ['id', webhook.id],
  ['description', webhook.description || null],
  ['told of', webhook.events.join(', ')],
  ['packs', webhook.pack_ids.join(', ') || 'all'],
  ['state', stateOf(webhook)],
  ['old secret signs until', webhook.old_secret_until],
];

const stateOf = ({ enabled, disabled_reason }: Webhook): string =>
  enabled ? 'on' : disabled_reason === 'gone' ? 'off: it answered 410' : 'off';

const deliveryText = ({ payload, state, attempts, last_status, last_error }: Delivery): string =>
  `${payload.type}: ${state}, ${attempts} attempt${attempts === 1 ? '' : 's'}` +
  (last_status === null ? '' : `, status ${last_status}`) +
  (last_error === null ? '' : `, ${last_error}`);

/** Addresses that are told of approvals and runs (SPEC V5). */
export function registerWebhooks(program: Command, context: Context): void {
  const webhooks = program.command('webhooks').description('Have addresses told of approvals and runs');

  leaf(webhooks, 'list', 'List webhooks').action(async (_options: unknown, command: Command) => {
    const options = optionsOf(command);
    const { api } = await context.hcp(options);
    await showList(context, options, (query) => api.webhooks.list(query), {
      head: ['ID', 'URL', 'TOLD OF', 'PACKS', 'STATE'],
      row: (each) => [each.id, each.url, each.events.join(' '), each.pack_ids.join(' ') || 'all', stateOf(each)],
    });
  });

  leaf(webhooks, 'add <url>', 'Have an address told; prints the secret of its signatures, this once')
    .addOption(
      new Option('--event <type...>', 'what it is told of')
        .choices(WEBHOOK_EVENT_TYPES)
        .default(['approval.requested', 'approval.decided']),
    )
    .option('--pack <id...>', 'only of these packs')
    .option('--description <text>', 'what it is for')
    .action(async (url: string, _options: unknown, command: Command) => {
      const options = optionsOf<AddOptions>(command);
      const { event: events, pack: pack_ids, description } = options;
      const body = { url, events, ...given({ pack_ids, description }) };
      const made = await (await context.hcp(options)).api.webhooks.create(body);
      showSecret(context, options, made, made.secret, `webhook ${made.id}; its secret is shown this once:`);
    });

  leaf(webhooks, 'show <id>', 'Show a webhook').action(async (id: string, _options: unknown, command: Command) => {
    const options = optionsOf(command);
    const found = await (await context.hcp(options)).api.webhooks.get(id);
    showOne(context, options, found, fields(found));
  });

  leaf(webhooks, 'rotate <id>', 'Make a new secret; the one before signs as well for 24 hours').action(
    async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const made = await (await context.hcp(options)).api.webhooks.rotateSecret(id);
      showSecret(context, options, made, made.secret, 'the new secret is shown this once:');
    },
  );

  leaf(webhooks, 'test <id>', 'Send it a message, and wait for what comes of it').action(
    async (id: string, _options: unknown, command: Command) => test(context, id, optionsOf(command)),
  );

  leaf(webhooks, 'deliveries <id>', 'List what it was sent, newest first')
    .addOption(new Option('--state <state>', 'in one state; dead: given up').choices(DELIVERY_STATES))
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf<CommonOptions & { state?: DeliveryState }>(command);
      const { api } = await context.hcp(options);
      const { state } = options;
      await showList(context, options, (query) => api.webhooks.deliveries(id, { ...query, state }), {
        head: ['ID', 'TYPE', 'STATE', 'ATTEMPTS', 'LAST', 'CREATED'],
        row: (each) => [
          each.id,
          each.payload.type,
          each.state,
          String(each.attempts),
          String(each.last_error ?? each.last_status ?? '-'),
          each.created_at,
        ],
      });
    });

  const again = 'Send a delivery that has ended once more';
  act(context, webhooks, 'redeliver <id> <delivery>', again, ({ api }, ...words) => redeliver(api, words), 'sends it');
  const on = (enabled: boolean) => (client: Client, id?: string) => client.api.webhooks.update(id ?? '', { enabled });
  act(context, webhooks, 'enable <id>', 'Switch it on', on(true), 'is on');
  act(context, webhooks, 'disable <id>', 'Switch it off; what waits for it is given up', on(false), 'is off');
  const remove = 'Remove it with its deliveries';
  act(context, webhooks, 'rm <id>', remove, ({ api }, id = '') => api.webhooks.delete(id), 'is removed');
}

const redeliver = (api: Client['api'], [id = '', delivery_id = '']: readonly string[]) =>
  api.webhooks.redeliver(id, delivery_id);

const LOOK_MS = 300;

/** Its first attempt; where that fails there are others, which nobody waits for here. */
async function test(context: Context, id: string, options: CommonOptions): Promise<void> {
  const { io, ui } = context;
  const { api } = await context.hcp(options);
  let delivery = await api.webhooks.test(id);
  while (delivery.state === 'pending' && delivery.last_error === null) {
    await pause(LOOK_MS, undefined, { signal: io.signal });
    const { items } = await api.webhooks.deliveries(id, { limit: 50 }, { signal: io.signal });
    delivery = items.find((each) => each.id === delivery.id) ?? delivery;
  }
  if (delivery.state !== 'delivered') context.exit_code = EXIT.failure;
  if (options.json === true) ui.json(delivery);
  else ui.line(ui.safe(deliveryText(delivery)));
}
