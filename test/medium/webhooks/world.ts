import type { Delivery, Webhook, WebhookWithSecret } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant } from '@hcp/testing';
import { packArchive } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import { install, keyFor, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** A tenant with a command that asks, an agent that calls it, and an owner who says yes. */
export class World {
  private constructor(
    readonly stack: Stack,
    readonly tenant_id: string,
    readonly owner: Person,
    readonly agent: { readonly id: string; readonly key: string },
  ) {}

  static async make(stack: Stack): Promise<World> {
    const { tenant_id, owner } = await tenantWithOwner(stack);
    const value = { type: 'string' } as const;
    const args = { type: 'object', properties: { value }, required: ['value'] } as const;
    const commands = {
      read: { description: 'Reads.', args, cli: ['trial', 'read', '{{value}}'] },
      write: {
        description: 'Writes.',
        args,
        cli: ['trial', 'write', '{{value}}'],
        policy: { operation: 'write', confirm: true },
      },
    } as const;
    const bin = '#!/bin/sh\necho "{\\"said\\":\\"$2\\"}"\n';
    await install(stack, owner.token, await packArchive({ pack_id: 'trial', bin, commands }));
    const { id } = await makeAgent(stack.database.db, tenant_id, { acts_for: owner.id });
    for (const capability of ['verb.exec.read', 'verb.exec.write'] as const) {
      await makeGrant(stack.database.db, tenant_id, id, capability);
    }
    return new World(stack, tenant_id, owner, { id, key: (await keyFor(stack, tenant_id, id)).key });
  }

  /** A call by the owner. */
  api<T = Record<string, unknown>>(method: string, path: string, body?: object, token = this.owner.token) {
    return this.stack.call<T>(method, path, { token, ...(body && { body }) });
  }

  async exec(verb_key: string, value: string, more: object = {}): Promise<ResultEnvelope> {
    const body = { pack_id: 'trial', verb_key, args: { value }, ...more };
    return (await this.api<ResultEnvelope>('POST', '/v1/exec', body, this.agent.key)).body;
  }

  async webhook(url: string, more: object = {}): Promise<WebhookWithSecret> {
    const events = ['approval.requested', 'approval.decided', 'run.finished'];
    const made = await this.api<WebhookWithSecret>('POST', '/v1/webhooks', { url, events, ...more });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    return made.body;
  }

  async test(id: string): Promise<Delivery> {
    return (await this.api<Delivery>('POST', `/v1/webhooks/${id}/test`)).body;
  }

  async deliveries(id: string, query = ''): Promise<Delivery[]> {
    return (await this.api<{ items: Delivery[] }>('GET', `/v1/webhooks/${id}/deliveries${query}`)).body.items;
  }

  async get(id: string): Promise<Webhook> {
    return (await this.api<Webhook>('GET', `/v1/webhooks/${id}`)).body;
  }

  /** The delivery once it is so. */
  until(webhook_id: string, id: string, what: string, so: (delivery: Delivery) => boolean): Promise<Delivery> {
    return eventually(`the delivery is ${what}`, async () => {
      const found = (await this.deliveries(webhook_id)).find((each) => each.id === id);
      return found && so(found) ? found : null;
    });
  }

  async acts(): Promise<string[]> {
    const { body } = await this.api<{ items: { action: string }[] }>('GET', '/v1/audit?limit=200');
    return body.items.map(({ action }) => action).filter((action) => action.startsWith('webhook.'));
  }
}
