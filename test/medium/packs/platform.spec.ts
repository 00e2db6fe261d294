import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_ACCESS, type Caller } from '@hcp/core';
import { Prisma } from '@hcp/database';
import {
  activatePack,
  deactivatePack,
  deleteVersion,
  getPack,
  installPack,
  listCommands,
  listPacks,
  loadFacts,
  packOfVersion,
  PackStore,
  runHcpCli,
  type InstalledPack,
  type PackRefusal,
} from '@hcp/packs';
import { createTestDatabase, makeTenant, type TestDatabase } from '@hcp/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fillTenant, tenantTables } from '../database/every-table.js';
import { packArchive } from '../../support/packs.js';
import { grant, makeCaller, makeWorld, type World } from './support/caller.js';
import { toolArchive } from './support/drafts.js';

/** SPEC P7: packs that an operator publishes for every tenant. */
let test: TestDatabase;
let operator: Caller;
let a: World;
let b: World;
/** A pack_id of this test's own: platform packs are everyone's. */
let id: string;
let counter = 0;
const now = new Date();

beforeAll(async () => {
  test = await createTestDatabase();
  const { id: tenant_id } = await makeTenant(test.db, { platform: true });
  const grants = [grant('pack.install'), grant('platform.manage')];
  operator = await makeCaller(test.db, tenant_id, { platform: true, grants });
});
afterAll(() => test.close());
beforeEach(async () => {
  [a, b] = [await makeWorld(test.db), await makeWorld(test.db)];
  counter += 1;
  id = `tool-${String(counter)}`;
});

const code = (answer: { ok: boolean }) => (answer as PackRefusal).code;
const done = (answer: InstalledPack | PackRefusal): InstalledPack => {
  if (!answer.ok) throw new Error(answer.detail);
  return answer;
};
const install = async (caller: Caller, version = '1.0.0', note = '') =>
  installPack(test.db, caller, await toolArchive(id, version, note), now);
const activate = (caller: Caller, more: { version?: string; digest?: string; project_id?: string } = {}) =>
  activatePack(test.db, caller, { pack_id: id, project_id: null, ...more }, now);
const facts = (caller: Caller) =>
  test.db.tenant(caller.tenant_id, (tx) => loadFacts(tx, { pack_id: id, project_id: null, caller }));
const drop = (caller: Caller, version = '1.0.0') => deleteVersion(test.db, caller, { pack_id: id, version }, now);

describe('publishing', () => {
  it('takes platform.manage in the platform tenant, besides pack.install', async () => {
    const { tenant_id } = operator;
    for (const grants of [[grant('pack.install')], [grant('platform.manage')]]) {
      const caller = await makeCaller(test.db, tenant_id, { platform: true, grants });
      expect(code(await install(caller))).toBe('missing_capability');
    }
    done(await install(operator));
    const narrow = await makeCaller(test.db, tenant_id, { platform: true, grants: [grant('pack.install')] });
    expect(code(await drop(narrow))).toBe('missing_capability');
  });

  it('alone may use the platform’s credential', async () => {
    const archive = await packArchive({
      pack_id: id,
      bin: '#!/bin/true\n',
      binding: { family: 'mothership' },
      commands: { look: { description: 'Look.', cli: [id, 'look'] } },
    });
    expect(await installPack(test.db, a.owner, archive, now)).toMatchObject({ ok: false, code: 'invalid_pack' });
    expect(await installPack(test.db, operator, archive, now)).toMatchObject({ ok: true });
    expect(await activate(a.owner)).toMatchObject({ ok: true });
    expect((await facts(a.owner)).pack?.manifest.binding.family).toBe('mothership');
  });

  it('is not told to be platform’s by a tenant: the database keeps to the truth', async () => {
    const { version_id } = done(await install(a.owner));
    const { tenant_id } = a;
    const lie = test.db.tenant(tenant_id, (tx) =>
      tx.$executeRaw(Prisma.sql`insert into pack_versions
        (tenant_id, id, platform, pack_id, version, digest, manifest, surface, policy, archive, created_by)
        select tenant_id, gen_random_uuid(), true, 'lie', version, digest, manifest, surface, policy, archive, created_by
        from pack_versions where id = ${version_id}::uuid`),
    );
    await expect(lie).rejects.toThrow(/foreign key|constraint/i);
  });
});

