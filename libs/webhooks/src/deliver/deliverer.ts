import { judgeAttempt, type AttemptResult } from '@hcp/core';
import type { Database, Webhook } from '@hcp/database';
import { mayBePlain, safeFetch, type EgressPolicy } from '@hcp/egress';
import { signingSecrets, type TenantSealer } from '../secrets.js';
import { signedHeaders } from '../signing.js';
import { claimDue, type ClaimedDelivery } from './claim.js';
import { dueEndpoints } from './due.js';
import { handBack, settle } from './settle.js';

export interface DelivererDeps {
  readonly db: Database;
  readonly sealer: TenantSealer;
  /** What the operator lets tenants reach (SPEC S4). */
  readonly egress: EgressPolicy;
  readonly onError: (error: Error) => void;
}

/** Attempts in hand at a time: of one worker, of one tenant in it, and of one endpoint in all workers together. */
const IN_HAND = 64;
const OF_TENANT = 8;
const OF_ENDPOINT = 4;

const ATTEMPT_MS = 15_000;
/** Of an answer, which nobody keeps. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Sends what waits for the endpoints of every tenant. An endpoint that is slow or dead holds up its own messages alone. */
export class Deliverer {
  private readonly stopping = new AbortController();
  private readonly in_hand = new Map<string, number>();
  private readonly open = new Set<Promise<void>>();
  private looking: Promise<void> | null = null;
  private closed = false;

  constructor(private readonly deps: DelivererDeps) {}

  /** Takes as much of what is due as there is room for; it is sent behind the caller's back. */
  look(): Promise<void> {
    this.looking ??= this.take().finally(() => (this.looking = null));
    return this.looking;
  }

  /** Takes nothing more, and waits for what is in hand, or cuts it short. */
  async close({ drain_ms }: { readonly drain_ms: number }): Promise<void> {
    this.closed = true;
    await this.looking?.catch(() => undefined);
    const late = setTimeout(() => this.stopping.abort(), drain_ms);
    await Promise.all(this.open);
    clearTimeout(late);
  }

  private async take(): Promise<void> {
    if (this.open.size >= IN_HAND) return;
    for (const endpoint of await dueEndpoints(this.deps.db)) {
      const of_tenant = this.in_hand.get(endpoint.tenant_id) ?? 0;
      const room = Math.min(OF_ENDPOINT, OF_TENANT - of_tenant, IN_HAND - this.open.size);
      if (this.closed) return;
      if (room <= 0) continue;
      const claimed = await claimDue(this.deps.db, endpoint, { room, most: OF_ENDPOINT });
      for (const delivery of claimed?.deliveries ?? []) if (claimed) this.begin(claimed.webhook, delivery);
    }
  }

  private begin(webhook: Webhook, delivery: ClaimedDelivery): void {
    const { tenant_id } = webhook;
    this.in_hand.set(tenant_id, (this.in_hand.get(tenant_id) ?? 0) + 1);
    const attempt = this.attempt(webhook, delivery)
      .catch((error: unknown) => this.deps.onError(error as Error))
      .finally(() => {
        this.open.delete(attempt);
        const left = (this.in_hand.get(tenant_id) ?? 0) - 1;
        if (left > 0) this.in_hand.set(tenant_id, left);
        else this.in_hand.delete(tenant_id);
        // There is room for the next one, of this endpoint too.
        if (!this.closed) this.look().catch((error: unknown) => this.deps.onError(error as Error));
      });
    this.open.add(attempt);
  }

  private async attempt(webhook: Webhook, delivery: ClaimedDelivery): Promise<void> {
    const { db } = this.deps;
    const result = await this.send(webhook, delivery);
    if (result === null) return handBack(db, webhook, delivery);
    await settle(db, webhook, delivery, result, judgeAttempt(result, delivery.attempts, Math.random()));
  }

  /** @returns null where a shutdown cut it short */
  private async send(webhook: Webhook, { id, payload }: ClaimedDelivery): Promise<AttemptResult | null> {
    const { egress } = this.deps;
    const now = new Date();
    const sealer = await this.deps.sealer(webhook.tenant_id);
    let secrets: string[];
    try {
      secrets = signingSecrets(sealer, webhook, now);
    } catch (error) {
      this.deps.onError(error as Error);
      return { error: 'unreadable_secret' };
    }
    const answer = await safeFetch(webhook.url, {
      ...egress,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'hcp-webhooks/1',
        ...signedHeaders({ id, body: payload }, secrets, now),
      },
      body: payload,
      timeout_ms: ATTEMPT_MS,
      max_bytes: MAX_ANSWER_BYTES,
      allow_http: mayBePlain(webhook.url, egress),
      signal: this.stopping.signal,
    });
    if (answer.ok) return { status: answer.status };
    return answer.code === 'cancelled' && this.stopping.signal.aborted ? null : { error: answer.code };
  }
}
