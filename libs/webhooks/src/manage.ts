import {
  DEFAULT_PAGE_SIZE,
  OLD_SECRET_S,
  type CreateWebhook,
  type ListWebhooksQuery,
  type Page,
  type UpdateWebhook,
  type Webhook as WebhookAnswer,
  type WebhookWithSecret,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Database, Tx, Webhook } from '@hcp/database';
import { urlProblem, type EgressPolicy } from '@hcp/egress';
import { v7 as uuidv7 } from 'uuid';
import { giveUpPending } from './give-up.js';
import { recordAct, webhookAnswer } from './records.js';
import { done, refuse, unknownThing, wrongField, type Answer, type WebhookRefusal } from './refusal.js';
import { manageProblem, tellProblem } from './rights.js';
import { sealSecret, type TenantSealer } from './secrets.js';
import { newSecret } from './signing.js';

export interface WebhookDeps {
  readonly db: Database;
  readonly sealer: TenantSealer;
  /** What the operator lets tenants reach (SPEC S4). */
  readonly egress: EgressPolicy;
}

const MAX_WEBHOOKS = 20;

/** The answer alone holds the secret. */
export async function createWebhook(
  { db, sealer, egress }: WebhookDeps,
  caller: Caller,
  input: CreateWebhook,
  now: Date,
): Promise<Answer<WebhookWithSecret>> {
  const { tenant_id } = caller;
  const { url, events, description = '', pack_ids = [] } = input;
  const refusal = manageProblem(caller, now) ?? tellProblem(caller, pack_ids, now) ?? (await badUrl(url, egress));
  if (refusal) return refusal;
  const keys = await sealer(tenant_id);
  const id = uuidv7();
  const secret = newSecret();
  return db.tenant(tenant_id, async (tx): Promise<Answer<WebhookWithSecret>> => {
    if ((await tx.webhook.count({ where: { tenant_id } })) >= MAX_WEBHOOKS) {
      return refuse('conflict', `a tenant has at most ${MAX_WEBHOOKS} webhooks`);
    }
    const row = await tx.webhook.create({
      data: {
        ...{ tenant_id, id, url, description },
        events: [...new Set(events)],
        pack_ids: [...new Set(pack_ids)],
        secret_enc: sealSecret(keys, id, secret),
        created_by: caller.principal.id,
      },
    });
    await recordAct(tx, caller, 'webhook.create', row);
    return done({ ...webhookAnswer(row, now), secret });
  });
}

/** Newest first. The cursor is the last id of the page before. */
export async function listWebhooks(
  { db }: Pick<WebhookDeps, 'db'>,
  caller: Caller,
  { limit = DEFAULT_PAGE_SIZE, cursor }: ListWebhooksQuery,
  now: Date,
): Promise<Answer<Page<WebhookAnswer>>> {
  const refusal = manageProblem(caller, now);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const rows = await db.tenant(tenant_id, (tx) =>
    tx.webhook.findMany({
      where: { tenant_id, ...(cursor !== undefined && { id: { lt: cursor } }) },
      orderBy: { id: 'desc' },
      take: limit + 1,
    }),
  );
  const page = rows.slice(0, limit);
  const next_cursor = rows.length > limit ? (page.at(-1)?.id ?? null) : null;
  return done({ items: page.map((row) => webhookAnswer(row, now)), next_cursor });
}

export function getWebhook(
  deps: Pick<WebhookDeps, 'db'>,
  caller: Caller,
  id: string,
  now: Date,
): Promise<Answer<WebhookAnswer>> {
  return looking(deps, caller, id, now, (_tx, row) => Promise.resolve(done(webhookAnswer(row, now))));
}

