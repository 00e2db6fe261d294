import { randomUUID } from 'node:crypto';
import type { AuditCheckpoint, AuditConsistency, AuditEvent, AuditKey, AuditProof, Page } from '@hcp/contracts';
import { readNoteKey } from '@hcp/core';
import { remote, items, proveEvent, webAuditCrypto, type RemoteApi } from '@hcp/sdk';
import { makeGrant, makeProject } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeCrypto, verified } from '../../support/audit.js';
import { Api } from '../api/auth-harness.js';

/** SPEC U3, U4: what the routes of the audit log answer, to whom, and that it holds. */
let api: Api;
let tenant_id: string;
let owner: { id: string; token: string };
let project: string;

beforeAll(async () => {
  api = await Api.start(2);
  tenant_id = await api.tenant();
  owner = await api.signedIn(tenant_id, 'owner');
  project = (await makeProject(api.database.db, tenant_id, [owner.id])).id;
  for (const pack_id of ['ledger', 'transit']) {
    for (const project_id of [null, project]) await event({ pack_id, project_id });
  }
}, 120_000);
afterAll(() => api.stop());

async function event(fields: { pack_id?: string; project_id?: string | null }, tenant = tenant_id): Promise<string> {
  const id = randomUUID();
  await api.database.db.tenant(tenant, (tx) =>
    tx.auditEvent.create({ data: { tenant_id: tenant, id, action: 'exec.decision', decision: 'allow', ...fields } }),
  );
  return id;
}

const get = <T = Record<string, unknown>>(path: string, token = owner.token, replica = 0) =>
  api.call<T>('GET', `/v1/audit${path}`, { token, replica });
const client = (token = owner.token): RemoteApi => remote({ url: api.urls[0] ?? '', token }).api;
const latest = async (): Promise<AuditEvent[]> => (await get<Page<AuditEvent>>('?limit=200')).body.items;

describe('the log', () => {
  it('has every event that the list has, proven by each replica with the same key', async () => {
    const events = await latest();
    expect(events.length).toBeGreaterThan(4);
    const places = new Set<number>();
    for (const [at, one] of events.entries()) {
      const proof = (await get<AuditProof>(`/events/${one.id}/proof`, owner.token, at % 2)).body;
      const full = (await get<AuditEvent>(`/events/${one.id}`)).body;
      expect(full).toEqual(one);
      for (const crypto of [nodeCrypto, webAuditCrypto]) {
        expect(await proveEvent(crypto, full, proof)).toMatchObject({ ok: true, index: proof.index });
      }
      expect(await proveEvent(nodeCrypto, { ...full, decision: 'deny' }, proof)).toEqual({
        ok: false,
        reason: 'changed',
      });
      places.add(proof.index);
    }
    expect(places.size).toBe(events.length);
  });

  it('is exported whole, and what came is what was signed', async () => {
    const { key } = (await get<AuditCheckpoint>('/checkpoint')).body;
    const answer = await get<string>('/export');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="hcp-audit-.*\.ndjson"$/);
    const size = (await latest()).length;
    expect(await verified(answer.body, key)).toMatchObject({ ok: true, shown: size, withheld: 0 });
    const part = await get<string>('/export?pack_id=ledger&start=1');
    expect(await verified(part.body, key, { partial: true })).toMatchObject({ ok: true, shown: 2 });
    expect(part.body).not.toContain('transit');
    let bytes = 0;
    for await (const piece of client().audit.export({ pack_id: 'nothing' })) bytes += piece.length;
    expect(bytes).toBeGreaterThan(100);
  });

  it('refuses times that no database has', async () => {
    for (const from of ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00%2B00:01']) {
      for (const path of ['', '/export']) {
        const answer = await get(`${path}?from=${from}`);
        expect(answer, path).toMatchObject({ status: 400, body: { errors: [{ path: '/from' }] } });
      }
    }
    expect((await get('?from=0001-01-01T00:00:00Z')).status).toBe(200);
  });

  it('signs with one key, which everybody may know', async () => {
    const { key, origin, checkpoint } = (await get<AuditCheckpoint>('/checkpoint')).body;
    const open = await api.call<AuditKey>('GET', '/v1/audit/key', { replica: 1 });
    expect(key).toBe(`${open.body.log_name}/audit/${tenant_id}+${key.split('+')[1] ?? ''}+${open.body.public_key}`);
    expect(checkpoint.startsWith(`${origin}\n`)).toBe(true);
    expect(await readNoteKey(nodeCrypto.sha256, key)).toMatchObject({ name: origin });
    const jwks = await api.call('GET', '/.well-known/jwks.json');
    expect(JSON.stringify(jwks.body)).not.toContain('Ed25519');
  });

  it('proves that it only grew, and says so where it never was that large', async () => {
    const before = (await get<AuditCheckpoint>('/checkpoint')).body;
    await event({});
    const grown = await get<AuditConsistency>(`/consistency?from=${String(before.size)}`);
    expect(grown.body).toMatchObject({ from: before.size, to: before.size + 1, from_root: before.root });
    for (const query of ['from=100000', 'from=0&to=100000', 'from=3&to=2', 'from=-1', '']) {
      expect((await get(`/consistency?${query}`)).status, query).toBe(400);
    }
    expect((await get('/export?start=3&end=2')).status).toBe(400);
  });
});