describe('a pack of the platform', () => {
  it('is there for every tenant, and active where a person activates it', async () => {
    const { digest } = done(await install(operator));
    for (const { owner } of [a, b]) {
      expect(await facts(owner)).toMatchObject({ known: true, active: false, pack: null });
      const view = await test.db.tenant(owner.tenant_id, (tx) => getPack(tx, owner, id, now));
      expect(view).toMatchObject({ platform: true, versions: [{ version: '1.0.0', digest }], activations: [] });
    }
    expect(await activate(a.owner)).toMatchObject({ ok: true, version: '1.0.0', digest });
    expect(await facts(a.owner)).toMatchObject({
      active: true,
      owner: { tenant_id: operator.tenant_id, platform: true },
    });
    expect(await facts(b.owner)).toMatchObject({ known: true, active: false });
    const access = () => Promise.resolve(DEFAULT_ACCESS);
    const commands = await test.db.tenant(a.tenant_id, (tx) =>
      listCommands(tx, a.owner, { project_id: null, access }, now),
    );
    expect(commands?.filter(({ pack }) => pack.manifest.pack_id === id).map(({ verb_key }) => verb_key)).toEqual([
      'look',
      'put',
      'wipe',
    ]);
    const page = await test.db.tenant(a.tenant_id, (tx) => listPacks(tx, a.owner, { limit: 100, after: null }, now));
    expect(page.items.find(({ pack_id }) => pack_id === id)).toMatchObject({
      platform: true,
      activations: [{ project_id: null, version: '1.0.0' }],
    });
    const availability = await test.db.tenant(a.tenant_id, (tx) =>
      runHcpCli('hcp.availability', { pack: id }, { tx, caller: a.owner, doctor: async () => ({}), now }),
    );
    expect(availability).toMatchObject({ packs: [{ pack_id: id, available: true, version: '1.0.0' }] });
  });

  it('says of a tenant’s own pack that it is not the platform’s', async () => {
    done(await install(a.owner));
    expect(await test.db.tenant(a.tenant_id, (tx) => getPack(tx, a.owner, id, now))).toMatchObject({ platform: false });
    expect(await activate(a.owner)).toMatchObject({ ok: true });
    expect((await facts(a.owner)).owner).toEqual({ tenant_id: a.tenant_id, platform: false });
  });

  it('stays the version that was activated when a newer one is published', async () => {
    const first = done(await install(operator, '1.0.0'));
    await activate(a.owner);
    done(await install(operator, '2.0.0'));
    expect(await facts(a.owner)).toMatchObject({ version_id: first.version_id, pack: { digest: first.digest } });
    expect(await activate(a.owner)).toMatchObject({ version: '2.0.0', previous_version: '1.0.0' });
    expect(await activate(b.owner, { version: '1.0.0' })).toMatchObject({ version: '1.0.0' });
  });

  it('is activated as the content that the person looked at, or not at all', async () => {
    const { digest } = done(await install(operator));
    const other = `sha256:${'0'.repeat(64)}`;
    expect(code(await activate(a.owner, { digest: other }))).toBe('digest_mismatch');
    expect(await facts(a.owner)).toMatchObject({ active: false });
    expect(await activate(a.owner, { digest })).toMatchObject({ ok: true });
  });

  it('goes out of use in one tenant alone', async () => {
    done(await install(operator));
    for (const { owner } of [a, b]) await activate(owner);
    const target = { pack_id: id, project_id: null };
    expect(await deactivatePack(test.db, a.owner, target, now)).toEqual({ ok: true, changed: true });
    expect(await facts(a.owner)).toMatchObject({ known: true, active: false });
    expect(await facts(b.owner)).toMatchObject({ active: true });
  });

  it('is unpacked for whichever tenant runs it', async () => {
    const { version_id, digest } = done(await install(operator));
    const cache_dir = await mkdtemp(join(tmpdir(), 'packs-'));
    const store = new PackStore({ cache_dir, db: test.db });
    const dir = await store.dir(a.tenant_id, version_id, digest);
    expect(await readFile(join(dir, 'manifest.json'), 'utf8')).toContain(id);
    await rm(cache_dir, { recursive: true, force: true });
  });

  it('is the only thing of the platform tenant that others read', async () => {
    const superuser = new pg.Client({ connectionString: test.superuser_url });
    await superuser.connect();
    const tables = await tenantTables(superuser);
    const { id: tenant_id } = await makeTenant(test.db, { platform: true });
    await fillTenant(superuser, tables, tenant_id);
    const rows = async (scope: string, table: string) =>
      test.db.tenant(scope, (tx) =>
        tx.$queryRaw<{ n: number }[]>(
          Prisma.sql`select count(*)::int as n from ${Prisma.raw(`"${table}"`)} where tenant_id = ${tenant_id}::uuid`,
        ),
      );
    expect(tables.length).toBeGreaterThan(15);
    for (const table of tables) {
      expect((await rows(tenant_id, table))[0]?.n, table).toBeGreaterThan(0);
      if (table !== 'pack_versions')
        expect({ table, n: (await rows(a.tenant_id, table))[0]?.n }).toEqual({ table, n: 0 });
    }
    const published = done(await install(operator));
    const seen = await test.db.tenant(a.tenant_id, (tx) =>
      tx.packVersion.findMany({ select: { id: true, platform: true } }),
    );
    expect(seen).toContainEqual({ id: published.version_id, platform: true });
    expect(seen.every(({ platform }) => platform)).toBe(true);
    const nobody = await test.db.global((tx) => tx.packVersion.findMany({ select: { id: true } }));
    expect(nobody).toEqual([]);
    await superuser.end();
  });

  it('is read-only for tenants', async () => {
    const { version_id } = done(await install(operator));
    for (const change of [
      Prisma.sql`delete from pack_versions where id = ${version_id}::uuid`,
      Prisma.sql`update pack_versions set version = '9.9.9' where id = ${version_id}::uuid`,
    ]) {
      const changed = await test.db.tenant(a.tenant_id, (tx) => tx.$executeRaw(change)).catch(() => 0);
      expect(changed).toBe(0);
    }
    expect(code(await drop(a.owner))).toBe('reserved_pack_id');
    expect(await facts(a.owner)).toMatchObject({ known: true });
  });

  it('comes from the cache to those who may have it alone', async () => {
    const own = done(await install(a.owner));
    const read = (tenant_id: string, version_id: string) =>
      test.db.tenant(tenant_id, (tx) => packOfVersion(tx, tenant_id, version_id));
    expect(await read(a.tenant_id, own.version_id)).not.toBeNull();
    expect(await read(b.tenant_id, own.version_id)).toBeNull();
    id = `${id}-p`;
    const published = done(await install(operator));
    for (const { tenant_id } of [a, b]) expect(await read(tenant_id, published.version_id)).not.toBeNull();
  });
});

