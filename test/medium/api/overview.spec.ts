import { randomUUID } from 'node:crypto';
import type { Overview, RunSummary } from '@hcp/contracts';
import { makeAgent, makeGrant } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from './auth-harness.js';

/** SPEC I5: the numbers of the dashboard are those of what the caller may see, and of nothing else. */

const HOUR_MS = 3_600_000;

let api: Api;
let tenant_id: string;
let owner: { id: string; token: string };
beforeAll(async () => {
  api = await Api.start();
  tenant_id = await api.tenant();
  owner = await api.signedIn(tenant_id, 'owner');
}, 120_000);
afterAll(() => api.stop());

interface Fields {
  readonly principal_id: string;
  readonly acts_for?: string;
  readonly status?: string;
  readonly created_at?: Date;
  readonly verb_key?: string;
}

const call = (fields: Fields) => ({
  principal_kind: 'agent',
  session_id: randomUUID(),
  authority: {},
  pack_id: 'ledger',
  verb_key: 'balance',
  operation: 'read',
  pack_version: '1.0.0',
  pack_digest: 'sha256:0',
  ...fields,
});

const makeRun = (fields: Fields, tenant = tenant_id) =>
  api.database.db.tenant(tenant, (tx) =>
    tx.run.create({
      data: {
        tenant_id: tenant,
        id: randomUUID(),
        status: 'succeeded',
        land: 'public',
        family: 'public',
        settings_epoch: 0n,
        args_digest: '0',
        idempotent: true,
        timeout_ms: 1000,
        queue_deadline: new Date(),
        ...call(fields),
      },
    }),
  );

const makeRequest = (fields: Fields, ends: Date) =>
  api.database.db.tenant(tenant_id, (tx) =>
    tx.approval.create({
      data: {
        tenant_id,
        id: randomUUID(),
        state: 'pending',
        digest: randomUUID(),
        binding: 'none',
        reason_code: 'confirm',
        mode: 'normal',
        card_digest: 'sha256:0',
        complete: true,
        second_person: false,
        approvers: 1,
        reason_required: false,
        run_on_approve: false,
        pending_expires_at: ends,
        ...call(fields),
      },
    }),
  );

async function overview(token: string): Promise<Overview> {
  const answer = await api.call<Overview & Record<string, unknown>>('GET', '/v1/overview', { token });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

describe('the overview', () => {
  const now = Date.now();
  const this_hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const ago = (hours: number): Date => new Date(this_hour - hours * HOUR_MS + 1);
  let member: { id: string; token: string };
  let agent: { id: string; key: string };

  beforeAll(async () => {
    member = await api.signedIn(tenant_id, 'member');
    const { id } = await makeAgent(api.database.db, tenant_id, { acts_for: member.id });
    await makeGrant(api.database.db, tenant_id, id, 'verb.exec.read');
    agent = { id, key: (await api.key(tenant_id, id)).key };
    // The member's own and their agent's.
    await makeRun({ principal_id: member.id, created_at: ago(0) });
    await makeRun({ principal_id: id, acts_for: member.id, status: 'failed', created_at: ago(3) });
    await makeRun({ principal_id: id, acts_for: member.id, status: 'running', created_at: ago(30) });
    // Others'.
    const { id: principal_id } = await makeAgent(api.database.db, tenant_id);
    await makeRun({ principal_id, status: 'timed_out', created_at: ago(3), verb_key: 'pay' });
    await makeRun({ principal_id, status: 'queued', created_at: ago(23) });
    await makeRun({ principal_id, status: 'failed', created_at: ago(24) });
    // Another tenant's.
    const other = await api.tenant();
    const { id: elsewhere } = await makeAgent(api.database.db, other);
    await makeRun({ status: 'failed', principal_id: elsewhere, created_at: ago(0) }, other);
    await makeRequest({ principal_id: id, acts_for: member.id }, new Date(now + HOUR_MS));
    await makeRequest({ principal_id }, new Date(now + HOUR_MS));
    await makeRequest({ principal_id }, new Date(now - 1000));
  });

  const filled = ({ hours }: Overview) => hours.flatMap(({ total, failed }) => (total > 0 ? [{ total, failed }] : []));

  it('counts for who may see all runs and decide', async () => {
    const seen = await overview(owner.token);
    expect(seen).toMatchObject({
      approvals: { waiting: 2, to_decide: 2 },
      runs: { queued: 1, running: 1, failed: 2 },
      bindings: { stale: 0 },
    });
    expect(seen.hours).toHaveLength(24);
    expect(new Date(seen.hours[0]?.from ?? '').getTime() % HOUR_MS).toBe(0);
    expect(filled(seen)).toEqual([
      { total: 1, failed: 0 },
      { total: 2, failed: 2 },
      { total: 1, failed: 0 },
    ]);
  });

  it('counts for a member their own and their agents’ alone', async () => {
    const seen = await overview(member.token);
    expect(seen).toMatchObject({
      approvals: { waiting: 1, to_decide: 0 },
      runs: { queued: 0, running: 1, failed: 1 },
    });
    expect(filled(seen)).toEqual([
      { total: 1, failed: 1 },
      { total: 1, failed: 0 },
    ]);
  });

  it('counts for an agent its own, and tells it of no binding', async () => {
    expect(await overview(agent.key)).toMatchObject({
      approvals: { waiting: 1, to_decide: 0 },
      runs: { queued: 0, running: 1, failed: 1 },
      bindings: null,
    });
  });

  it('counts bindings that a person has to connect again, where the caller sees them', async () => {
    const binding = (principal_id: string | null, fields: object) =>
      api.database.db.tenant(tenant_id, (tx) =>
        tx.binding.create({
          data: {
            tenant_id,
            id: randomUUID(),
            pack_id: `pack-${randomUUID()}`,
            family: 'user',
            kind: 'secret',
            principal_id,
            secret_enc: Buffer.from('x'),
            created_by: owner.id,
            rotated_by: owner.id,
            ...fields,
          },
        }),
      );
    await binding(owner.id, { expires_at: new Date(Date.now() - 1000) });
    await binding(owner.id, { stale_at: new Date(), stale_reason: 'refused' });
    await binding(owner.id, {});
    await binding(member.id, { stale_at: new Date(), stale_reason: 'refused' });
    await binding(null, { stale_at: new Date(), stale_reason: 'refused' });
    expect((await overview(owner.token)).bindings).toEqual({ stale: 3 });
    expect((await overview(member.token)).bindings).toEqual({ stale: 1 });
  });

  it('agrees with the list of runs, which is read in part by who, what and where', async () => {
    const list = async (query: string) => {
      const { body } = await api.call<{ items: RunSummary[] }>('GET', `/v1/runs?${query}`, { token: owner.token });
      return body.items;
    };
    expect(await list('limit=200')).toHaveLength(6);
    expect((await list(`principal_id=${agent.id}`)).map(({ principal_id }) => principal_id)).toEqual([
      agent.id,
      agent.id,
    ]);
    expect((await list('verb_key=pay')).map(({ status }) => status)).toEqual(['timed_out']);
    expect(await list(`project_id=${randomUUID()}`)).toEqual([]);
  });
});
