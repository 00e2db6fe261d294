import { listAudit } from '@hcp/audit';
import { activatePack, deactivatePack, HCP_CLI_PACK, installPack, loadFacts, type PackRefusal } from '@hcp/packs';
import { createTestDatabase, makeProject, type TestDatabase } from '@hcp/testing';
import type { Caller } from '@hcp/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { grant, makeCaller, makeWorld, type World } from './support/caller.js';
import { toolArchive } from './support/drafts.js';

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

const install = async (version: string) => installPack(test.db, world.owner, await toolArchive('tool', version), now);
const activate = (version?: string, project_id: string | null = null, caller = world.owner) =>
  activatePack(test.db, caller, { pack_id: 'tool', project_id, version }, now);
const deactivate = (project_id: string | null = null, caller = world.owner) =>
  deactivatePack(test.db, caller, { pack_id: 'tool', project_id }, now);
const facts = (pack_id: string, project_id: string | null = null, caller: Caller = world.owner) =>
  test.db.tenant(caller.tenant_id, (tx) => loadFacts(tx, { pack_id, project_id, caller }));
const epoch = async () =>
  (await test.db.tenant(world.tenant_id, (tx) => tx.tenant.findUniqueOrThrow({ where: { id: world.tenant_id } })))
    .settings_epoch;
const code = (answer: { ok: boolean }) => (answer as PackRefusal).code;

describe('a pack', () => {
  it('is unknown, then known, then active', async () => {
    expect(await facts('tool')).toEqual({ known: false, active: false, pack: null, version_id: null, owner: null });
    await install('1.0.0');
    expect(await facts('tool')).toEqual({ known: true, active: false, pack: null, version_id: null, owner: null });
    await activate();
    const active = await facts('tool');
    expect(active).toMatchObject({ known: true, active: true });
    expect(active.pack?.manifest.version).toBe('1.0.0');
    expect(active.version_id).toEqual(expect.any(String));
  });

  it('is unknown in another tenant', async () => {
    await install('1.0.0');
    await activate();
    const elsewhere = await makeWorld(test.db);
    expect(await facts('tool', null, elsewhere.owner)).toMatchObject({ known: false, pack: null });
    expect(await facts('tool', world.project_id, elsewhere.owner)).toMatchObject({ known: false, pack: null });
  });

  it('is active only in sessions that include it; hcp-cli in every one', async () => {
    await install('1.0.0');
    await activate();
    const narrowed = await makeCaller(test.db, world.tenant_id, { session: { packs: ['else'] } });
    expect(await facts('tool', null, narrowed)).toEqual({
      known: true,
      active: false,
      pack: null,
      version_id: null,
      owner: null,
    });
    expect(await facts('hcp-cli', null, narrowed)).toMatchObject({ known: true, active: true, pack: HCP_CLI_PACK });
  });
});