describe('a pack_id', () => {
  it('of the platform is no tenant’s: a tenant’s pack of that name is refused', async () => {
    done(await install(operator));
    const refused = await install(a.owner, '2.0.0');
    expect(refused).toMatchObject({ ok: false, code: 'reserved_pack_id' });
    expect((refused as PackRefusal).detail).toContain(id);
    expect(await facts(a.owner)).toMatchObject({ known: true, active: false });
  });

  it('of a tenant is not published, and whose it is stays unsaid', async () => {
    done(await install(a.owner));
    const refused = await install(operator);
    expect(refused).toMatchObject({ ok: false, code: 'reserved_pack_id' });
    const text = JSON.stringify(refused);
    for (const secret of [a.tenant_id, a.owner.name, a.owner.principal.id]) expect(text).not.toContain(secret);
    // Another tenant's own pack of that name is no matter.
    done(await install(b.owner, '1.0.0', 'other'));
    await drop(a.owner);
    expect(code(await install(operator))).toBe('reserved_pack_id');
    await drop(b.owner);
    expect(await install(operator)).toMatchObject({ ok: true });
  });

  it('goes to one side when both reach for it at one moment', async () => {
    for (let round = 0; round < 6; round += 1) {
      id = `race-${String(counter)}-${String(round)}`;
      const answers = await Promise.all([install(operator), install(a.owner), install(b.owner)]);
      const [published, ...own] = answers.map(({ ok }) => ok);
      expect(published !== own.some(Boolean), JSON.stringify(answers)).toBe(true);
      expect(own[0]).toBe(own[1]);
    }
  });

  it('is told to nobody else: the application cannot list them', async () => {
    await expect(test.db.tenant(a.tenant_id, (tx) => tx.packId.findMany())).rejects.toThrow(/denied/);
  });
});

describe('deleting a published version', () => {
  it('is refused while any tenant has it active', async () => {
    done(await install(operator));
    await activate(a.owner, { project_id: a.project_id });
    const refused = await drop(operator);
    expect(refused).toMatchObject({ ok: false, code: 'version_in_use' });
    expect(JSON.stringify(refused)).not.toContain(a.tenant_id);
    await deactivatePack(test.db, a.owner, { pack_id: id, project_id: a.project_id }, now);
    expect(await drop(operator)).toEqual({ ok: true });
    expect(await facts(a.owner)).toMatchObject({ known: false });
  });

  it('is refused while a run of any tenant that has not ended pins it', async () => {
    const { version_id, digest } = done(await install(operator));
    const run = await insertRun(a, version_id, digest);
    expect(code(await drop(operator))).toBe('version_in_use');
    await test.db.tenant(a.tenant_id, (tx) =>
      tx.run.update({ where: { tenant_id_id: { tenant_id: a.tenant_id, id: run } }, data: { status: 'succeeded' } }),
    );
    expect(await drop(operator)).toEqual({ ok: true });
    const left = await test.db.tenant(a.tenant_id, (tx) =>
      tx.run.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id: a.tenant_id, id: run } } }),
    );
    expect(left).toMatchObject({ pack_version_id: null, pack_version: '1.0.0', pack_digest: digest });
  });
});

async function insertRun({ tenant_id, owner }: World, version_id: string, digest: string): Promise<string> {
  const id = crypto.randomUUID();
  await test.db.tenant(tenant_id, (tx) =>
    tx.run.create({
      data: {
        ...{ tenant_id, id, status: 'queued', principal_id: owner.principal.id, principal_kind: 'human' },
        ...{ session_id: owner.session.id, authority: {}, pack_id: 'tool', verb_key: 'look', operation: 'read' },
        ...{ land: 'public', family: 'public', pack_version_id: version_id, pack_tenant_id: operator.tenant_id },
        ...{ pack_platform: true, pack_version: '1.0.0', pack_digest: digest, settings_epoch: 0n, args_digest: 'x' },
        ...{ idempotent: true, timeout_ms: 1000, queue_deadline: new Date(Date.now() + 60_000) },
      },
    }),
  );
  return id;
}
