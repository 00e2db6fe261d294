import type { Grant, ResultEnvelope } from '@hcp/core';
import { makeTenant } from '@hcp/testing';
import { call, type Answer } from '../../support/http.js';
import { packArchive } from '../../support/packs.js';
import { install, keyFor, signedIn, startStack, type Person, type Stack } from '../../support/stack.js';

const BIN = '#!/bin/sh\necho "{\\"verb\\":\\"$1\\"}"\n';

/** What a call is made with. */
export interface Hands {
  readonly token: string;
  readonly headers?: Record<string, string>;
  readonly replica?: number;
}

/** One command of one pack. */
export const LOOK: Grant = { capability: 'verb.exec.read', pack_id: 'first', verb_keys: ['look'] };

/** What step 3 answers (SPEC E3). */
export const missing = (capability: string, name: string) => ({
  ok: false,
  code: 'missing_capability',
  error: `denied: missing ${capability} for ${name}`,
  run_id: null,
});

/** A tenant with an owner, a member and two packs, `first` and `second`, of two reads and a write, on two API replicas. */
export class Callers {
  private constructor(
    readonly stack: Stack,
    readonly tenant_id: string,
    readonly owner: Person,
    readonly member: Person,
  ) {}

  static async start(): Promise<Callers> {
    const stack = await startStack({ apis: 2 });
    const { id: tenant_id } = await makeTenant(stack.database.db);
    const owner = await signedIn(stack, tenant_id, 'owner');
    for (const pack_id of ['first', 'second']) await install(stack, owner.token, await pack(pack_id));
    return new Callers(stack, tenant_id, owner, await signedIn(stack, tenant_id, 'member'));
  }

  ask<T = Record<string, unknown>>(hands: Hands, method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const { token, headers = {}, replica = 0 } = hands;
    const base = this.stack.urls[replica] ?? '';
    return call<T>(base, method, path, { token, headers, ...(body !== undefined && { body }) });
  }

  async exec(hands: Hands, pack_id: string, verb_key: string, more: object = {}): Promise<ResultEnvelope> {
    const envelope = { pack_id, verb_key, args: {}, ...more };
    return (await this.ask<ResultEnvelope>(hands, 'POST', '/v1/exec', envelope)).body;
  }

  /** The commands that the list shows, with what a call of each would get. */
  async commands(hands: Hands): Promise<Record<string, string>> {
    type Row = { pack_id: string; verb_key: string; access: string };
    const { body } = await this.ask<{ items: Row[] }>(hands, 'GET', '/v1/commands?limit=200');
    const packs = body.items.filter(({ pack_id }) => pack_id !== 'hcp-cli');
    return Object.fromEntries(packs.map(({ pack_id, verb_key, access }) => [`${pack_id}.${verb_key}`, access]));
  }

  async ids(hands: Hands, path: string): Promise<string[]> {
    const { body } = await this.ask<{ items: { id: string }[] }>(hands, 'GET', path);
    return body.items.map(({ id }) => id);
  }

  async key(principal_id: string, grants: readonly Grant[] = [LOOK]): Promise<Hands & { readonly id: string }> {
    const { id, key } = await keyFor(this.stack, this.tenant_id, principal_id, { grants: [...grants] });
    return { id, token: key };
  }

  as(person: Person): Hands {
    return { token: person.token };
  }
}

function pack(pack_id: string): Promise<Buffer> {
  const command = (verb: string, operation: 'read' | 'write') => ({
    description: `Does ${verb}.`,
    cli: [pack_id, verb],
    policy: { operation, privacy: { land: 'personal' as const } },
  });
  return packArchive({
    pack_id,
    bin: BIN,
    binding: { family: 'local' },
    wrap: { workspace: { mode: 'ephemeral' } },
    commands: { look: command('look', 'read'), peek: command('peek', 'read'), change: command('change', 'write') },
  });
}
