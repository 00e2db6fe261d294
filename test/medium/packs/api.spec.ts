import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { commandPageSchema, packCheckSchema, packDetailSchema, packPageSchema, skillSchema } from '@hcp/contracts';
import { makeAgent, makeProject } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { archiveOf } from '../../support/packs.js';
import type { Answer } from '../../support/http.js';
import { keyFor, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';
import { toolArchive } from './support/drafts.js';
import { tarGz } from './support/raw-tar.js';

let stack: Stack;
let tenant_id: string;
let owner: Person;

beforeAll(async () => {
  stack = await startStack({ workers: 0 });
});
afterAll(() => stack.stop());
beforeEach(async () => {
  ({ tenant_id, owner } = await tenantWithOwner(stack));
});

const as = (token: string) => ({
  upload: (path: string, archive: Buffer, type = 'application/gzip'): Promise<Answer> =>
    stack.call('POST', path, { token, raw: new Uint8Array(archive), headers: { 'content-type': type } }),
  call: (method: string, path: string, body?: unknown): Promise<Answer> =>
    stack.call(method, path, { token, ...(body !== undefined && { body }) }),
});
const install = async (archive: Buffer) => as(owner.token).upload('/v1/packs', archive);
const activate = (pack_id: string, body: object = {}) =>
  as(owner.token).call('PUT', `/v1/packs/${pack_id}/activation`, body);
const example = (name: string) => archiveOf(fileURLToPath(new URL(`../../../examples/packs/${name}`, import.meta.url)));

/** What an upload gets that announces this many bytes; none is sent, since the server hangs up on the rest. */
function statusForLength(length: number): Promise<number | undefined> {
  const headers = {
    authorization: `Bearer ${owner.token}`,
    'content-type': 'application/gzip',
    'content-length': String(length),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${stack.urls[0]}/v1/packs`, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode);
      sent.destroy();
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
}

describe('packs over REST', () => {
  it('go their whole way: check, install, activate, look, deactivate, delete', async () => {
    const { upload, call } = as(owner.token);
    const archive = await example('ledger');
    const checked = await upload('/v1/packs/check', archive);
    expect(packCheckSchema.parse(checked.body)).toMatchObject({ ok: true, findings: [], pack: { pack_id: 'ledger' } });
    expect((await call('GET', '/v1/packs/ledger')).status).toBe(404);

    const installed = await upload('/v1/packs', archive);
    expect(installed).toMatchObject({ status: 201, body: { pack_id: 'ledger', version: '1.0.0', findings: [] } });
    expect((await upload('/v1/packs', archive)).body).toEqual(installed.body);

    const activated = await activate('ledger');
    const { digest } = installed.body;
    expect(activated).toMatchObject({
      status: 200,
      body: { pack_id: 'ledger', version: '1.0.0', project_id: null, digest },
    });

    const page = packPageSchema.parse((await call('GET', '/v1/packs')).body);
    expect(page.items.map((item) => item.pack_id)).toEqual(['hcp-cli', 'ledger']);
    const detail = packDetailSchema.parse((await call('GET', '/v1/packs/ledger')).body);
    expect(detail.commands.find((command) => command.verb_key === 'transfer')).toMatchObject({ confirm: 'always' });
    packDetailSchema.parse((await call('GET', '/v1/packs/hcp-cli')).body);

    const lead = skillSchema.parse((await call('GET', '/v1/packs/ledger/skill')).body);
    const full = skillSchema.parse((await call('GET', '/v1/packs/ledger/skill?full=1')).body);
    expect(full.skill?.startsWith(lead.skill ?? 'no lead')).toBe(true);
    expect(full.skill).toContain('## Paying');
    expect(lead.skill).not.toContain('## Paying');

    expect((await call('DELETE', '/v1/packs/ledger/versions/1.0.0')).status).toBe(409);
    expect((await call('DELETE', '/v1/packs/ledger/activation')).status).toBe(204);
    expect((await call('DELETE', '/v1/packs/ledger/versions/1.0.0')).status).toBe(204);
    expect((await call('GET', '/v1/packs/ledger')).status).toBe(404);
  });

  it.each(['application/gzip', 'application/octet-stream', 'application/x-tar+gzip'])(
    'take a body of %s',
    async (type) => {
      expect((await as(owner.token).upload('/v1/packs', await toolArchive(), type)).status).toBe(201);
    },
  );

  it('name what is wrong with a body', async () => {
    const { upload, call } = as(owner.token);
    expect(await call('POST', '/v1/packs', { pack: 'x' })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    });
    expect(await statusForLength(11 * 2 ** 20)).toBe(413);
    const evil = tarGz([{ name: '../evil', content: 'x' }]);
    expect(await upload('/v1/packs', evil)).toMatchObject({
      status: 422,
      body: { code: 'invalid_pack', errors: [{ path: '../evil', message: '../evil has a ".." segment' }] },
    });
    expect((await upload('/v1/packs/check', evil)).body).toMatchObject({
      ok: false,
      findings: [{ path: '../evil' }],
      pack: null,
    });
    const empty = await upload('/v1/packs', tarGz([{ name: 'x' }]));
    expect(empty).toMatchObject({ status: 422, body: { code: 'invalid_pack' } });
    expect(empty.body['errors']).not.toEqual([]);
  });

  it('refuse another content under the same version', async () => {
    await install(await toolArchive());
    const again = await install(await toolArchive('tool', '1.0.0', 'changed'));
    expect(again).toMatchObject({ status: 409, body: { code: 'version_conflict' } });
  });

  it('are changed by no agent and by nobody without the grant', async () => {
    const archive = await toolArchive();
    await install(archive);
    const agent = await makeAgent(stack.database.db, tenant_id);
    const grants = { tenant_id, id: randomUUID(), principal_id: agent.id, capability: 'pack.install', verb_keys: [] };
    await stack.database.db.tenant(tenant_id, (tx) => tx.grant.create({ data: grants }));
    const { key } = await keyFor(stack, tenant_id, agent.id);
    const member = await signedIn(stack, tenant_id, 'member');
    for (const [token, code] of [
      [key, 'human_only'],
      [member.token, 'missing_capability'],
    ] as const) {
      const { upload, call } = as(token);
      expect(await upload('/v1/packs', archive)).toMatchObject({ status: 403, body: { code } });
      expect(await call('PUT', '/v1/packs/tool/activation', {})).toMatchObject({ status: 403, body: { code } });
      expect(await call('DELETE', '/v1/packs/tool/activation')).toMatchObject({ status: 403, body: { code } });
      expect(await call('DELETE', '/v1/packs/tool/versions/1.0.0')).toMatchObject({ status: 403, body: { code } });
    }
    expect((await as(member.token).upload('/v1/packs/check', archive)).status).toBe(403);
    expect((await as(member.token).call('GET', '/v1/packs/tool')).status).toBe(200);
  });
});

/** CASES 8, 30: what is another tenant's, what does not exist and what is no name answer alike, or as a bad request. */
describe('a pack of another tenant', () => {
  it('is the same as none', async () => {
    await install(await toolArchive());
    await activate('tool');
    const project = await makeProject(stack.database.db, tenant_id);
    const { owner: stranger } = await tenantWithOwner(stack);
    const { call } = as(stranger.token);
    for (const pack_id of ['tool', 'nothing']) {
      const answers = [
        await call('GET', `/v1/packs/${pack_id}`),
        await call('GET', `/v1/packs/${pack_id}/skill`),
        await call('PUT', `/v1/packs/${pack_id}/activation`, {}),
        await call('DELETE', `/v1/packs/${pack_id}/activation`),
        await call('DELETE', `/v1/packs/${pack_id}/versions/1.0.0`),
      ];
      expect(answers.map(({ status, body }) => [status, body['code'], body['detail']])).toEqual(
        answers.map(() => [404, 'not_found', 'no such thing, or not yours to see']),
      );
    }
    await as(stranger.token).upload('/v1/packs', await toolArchive());
    for (const project_id of [project.id, randomUUID()]) {
      expect((await call('PUT', '/v1/packs/tool/activation', { project_id })).status).toBe(404);
      expect((await call('DELETE', `/v1/packs/tool/activation?project_id=${project_id}`)).status).toBe(404);
      expect((await call('GET', `/v1/commands?project_id=${project_id}`)).status).toBe(404);
    }
    expect((await as(owner.token).call('GET', '/v1/packs/tool')).status).toBe(200);
  });

  it.each(['..%2f..%2fetc', '%2e%2e', 'a%00b', 'A', "x'--"])('is not found by the name %s', async (name) => {
    const { call } = as(owner.token);
    const answers = [
      await call('GET', `/v1/packs/${name}`),
      await call('GET', `/v1/packs/${name}/skill`),
      await call('DELETE', `/v1/packs/tool/versions/${name}`),
      await call('GET', `/v1/commands?pack_id=${name}`),
      await call('GET', `/v1/packs?cursor=${name}`),
    ];
    for (const { status } of answers) expect([400, 404]).toContain(status);
  });
});

describe('GET /v1/commands', () => {
  const list = async (token: string, query = '') => {
    const answer = await as(token).call('GET', `/v1/commands${query}`);
    return commandPageSchema.parse(answer.body);
  };

  it('says for each command what a call would get, and pages', async () => {
    await install(await toolArchive());
    await activate('tool');
    const all = await list(owner.token, '?limit=200');
    const tool = all.items.filter((item) => item.pack_id === 'tool');
    expect(tool.map(({ verb_key, access, code }) => [verb_key, access, code])).toEqual([
      ['look', 'allow', null],
      ['put', 'allow', null],
      ['wipe', 'ask', 'confirm_required'],
    ]);
    const paged = [];
    let query = '?limit=5';
    for (;;) {
      const page = await list(owner.token, query);
      paged.push(...page.items);
      if (page.next_cursor === null) break;
      query = `?limit=5&cursor=${page.next_cursor}`;
    }
    expect(paged).toEqual(all.items);
  });

  /** CASES 11. */
  it('shows a narrow key what it reaches, and denies the rest of those packs', async () => {
    for (const pack_id of ['tool', 'other']) {
      await install(await toolArchive(pack_id));
      await activate(pack_id);
    }
    const grants = [{ capability: 'verb.exec.read', pack_id: 'tool' }];
    const { key } = await keyFor(stack, tenant_id, owner.id, { grants });
    const { items } = await list(key);
    const seen = items.filter((item) => item.pack_id !== 'hcp-cli');
    expect(seen.map(({ pack_id, verb_key, access }) => `${pack_id}.${verb_key} ${access}`)).toEqual([
      'tool.look allow',
      'tool.put deny',
      'tool.wipe deny',
    ]);
    expect((await as(key).call('GET', '/v1/packs/other')).status).toBe(404);
  });
});