describe('who may read a part of the log', () => {
  it('of one pack sees that, and of the rest hashes', async () => {
    const person = await api.signedIn(tenant_id);
    await makeGrant(api.database.db, tenant_id, person.id, 'audit.read', { pack_id: 'ledger' });
    const events = await latest();
    const [mine, other] = ['ledger', 'transit'].map((pack) => events.find(({ pack_id }) => pack_id === pack)?.id ?? '');
    expect((await get(`/events/${mine ?? ''}`, person.token)).status).toBe(200);
    expect((await get(`/events/${mine ?? ''}/proof`, person.token)).status).toBe(200);
    for (const id of [other, randomUUID()]) {
      expect(await get(`/events/${id ?? ''}`, person.token)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
      expect((await get(`/events/${id ?? ''}/proof`, person.token)).status).toBe(404);
    }
    expect((await get('', person.token)).status).toBe(403);
    expect((await get('/export', person.token)).status).toBe(403);
    const part = await get<string>('/export?pack_id=ledger', person.token);
    expect(part.body).not.toContain('transit');
    const { key } = (await get<AuditCheckpoint>('/checkpoint', person.token)).body;
    expect(await verified(part.body, key, { partial: true })).toMatchObject({ ok: true, shown: 2 });
  });

  it('of one project sees that alone', async () => {
    const { key } = await api.key(tenant_id, owner.id, { project_id: project });
    const part = await get<string>('/export', key);
    const shown = part.body.split('\n').filter((line) => line.startsWith('{"index"'));
    expect(shown).toHaveLength(2);
    for (const line of shown) expect(line).toContain(`"project_id":"${project}"`);
    const outside = (await latest()).find(({ project_id }) => project_id === null);
    expect((await get(`/events/${outside?.id ?? ''}`, key)).status).toBe(404);
  });

  it('none of it without the right, nor of another tenant', async () => {
    const nobody = await api.signedIn(tenant_id);
    const other = await api.signedIn(await api.tenant(), 'owner');
    const [one] = await latest();
    for (const path of ['/export', '/checkpoint', '/consistency?from=0', `/events/${one?.id ?? ''}`]) {
      expect((await get(path, nobody.token)).status, path).toBe(403);
    }
    expect((await get(`/events/${one?.id ?? ''}/proof`, other.token)).status).toBe(404);
    const theirs = await get<string>('/export', other.token);
    expect(theirs.body).not.toContain(tenant_id);
    expect(theirs.body).not.toContain(one?.id);
  });
});

describe('many exports at once', () => {
  it('are refused beyond what one may have open, and leave room when they end', async () => {
    for (let round = 0; round < 30; round += 1) expect((await get('/export?end=1')).status).toBe(200);
    let count = 0;
    for await (const one of items((query) => client().audit.list({ ...query, limit: 2 })))
      if (one.id !== '') count += 1;
    expect(count).toBe((await latest()).length);
  });
});