/** What is omitted stays. Another address, or more to be told of, needs what a new endpoint needs. */
export async function updateWebhook(
  deps: WebhookDeps,
  caller: Caller,
  id: string,
  input: UpdateWebhook,
  now: Date,
): Promise<Answer<WebhookAnswer>> {
  const bad = manageProblem(caller, now) ?? (input.url === undefined ? null : await badUrl(input.url, deps.egress));
  if (bad) return bad;
  return managing(deps, caller, id, now, async (tx, row) => {
    const { url = row.url, events = row.events, description = row.description, pack_ids = row.pack_ids } = input;
    const wider = tellProblem(caller, pack_ids, now);
    if (wider) return wider;
    const enabled = input.enabled ?? row.disabled_at === null;
    const off = { disabled_at: row.disabled_at ?? now, disabled_reason: row.disabled_reason ?? 'by_hand' };
    const changed = await tx.webhook.update({
      where: { tenant_id_id: { tenant_id: row.tenant_id, id } },
      data: {
        ...{ url, description },
        events: [...new Set(events)],
        pack_ids: [...new Set(pack_ids)],
        ...(enabled ? { disabled_at: null, disabled_reason: null } : off),
      },
    });
    if (!enabled) await giveUpPending(tx, changed);
    await recordAct(tx, caller, 'webhook.update', changed);
    return done(webhookAnswer(changed, now));
  });
}

/** Its deliveries go with it. */
export function deleteWebhook(
  deps: Pick<WebhookDeps, 'db'>,
  caller: Caller,
  id: string,
  now: Date,
): Promise<Answer<null>> {
  return managing(deps, caller, id, now, async (tx, row) => {
    await tx.webhook.deleteMany({ where: { tenant_id: row.tenant_id, id } });
    await recordAct(tx, caller, 'webhook.delete', row);
    return done(null);
  });
}

/** A new secret; the one before signs beside it for a day, so that receivers can change over. */
export async function rotateSecret(
  deps: WebhookDeps,
  caller: Caller,
  id: string,
  now: Date,
): Promise<Answer<WebhookWithSecret>> {
  const keys = await deps.sealer(caller.tenant_id);
  return managing(deps, caller, id, now, async (tx, row) => {
    const secret = newSecret();
    const changed = await tx.webhook.update({
      where: { tenant_id_id: { tenant_id: row.tenant_id, id } },
      data: {
        secret_enc: sealSecret(keys, id, secret),
        old_secret_enc: row.secret_enc,
        old_secret_until: new Date(now.getTime() + OLD_SECRET_S * 1000),
      },
    });
    await recordAct(tx, caller, 'webhook.rotate', changed);
    return done({ ...webhookAnswer(changed, now), secret });
  });
}

type Act<T> = (tx: Tx, row: Webhook) => Promise<Answer<T>>;

/** The frame of what is done with one endpoint: rights first, then the locked row. */
export function managing<T>(
  deps: Pick<WebhookDeps, 'db'>,
  caller: Caller,
  id: string,
  now: Date,
  act: Act<T>,
): Promise<Answer<T>> {
  return looking(deps, caller, id, now, async (tx, { tenant_id }) => {
    // Messages to it may be written meanwhile, which this does not keep from it.
    await tx.$queryRaw`
      select id from webhooks where tenant_id = ${tenant_id}::uuid and id = ${id}::uuid for no key update`;
    const row = await tx.webhook.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    return row ? act(tx, row) : unknownThing();
  });
}

/** The same for what changes nothing. */
export async function looking<T>(
  { db }: Pick<WebhookDeps, 'db'>,
  caller: Caller,
  id: string,
  now: Date,
  act: Act<T>,
): Promise<Answer<T>> {
  const refusal = manageProblem(caller, now);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Answer<T>> => {
    const row = await tx.webhook.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    return row ? act(tx, row) : unknownThing();
  });
}

/** Says which field, and not what it holds. */
async function badUrl(url: string, egress: EgressPolicy): Promise<WebhookRefusal | null> {
  const problem = await urlProblem(url, egress);
  if (!problem) return null;
  return wrongField('/url', URL_WORDS[problem.code] ?? 'cannot be reached');
}

const URL_WORDS: Readonly<Record<string, string>> = {
  bad_request: 'must be an https URL without credentials',
  bad_host: 'must name a host',
  private_address: 'must not lead to a private address, unless the operator lists it in HCP_EGRESS_ALLOW_PRIVATE',
  unresolvable: 'names a host that has no address',
};