describe('activatePack', () => {
  it('takes the latest by semver, a release before a pre-release', async () => {
    for (const version of ['1.9.0', '1.10.0', '2.0.0-rc.1', '1.2.0']) await install(version);
    expect(await activate()).toMatchObject({ ok: true, version: '1.10.0', previous_version: null });
    expect(await activate('2.0.0-rc.1')).toMatchObject({ version: '2.0.0-rc.1', previous_version: '1.10.0' });
  });

  it('rolls back, counts for the next call, and is in the audit', async () => {
    await install('1.0.0');
    await install('1.1.0');
    await activate();
    const before = await epoch();
    expect(await activate('1.0.0')).toMatchObject({ version: '1.0.0', previous_version: '1.1.0' });
    expect((await facts('tool')).pack?.manifest.version).toBe('1.0.0');
    expect(await epoch()).toBeGreaterThan(before);
    const page = await test.db.tenant(world.tenant_id, (tx) => listAudit(tx, { action: 'pack.activate' }));
    expect(page?.items.map((event) => [event.pack_version, event.details])).toMatchObject([
      ['1.0.0', { previous_version: '1.1.0' }],
      ['1.1.0', { previous_version: null }],
    ]);
  });

  it('is done once when asked twice', async () => {
    await install('1.0.0');
    const first = await activate();
    const second = await activate();
    expect(second).toEqual({ ...first, previous_version: '1.0.0' });
    const page = await test.db.tenant(world.tenant_id, (tx) => listAudit(tx, { action: 'pack.activate' }));
    expect(page?.items).toHaveLength(1);
  });

  it('leaves one version active when many ask at once', async () => {
    await install('1.0.0');
    await install('1.1.0');
    const versions = ['1.0.0', '1.1.0', '1.0.0', '1.1.0', '1.0.0', '1.1.0'];
    const answers = await Promise.all(versions.map((version) => activate(version)));
    expect(answers.every((answer) => answer.ok)).toBe(true);
    const rows = await test.db.tenant(world.tenant_id, (tx) => tx.packActivation.count());
    expect(rows).toBe(1);
  });

  it("lets a project's version win in that project alone", async () => {
    await install('1.0.0');
    await install('1.1.0');
    await activate('1.0.0');
    await activate('1.1.0', world.project_id);
    const other = await makeProject(test.db, world.tenant_id);
    expect((await facts('tool', world.project_id)).pack?.manifest.version).toBe('1.1.0');
    expect((await facts('tool', other.id)).pack?.manifest.version).toBe('1.0.0');
    expect((await facts('tool')).pack?.manifest.version).toBe('1.0.0');
    await deactivate(world.project_id);
    expect((await facts('tool', world.project_id)).pack?.manifest.version).toBe('1.0.0');
  });

  it('answers the same for what is not there and what is foreign', async () => {
    await install('1.0.0');
    const elsewhere = await makeWorld(test.db);
    expect(code(await activate('9.9.9'))).toBe('not_found');
    expect(code(await activate(undefined, elsewhere.project_id))).toBe('not_found');
    expect(code(await deactivate(elsewhere.project_id))).toBe('not_found');
    expect(code(await deactivate(null, elsewhere.owner))).toBe('not_found');
  });

  it('is done by a person who holds pack.install there', async () => {
    await install('1.0.0');
    const { tenant_id, project_id } = world;
    const everything = world.owner.authority.layers.flat();
    const agent = await makeCaller(test.db, tenant_id, { kind: 'agent', grants: everything });
    const through_mcp = await makeCaller(test.db, tenant_id, { is_agent: true });
    const service = await makeCaller(test.db, tenant_id, { kind: 'service', grants: everything });
    for (const caller of [agent, through_mcp, service]) {
      expect(code(await activate(undefined, null, caller))).toBe('human_only');
    }
    const grants = [grant('pack.install', { pack_id: 'tool', project_id })];
    const of_project = await makeCaller(test.db, tenant_id, { grants });
    expect(code(await activate(undefined, null, of_project))).toBe('missing_capability');
    expect(await activate(undefined, project_id, of_project)).toMatchObject({ ok: true });
    const in_project = await makeCaller(test.db, tenant_id, { session: { project_id } });
    expect(code(await activate(undefined, null, in_project))).toBe('missing_capability');
  });
});

describe('deactivatePack', () => {
  it('counts at once and is done once when asked twice', async () => {
    await install('1.0.0');
    await activate();
    const before = await epoch();
    expect(await deactivate()).toEqual({ ok: true, changed: true });
    expect(await facts('tool')).toMatchObject({ known: true, active: false });
    expect(await epoch()).toBeGreaterThan(before);
    expect(await deactivate()).toEqual({ ok: true, changed: false });
  });

  it('may be done by a service that holds the grant, by no agent, and never to hcp-cli', async () => {
    await install('1.0.0');
    await activate();
    const grants = [grant('pack.install')];
    const agent = await makeCaller(test.db, world.tenant_id, { kind: 'agent', grants });
    const service = await makeCaller(test.db, world.tenant_id, { kind: 'service', grants });
    expect(code(await deactivate(null, agent))).toBe('human_only');
    expect(await deactivate(null, service)).toEqual({ ok: true, changed: true });
    const answer = await deactivatePack(test.db, world.owner, { pack_id: 'hcp-cli', project_id: null }, now);
    expect(code(answer)).toBe('reserved_pack_id');
  });
});
