import { listAudit } from '@hcp/audit';
import { checkArchive, deleteVersion, installPack, activatePack, getPack, type PackRefusal } from '@hcp/packs';
import { createTestDatabase, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { archive, packArchive } from '../../support/packs.js';
import { grant, makeCaller, makeWorld, type World } from './support/caller.js';
import { toolArchive } from './support/drafts.js';
import { tarGz } from './support/raw-tar.js';

let test: TestDatabase;
let world: World;
const now = new Date();

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.close());
beforeEach(async () => {
  world = await makeWorld(test.db);
});

const install = (tar_gz: Buffer, caller = world.owner) => installPack(test.db, caller, tar_gz, now);
const installed = (pack_id: string, caller = world.owner) =>
  test.db.tenant(caller.tenant_id, (tx) => getPack(tx, caller, pack_id, now));
const audit = async (action: string) =>
  (await test.db.tenant(world.tenant_id, (tx) => listAudit(tx, { action })))?.items ?? [];
const code = (answer: { ok: boolean }) => (answer as PackRefusal).code;

describe('installPack', () => {
  it('stores a version with its digest and says so in the audit', async () => {
    const done = await install(await toolArchive());
    expect(done).toMatchObject({ ok: true, created: true, pack_id: 'tool', version: '1.0.0' });
    const found = await installed('tool');
    expect(found).toMatchObject({ activations: [], versions: [{ version: '1.0.0' }] });
    const [event, ...more] = await audit('pack.install');
    expect(more).toEqual([]);
    expect(event).toMatchObject({ principal_id: world.owner.principal.id, pack_id: 'tool', pack_version: '1.0.0' });
  });

  it('keeps the order of what a card shows', async () => {
    const fields = { zebra: 'z', amount: '1', beta: 'b' };
    const preview = { kind: 'change', title: 'x', fields };
    await install(
      await packArchive({
        pack_id: 'order',
        bin: 'x',
        commands: { go: { description: 'x', cli: ['order', 'go'], preview } },
      }),
    );
    const found = await installed('order');
    expect(Object.keys(found?.pack.surface.commands['go']?.preview?.fields ?? {})).toEqual(Object.keys(fields));
  });

  it('takes the same version again, however it is packed, without a second event', async () => {
    const first = await install(await toolArchive());
    const second = await install(await toolArchive());
    expect(second).toMatchObject({ ok: true, created: false });
    expect(second).toHaveProperty('version_id', (first as { version_id: string }).version_id);
    expect(await audit('pack.install')).toHaveLength(1);
  });

  it('refuses the same version with another content', async () => {
    await install(await toolArchive());
    expect(code(await install(await toolArchive('tool', '1.0.0', 'changed')))).toBe('version_conflict');
  });

  it('lets one of many at once win, and tells the others apart by content', async () => {
    const archives = await Promise.all([toolArchive(), toolArchive(), toolArchive('tool', '1.0.0', 'changed')]);
    const answers = await Promise.all(archives.map((tar_gz) => install(tar_gz)));
    expect(answers.filter((answer) => answer.ok && answer.created)).toHaveLength(1);
    expect(answers.filter((answer) => !answer.ok).length).toBeGreaterThan(0);
    expect(await audit('pack.install')).toHaveLength(1);
  });

  it('shows every finding and stores nothing when one is an error', async () => {
    const answer = await install(
      await packArchive({
        pack_id: 'broken',
        bin: 'x',
        commands: {
          go: {
            description: 'x',
            cli: ['broken', '{{nope}}'],
            args: { type: 'object', properties: { a: { pattern: '(?=a)' } } },
          },
        },
      }),
    );
    expect(answer).toMatchObject({ ok: false, code: 'invalid_pack' });
    expect((answer as PackRefusal).findings?.map((finding) => finding.code)).toEqual(
      expect.arrayContaining(['M011', 'M020']),
    );
    expect(await installed('broken')).toBeNull();
  });

  it('refuses a bin that is not executable and texts that are no UTF-8 or too large', async () => {
    const good = {
      'manifest.json': JSON.stringify({
        pack_id: 'plain',
        name: 'x',
        version: '1.0.0',
        description: 'x',
        kind: 'wrap',
        binding: { family: 'public' },
        wrap: { bin: 'bin/x' },
      }),
      'surface.json': '{"commands":{}}',
      'policy.json': '{"commands":{}}',
      'bin/x': 'x',
    };
    const codes = async (files: Parameters<typeof archive>[0]) => {
      const answer = await checkArchive(await archive(files), { platform: false });
      return answer.ok ? answer.findings.map((finding) => finding.code) : answer;
    };
    expect(await codes(good)).toContain('M092');
    expect(await codes({ ...good, 'SKILL.md': 'x'.repeat(2 ** 20 + 1) })).toContain('M090');
    const latin1 = tarGz([{ name: 'SKILL.md', content: Buffer.from([0xe9]) }]);
    const answer = await checkArchive(latin1, { platform: false });
    expect(answer.ok && answer.findings.map((finding) => finding.code)).toContain('M091');
  });

  it('refuses a hostile archive, naming the entry', async () => {
    const answer = await install(tarGz([{ name: '../evil', content: 'x' }]));
    expect(answer).toMatchObject({ ok: false, code: 'invalid_archive', entry: '../evil' });
  });

  it("refuses the built-in pack's name, and the platform's credential", async () => {
    expect(code(await install(await toolArchive('hcp-cli')))).toBe('reserved_pack_id');
    const draft = { pack_id: 'fleet', bin: 'x', binding: { family: 'mothership' as const }, commands: {} };
    expect(code(await install(await packArchive(draft)))).toBe('invalid_pack');
  });

  it('is for those who hold pack.install for that pack, and for no agent', async () => {
    const tar_gz = await toolArchive();
    const { tenant_id } = world;
    const member = await makeCaller(test.db, tenant_id, { grants: [grant('verb.exec.write')] });
    const other = await makeCaller(test.db, tenant_id, { grants: [grant('pack.install', { pack_id: 'else' })] });
    const agent = await makeCaller(test.db, tenant_id, { kind: 'agent' });
    const through_mcp = await makeCaller(test.db, tenant_id, { is_agent: true });
    const narrowed = await makeCaller(test.db, tenant_id, { session: { packs: ['else'] } });
    expect(code(await install(tar_gz, member))).toBe('missing_capability');
    expect(code(await install(tar_gz, other))).toBe('missing_capability');
    expect(code(await install(tar_gz, narrowed))).toBe('missing_capability');
    expect(code(await install(tar_gz, agent))).toBe('human_only');
    expect(code(await install(tar_gz, through_mcp))).toBe('human_only');
    const service = await makeCaller(test.db, tenant_id, {
      kind: 'service',
      grants: [grant('pack.install', { pack_id: 'tool' })],
    });
    expect(await install(tar_gz, service)).toMatchObject({ ok: true });
  });

  it('does not see or touch the pack of another tenant', async () => {
    await install(await toolArchive());
    const elsewhere = await makeWorld(test.db);
    expect(await installed('tool', elsewhere.owner)).toBeNull();
    expect(code(await activatePack(test.db, elsewhere.owner, { pack_id: 'tool', project_id: null }, now))).toBe(
      'not_found',
    );
    expect(code(await deleteVersion(test.db, elsewhere.owner, { pack_id: 'tool', version: '1.0.0' }, now))).toBe(
      'not_found',
    );
    expect(await installed('tool')).not.toBeNull();
  });
});

describe('deleteVersion', () => {
  const remove = (version: string) => deleteVersion(test.db, world.owner, { pack_id: 'tool', version }, now);

  it('removes a version that nothing uses', async () => {
    await install(await toolArchive());
    expect(await remove('1.0.0')).toEqual({ ok: true });
    expect(await installed('tool')).toBeNull();
    expect(await audit('pack.delete')).toHaveLength(1);
    expect(code(await remove('1.0.0'))).toBe('not_found');
  });

  it('refuses while the version is active anywhere', async () => {
    await install(await toolArchive());
    await activatePack(test.db, world.owner, { pack_id: 'tool', project_id: world.project_id }, now);
    expect(code(await remove('1.0.0'))).toBe('version_in_use');
  });
});
