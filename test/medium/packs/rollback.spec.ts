import { listAudit } from '@hcp/audit';
import {
  activatePack,
  deactivatePack,
  deleteVersion,
  installPack,
  loadFacts,
  rollbackPack,
  type PackRefusal,
} from '@hcp/packs';
import { createTestDatabase, makeTenant, type TestDatabase } from '@hcp/testing';
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
  for (const version of ['1.0.0', '2.0.0', '3.0.0']) {
    await installPack(test.db, world.owner, await toolArchive('tool', version), now);
  }
});

const activate = (version: string, project_id: string | null = null) =>
  activatePack(test.db, world.owner, { pack_id: 'tool', project_id, version }, now);
const rollback = (more: { project_id?: string; from_version?: string } = {}, caller = world.owner) =>
  rollbackPack(test.db, caller, { pack_id: 'tool', project_id: null, ...more }, now);
const active = async (project_id: string | null = null) =>
  (await test.db.tenant(world.tenant_id, (tx) => loadFacts(tx, { pack_id: 'tool', project_id, caller: world.owner })))
    .pack?.manifest.version;
const code = (answer: { ok: boolean }) => (answer as PackRefusal).code;

describe('going back', () => {
  it('leads to the version that was active before, and from there back again', async () => {
    await activate('1.0.0');
    await activate('3.0.0');
    await activate('2.0.0');
    expect(await rollback()).toMatchObject({ ok: true, version: '3.0.0', previous_version: '2.0.0' });
    expect(await active()).toBe('3.0.0');
    expect(await rollback()).toMatchObject({ version: '2.0.0', previous_version: '3.0.0' });
    const page = await test.db.tenant(world.tenant_id, (tx) => listAudit(tx, { action: 'pack.rollback' }));
    expect(page?.items.map((event) => [event.pack_version, event.details])).toMatchObject([
      ['2.0.0', { previous_version: '3.0.0' }],
      ['3.0.0', { previous_version: '2.0.0' }],
    ]);
  });

  it('keeps tenant and project apart', async () => {
    const { project_id } = world;
    await activate('1.0.0');
    await activate('2.0.0', project_id);
    await activate('3.0.0');
    await activate('1.0.0', project_id);
    expect(await rollback({ project_id })).toMatchObject({ project_id, version: '2.0.0' });
    expect([await active(), await active(project_id)]).toEqual(['3.0.0', '2.0.0']);
    expect(await rollback()).toMatchObject({ project_id: null, version: '1.0.0' });
  });

  it('passes over versions that are gone', async () => {
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) await activate(version);
    await deleteVersion(test.db, world.owner, { pack_id: 'tool', version: '2.0.0' }, now);
    expect(await rollback()).toMatchObject({ version: '1.0.0' });
  });

  it('is refused where nothing was before, or nothing is active', async () => {
    expect(code(await rollback())).toBe('nothing_before');
    await activate('1.0.0');
    expect(code(await rollback())).toBe('nothing_before');
    await activate('2.0.0');
    await deactivatePack(test.db, world.owner, { pack_id: 'tool', project_id: null }, now);
    expect(code(await rollback())).toBe('nothing_before');
    const target = { pack_id: 'nothing', project_id: null };
    expect(code(await rollbackPack(test.db, world.owner, target, now))).toBe('not_found');
  });

  it('is for people who may install that pack there', async () => {
    await activate('1.0.0');
    await activate('2.0.0');
    const service = await makeCaller(test.db, world.tenant_id, { kind: 'service' });
    expect(code(await rollback({}, service))).toBe('human_only');
    const narrow = await makeCaller(test.db, world.tenant_id, {
      grants: [grant('pack.install', { pack_id: 'other' })],
    });
    expect(code(await rollback({}, narrow))).toBe('missing_capability');
    const elsewhere = await makeWorld(test.db);
    expect(code(await rollback({ project_id: elsewhere.project_id }))).toBe('not_found');
    expect(code(await rollback({}, elsewhere.owner))).toBe('not_found');
    expect(await active()).toBe('2.0.0');
  });

  it('works for a pack of the platform, in this tenant alone', async () => {
    const { id: tenant_id } = await makeTenant(test.db, { platform: true });
    const operator = await makeCaller(test.db, tenant_id, {
      platform: true,
      grants: [grant('pack.install'), grant('platform.manage')],
    });
    for (const version of ['1.0.0', '2.0.0']) {
      await installPack(test.db, operator, await toolArchive('common', version), now);
      await activatePack(test.db, world.owner, { pack_id: 'common', project_id: null, version }, now);
    }
    const target = { pack_id: 'common', project_id: null };
    expect(await rollbackPack(test.db, world.owner, target, now)).toMatchObject({ ok: true, version: '1.0.0' });
  });
});

describe('two people at one moment', () => {
  it('activate one after the other: each is told what was before, and the last one counts', async () => {
    await activate('1.0.0');
    const answers = await Promise.all([activate('2.0.0'), activate('3.0.0')]);
    const chain = answers.map((answer) => (answer.ok ? [answer.previous_version, answer.version] : []));
    const [first] = chain.filter(([before]) => before === '1.0.0');
    const [second] = chain.filter(([before]) => before !== '1.0.0');
    expect(second?.[0]).toBe(first?.[1]);
    expect(await active()).toBe(second?.[1]);
  });

  it('go back once when both saw the same version', async () => {
    await activate('1.0.0');
    await activate('2.0.0');
    const answers = await Promise.all([rollback({ from_version: '2.0.0' }), rollback({ from_version: '2.0.0' })]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await active()).toBe('1.0.0');
  });

  it('one activates what the other deletes: it is active and there, or neither', async () => {
    for (let round = 0; round < 5; round += 1) {
      await activate('1.0.0');
      await installPack(test.db, world.owner, await toolArchive('tool', '2.0.0'), now);
      const [activated, deleted] = await Promise.all([
        activate('2.0.0'),
        deleteVersion(test.db, world.owner, { pack_id: 'tool', version: '2.0.0' }, now),
      ]);
      expect(activated.ok).toBe(!deleted.ok);
      expect(await active()).toBe(activated.ok ? '2.0.0' : '1.0.0');
    }
  });
});
