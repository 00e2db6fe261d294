import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { folderSchema, MAX_FILE_BYTES, writtenFileSchema } from '@hcp/contracts';
import { makeAgent, makeGrant, makeProject } from '@hcp/testing';
import { listAudit } from '@hcp/audit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rawCall } from '../../support/raw-http.js';
import { keyFor, signedIn, tenantWithOwner, type Stack } from '../../support/stack.js';
import { BYTES, json, placeIn, start, type Place } from './harness.js';

let stack: Stack;
let place: Place;

beforeAll(async () => {
  stack = await start();
});
afterAll(() => stack.stop());
beforeEach(async () => {
  place = await placeIn(stack);
});

const names = async (path = '') => folderSchema.parse(json(await place.get(path))).items.map((item) => item.name);

describe('the files of a project', () => {
  it('are none before the first one', async () => {
    expect(json(await place.get(''))).toEqual({ items: [], next_cursor: null, truncated: false });
    expect((await place.get('a.txt')).status).toBe(404);
    expect((await place.rm('a.txt')).status).toBe(404);
  });

  it('go in, come out, are replaced, listed and removed', async () => {
    const first = await place.put('notes/2026/plan.txt', 'one');
    expect(first.status).toBe(200);
    expect(writtenFileSchema.parse(json(first))).toEqual({
      path: 'notes/2026/plan.txt',
      size: 3,
      sha256: createHash('sha256').update('one').digest('hex'),
      created: true,
    });
    const got = await place.get('notes/2026/plan.txt');
    expect(got).toMatchObject({ status: 200, text: 'one', headers: { 'content-type': BYTES, 'content-length': '3' } });
    expect(got.headers['content-disposition']).toBe('attachment');
    expect(json(await place.put('notes/2026/plan.txt', 'two!'))).toMatchObject({ created: false, size: 4 });
    expect((await place.get('notes/2026/plan.txt')).text).toBe('two!');
    const { items } = folderSchema.parse(json(await place.get('notes')));
    expect(items).toMatchObject([{ name: '2026', kind: 'folder', size: null, addressable: true }]);
    expect(await names('notes/2026')).toEqual(['plan.txt']);
    expect((await place.rm('notes')).status).toBe(409);
    expect((await place.rm('notes?recursive=1')).status).toBe(204);
    expect(await names()).toEqual([]);
    expect((await place.rm('notes')).status).toBe(404);
  });

  it('may be empty, binary, and have names of any script', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 128, 0]);
    const name = encodeURIComponent('отчёт № 1 %2e%2e.bin');
    expect((await place.put(name, bytes)).status).toBe(200);
    expect(await readFile(join(place.dir, 'отчёт № 1 %2e%2e.bin'))).toEqual(bytes);
    expect((await place.put('empty', '')).status).toBe(200);
    expect((await place.get('empty')).text).toBe('');
    expect(await names()).toEqual(['empty', 'отчёт № 1 %2e%2e.bin']);
    expect((await place.rm(name)).status).toBe(204);
    expect((await place.rm('empty')).status).toBe(204);
  });

  it('leave nothing beside the workspace, and give nothing to other users of the machine', async () => {
    await place.put('a/b', 'x');
    await place.rm('a?recursive=1');
    expect(await readdir(join(stack.data_dir, 'workspaces/.staging'))).toEqual([]);
    expect((await lstat(place.dir)).mode & 0o777).toBe(0o700);
    expect((await lstat(join(stack.data_dir, 'workspaces/.staging'))).mode & 0o777).toBe(0o700);
  });

  it('are put as they are announced, as bytes, up to 32 MiB', async () => {
    const path = `/v1/projects/${place.project_id}/files/a`;
    const { token } = place.owner;
    expect(await rawCall(stack.urls[0], 'PUT', path, { token, body: '{}' })).toMatchObject({ status: 415 });
    const gzip = { token, body: 'x', type: 'application/gzip' };
    expect(await rawCall(stack.urls[0], 'PUT', path, gzip)).toMatchObject({ status: 415 });
    expect((await place.put('big', Buffer.alloc(MAX_FILE_BYTES, 7))).status).toBe(200);
    const more = await place.put('big', Buffer.alloc(MAX_FILE_BYTES + 1));
    expect([more.status, json(more).code]).toEqual([413, 'payload_too_large']);
    expect((await lstat(join(place.dir, 'big'))).size).toBe(MAX_FILE_BYTES);
    expect(await readdir(join(stack.data_dir, 'workspaces/.staging'))).toEqual([]);
  });

  it('are not what half an upload was', async () => {
    await place.put('doc', 'whole');
    await new Promise<void>((resolve) => {
      const sent = request(`${stack.urls[0]}/v1/projects/${place.project_id}/files/doc`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${place.owner.token}`, 'content-type': BYTES, 'content-length': '1000' },
      });
      sent.on('error', () => resolve());
      sent.write('half', () => setImmediate(() => sent.destroy(new Error('gone'))));
    });
    expect((await place.get('doc')).text).toBe('whole');
    await expect.poll(() => readdir(join(stack.data_dir, 'workspaces/.staging'))).toEqual([]);
  });

  it('that lie in the way of others are named as such', async () => {
    await place.put('file', 'x');
    await place.put('folder/in', 'x');
    for (const answer of [
      await place.put('file/in', 'x'),
      await place.put('folder', 'x'),
      await place.get('file/in'),
    ]) {
      expect([answer.status, json(answer).code]).toEqual([409, 'conflict']);
    }
    expect((await place.put('', 'x')).status).toBe(409);
    expect((await place.rm('?recursive=1')).status).toBe(409);
  });

  it('are in the audit, each act before it happens', async () => {
    await place.put('a', 'x');
    await place.get('a');
    await place.get('');
    await place.rm('a');
    const page = await stack.database.db.tenant(place.tenant_id, (tx) => listAudit(tx, {}));
    const events = (page?.items ?? []).filter(({ action }) => action.startsWith('file.'));
    expect(events.map(({ action }) => action)).toEqual(['file.delete', 'file.get', 'file.put']);
    expect(events.at(-1)).toMatchObject({
      principal_id: place.owner.id,
      project_id: place.project_id,
      details: { path: 'a', size: 1 },
    });
  });
});

describe('who may', () => {
  it('is nobody but members of the project, and to all others it is not there', async () => {
    await place.put('a', 'x');
    const outsider = await signedIn(stack, place.tenant_id, 'owner');
    const stranger = (await tenantWithOwner(stack)).owner;
    const { token } = place.owner;
    const nowhere = await rawCall(stack.urls[0], 'GET', `/v1/projects/${stranger.id}/files/a`, { token });
    expect(nowhere.status).toBe(404);
    for (const { token } of [outsider, stranger]) {
      for (const answer of [
        await place.get('a', token),
        await place.get('', token),
        await place.put('a', 'y', token),
      ]) {
        expect(answer).toMatchObject({ status: 404, text: nowhere.text });
      }
      expect((await place.rm('a', token)).status).toBe(404);
    }
    expect((await place.get('a')).text).toBe('x');
  });

  it('reads with verb.exec.read, writes with verb.exec.write, for the project and not for one pack', async () => {
    const { db } = stack.database;
    const { tenant_id, project_id } = place;
    await place.put('a', 'x');
    const agent = await makeAgent(db, tenant_id);
    await db.tenant(tenant_id, (tx) =>
      tx.projectMember.create({ data: { tenant_id, project_id, principal_id: agent.id } }),
    );
    const { key } = await keyFor(stack, tenant_id, agent.id);
    const statuses = async () => [
      (await place.get('a', key)).status,
      (await place.put('a', 'x', key)).status,
      (await place.rm('none', key)).status,
    ];
    expect(await statuses()).toEqual([403, 403, 403]);
    await makeGrant(db, tenant_id, agent.id, 'verb.exec.read', { project_id });
    await makeGrant(db, tenant_id, agent.id, 'verb.exec.write', { pack_id: 'ledger' });
    expect(await statuses()).toEqual([200, 403, 403]);
    await makeGrant(db, tenant_id, agent.id, 'verb.exec.write', { project_id });
    expect(await statuses()).toEqual([200, 200, 404]);
  });

  it('stays within the project of a narrower key', async () => {
    const { tenant_id, owner } = place;
    const other = (await makeProject(stack.database.db, tenant_id, [owner.id])).id;
    const { key } = await keyFor(stack, tenant_id, owner.id, { project_id: other });
    await place.put('a', 'x');
    expect((await place.get('a', key)).status).toBe(404);
    expect((await place.put('a', 'y', key)).status).toBe(404);
  });

  it('without credentials is 401, before a byte of the body is taken', async () => {
    const path = `/v1/projects/${place.project_id}/files/a`;
    const answer = await rawCall(stack.urls[0], 'PUT', path, { body: Buffer.alloc(100_000), type: BYTES });
    expect(answer.status).toBe(401);
    expect(await readdir(stack.data_dir)).not.toContain('a');
  });
});
