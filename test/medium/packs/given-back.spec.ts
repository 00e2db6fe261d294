import type { Caller } from '@hcp/core';
import { deleteVersion, installPack } from '@hcp/packs';
import { createTestDatabase, makeTenant, type TestDatabase } from '@hcp/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grant, makeCaller, makeWorld } from './support/caller.js';
import { toolArchive } from './support/drafts.js';

/** Installs that meet, in the middle, the deletion of the last version that had their pack_id (SPEC P7). */

const HELD = 4242;
const now = new Date();
let test: TestDatabase;
let superuser: pg.Client;
let operator: Caller;

beforeAll(async () => {
  test = await createTestDatabase();
  const { id } = await makeTenant(test.db, { platform: true });
  operator = await makeCaller(test.db, id, {
    platform: true,
    grants: [grant('pack.install'), grant('platform.manage')],
  });
  superuser = new pg.Client({ connectionString: test.superuser_url });
  await superuser.connect();
  // After `pack_id_taken` by its name: an install stops here, between its claim of the pack_id and the key's check of it.
  await superuser.query(`
    CREATE FUNCTION stop_here() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(${HELD}); RETURN NEW; END $$;
    CREATE TRIGGER "pack_id_taken_then" BEFORE INSERT ON pack_versions FOR EACH ROW EXECUTE FUNCTION stop_here();`);
});
afterAll(async () => {
  await superuser.end();
  await test.close();
});

/** Starts an install, does `meanwhile` in its middle, and lets it go on. */
async function interrupted(caller: Caller, pack_id: string, meanwhile: () => Promise<unknown>) {
  const archive = await toolArchive(pack_id);
  await superuser.query('SELECT pg_advisory_lock($1)', [HELD]);
  const installing = installPack(test.db, caller, archive, now);
  try {
    const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${HELD} AND NOT granted`;
    await expect.poll(async () => (await superuser.query(waiting)).rowCount, { timeout: 10_000 }).toBe(1);
    await meanwhile();
  } finally {
    await superuser.query('SELECT pg_advisory_unlock($1)', [HELD]);
  }
  return installing;
}

describe('an install in whose middle the pack_id is given back', () => {
  it('goes on, for a tenant', async () => {
    const [a, b] = [await makeWorld(test.db), await makeWorld(test.db)];
    await installPack(test.db, b.owner, await toolArchive('shared'), now);
    const drop = () => deleteVersion(test.db, b.owner, { pack_id: 'shared', version: '1.0.0' }, now);
    const installed = await interrupted(a.owner, 'shared', async () => expect(await drop()).toEqual({ ok: true }));
    expect(installed).toMatchObject({ ok: true, created: true });
    // And the pack_id is the tenants' again.
    expect(await installPack(test.db, operator, await toolArchive('shared'), now)).toMatchObject({
      code: 'reserved_pack_id',
    });
  });

  it('goes on, for the platform', async () => {
    await installPack(test.db, operator, await toolArchive('fleet', '0.9.0'), now);
    const drop = () => deleteVersion(test.db, operator, { pack_id: 'fleet', version: '0.9.0' }, now);
    expect(await interrupted(operator, 'fleet', drop)).toMatchObject({ ok: true, created: true });
  });

  it('is refused where the other side took it in that moment', async () => {
    const [a, b] = [await makeWorld(test.db), await makeWorld(test.db)];
    await installPack(test.db, b.owner, await toolArchive('moved'), now);
    const answer = await interrupted(a.owner, 'moved', async () => {
      await deleteVersion(test.db, b.owner, { pack_id: 'moved', version: '1.0.0' }, now);
      // By the owner of the tables, past the trigger that holds installs up.
      await superuser.query(`INSERT INTO pack_ids (pack_id, platform) VALUES ('moved', true)`);
    });
    expect(answer).toMatchObject({ ok: false, code: 'reserved_pack_id' });
  });
});
