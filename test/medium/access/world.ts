import { fileURLToPath } from 'node:url';
import type { Access, AccessRuleRecord } from '@hcp/contracts';
import type { ResultEnvelope, Rule } from '@hcp/core';
import { makeGrant, makeProject } from '@hcp/testing';
import { archiveOf } from '../../support/packs.js';
import type { Api } from '../api/auth-harness.js';

export interface Who {
  readonly id: string;
  readonly token: string;
}

const pack = (name: string): Promise<Buffer> =>
  archiveOf(fileURLToPath(new URL(`../../../examples/packs/${name}`, import.meta.url)));

/** A tenant with the demo packs, its owner, a member, the owner's agent, a service, and a project of them all. */
export class World {
  private constructor(
    readonly api: Api,
    readonly tenant_id: string,
    readonly owner: Who,
    readonly member: Who,
    readonly agent: Who & { readonly key_id: string },
    readonly service: Who & { readonly key_id: string },
    readonly project_id: string,
  ) {}

  static async make(api: Api): Promise<World> {
    const tenant_id = await api.tenant();
    const owner = await api.signedIn(tenant_id, 'owner');
    const member = await api.signedIn(tenant_id, 'member');
    const machine = async (kind: 'agent' | 'service', acts_for?: string) => {
      const id = await api.principal(tenant_id, kind, acts_for === undefined ? {} : { acts_for });
      for (const capability of ['verb.exec.read', 'verb.exec.write', 'access.manage'] as const) {
        await makeGrant(api.database.db, tenant_id, id, capability);
      }
      const { id: key_id, key } = await api.key(tenant_id, id);
      return { id, key_id, token: key };
    };
    const agent = await machine('agent', owner.id);
    const service = await machine('service');
    const members = [owner.id, member.id, agent.id, service.id];
    const project_id = (await makeProject(api.database.db, tenant_id, members)).id;
    const world = new World(api, tenant_id, owner, member, agent, service, project_id);
    for (const name of ['ledger', 'notes', 'transit']) await world.install(await pack(name));
    return world;
  }

  /** Installs a pack and activates the version that it is. */
  async install(archive: Buffer): Promise<void> {
    const headers = { 'content-type': 'application/gzip' };
    const { token } = this.owner;
    const { status, body } = await this.api.call('POST', '/v1/packs', { token, raw: new Uint8Array(archive), headers });
    if (status >= 300) throw new Error(`install: ${JSON.stringify(body)}`);
    const { pack_id, version } = body as { pack_id: string; version: string };
    const activated = await this.api.call('PUT', `/v1/packs/${pack_id}/activation`, { token, body: { version } });
    if (activated.status >= 300) throw new Error(`activate: ${JSON.stringify(activated.body)}`);
  }

  call<T = Record<string, unknown>>(
    who: Who,
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ) {
    return this.api.call<T>(method, `/v1${path}`, {
      token: who.token,
      ...(body && { body }),
      ...(headers && { headers }),
    });
  }

  async exec(
    who: Who,
    command: string,
    args: object = {},
    headers: Record<string, string> = {},
  ): Promise<ResultEnvelope> {
    const dot = command.indexOf('.');
    const call = { pack_id: command.slice(0, dot), verb_key: command.slice(dot + 1), args, wait_ms: 0 };
    const { status, body } = await this.call<ResultEnvelope & Record<string, unknown>>(
      who,
      'POST',
      '/exec',
      call,
      headers,
    );
    if (status !== 200) throw new Error(`exec: ${String(status)} ${JSON.stringify(body)}`);
    return body;
  }

  /** `runs`, or the code of the refusal, for a transfer of fares. */
  async transfer(who: Who, args: object = {}, headers: Record<string, string> = {}): Promise<string> {
    const wanted = { amount: '2.80', payee: 'demo-transit', ...args };
    return outcome(await this.exec(who, 'ledger.transfer', wanted, headers));
  }

  async mode(mode: string | null, more: object = {}): Promise<Access> {
    const { status, body } = await this.call<Access & Record<string, unknown>>(this.owner, 'PUT', '/access/mode', {
      mode,
      ...more,
    });
    if (status !== 200) throw new Error(`mode: ${JSON.stringify(body)}`);
    return body;
  }

  async settings(body: object): Promise<void> {
    const answer = await this.call(this.owner, 'PUT', '/access/settings', body);
    if (answer.status !== 200) throw new Error(`settings: ${JSON.stringify(answer.body)}`);
  }

  async rule(rule: Rule & { project_id?: string }): Promise<AccessRuleRecord> {
    const { status, body } = await this.call<AccessRuleRecord & Record<string, unknown>>(
      this.owner,
      'POST',
      '/access/rules',
      rule,
    );
    if (status !== 201) throw new Error(`rule: ${JSON.stringify(body)}`);
    return body;
  }

  async access(who: Who, query = '', headers: Record<string, string> = {}): Promise<Access> {
    return (await this.call<Access & Record<string, unknown>>(who, 'GET', `/access${query}`, undefined, headers)).body;
  }

  /** `pack.verb` to what the list says. */
  async commands(who: Who, query = ''): Promise<Record<string, string>> {
    const { body } = await this.call<{ items: { pack_id: string; verb_key: string; access: string }[] }>(
      who,
      'GET',
      `/commands?limit=200${query}`,
    );
    return Object.fromEntries(body.items.map((each) => [`${each.pack_id}.${each.verb_key}`, each.access]));
  }

  async epoch(): Promise<bigint> {
    const { tenant_id } = this;
    const row = await this.api.database.db.tenant(tenant_id, (tx) =>
      tx.tenant.findUniqueOrThrow({ where: { id: tenant_id } }),
    );
    return row.settings_epoch;
  }
}

/** `runs` where it became a run, else the code. */
export const outcome = (envelope: ResultEnvelope): string =>
  envelope.run_id === null ? String(envelope.code) : 'runs';
