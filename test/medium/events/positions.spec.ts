import { randomBytes, randomUUID } from 'node:crypto';
import type { Tx } from '@hcp/database';
import { appendEvent, EVENT_RETENTION_MS, openPosition, present, readEvents, sealPosition } from '@hcp/events';
import { localKms } from '@hcp/kms';
import { Keyring } from '@hcp/tenancy';
import { createTestDatabase, makeTenant, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../support/process.js';

/** Whoever reads on from a position misses nothing, in whatever order transactions commit. */

let database: TestDatabase;
let keyring: Keyring;
let tenant_id: string;
beforeAll(async () => {
  database = await createTestDatabase();
  keyring = new Keyring(localKms([randomBytes(32)]), database.db);
});
afterAll(() => database.close());
beforeEach(async () => {
  tenant_id = (await makeTenant(database.db)).id;
});

const tell = (tx: Tx, state: string) =>
  appendEvent(tx, { tenant_id, type: 'run.updated', subject_id: randomUUID(), state });
const within = <T>(act: (tx: Tx) => Promise<T>): Promise<T> => database.db.tenant(tenant_id, act);

it('waits for what may still commit before it tells what came later', async () => {
  const start = await within(present);
  const read = async () => (await within((tx) => readEvents(tx, tenant_id, start, 10))).map(({ state }) => state);
  let commit: () => void = () => undefined;
  let written: () => void = () => undefined;
  const is_written = new Promise<void>((resolve) => (written = resolve));
  const first = within(async (tx) => {
    await tell(tx, 'first');
    written();
    await new Promise<void>((resolve) => (commit = resolve));
  });
  await is_written;
  await within((tx) => tell(tx, 'second'));
  expect(await read()).toEqual([]);
  commit();
  await first;
  // Whatever else the server has in hand may hold it up for a moment.
  expect(await eventually('both are read', async () => ((await read()).length === 2 ? read() : null))).toEqual([
    'first',
    'second',
  ]);
  await expect(
    within(async (tx) => {
      await tell(tx, 'never');
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  expect(await read()).toEqual(['first', 'second']);
});

it('takes back the positions that it gave this tenant, for a day', async () => {
  const sealer = await keyring.tenantKeys(tenant_id);
  const position = await within(present);
  const now = new Date();
  const sealed = sealPosition(sealer, position, now);
  const opened = (text: string, at = now) => within((tx) => openPosition(tx, sealer, text, at));
  expect(await opened(sealed)).toEqual({ ok: true, position });
  expect(await opened(sealed, new Date(now.getTime() + EVENT_RETENTION_MS + 1))).toEqual({ ok: false });
  // As after the database was put back from a copy.
  expect(await opened(sealPosition(sealer, { ...position, xid: position.xid + 1_000_000n }, now))).toEqual({
    ok: false,
  });
  const other = await keyring.tenantKeys((await makeTenant(database.db)).id);
  expect(await opened(sealPosition(other, position, now))).toEqual({ ok: false });
  for (const text of ['', '0', 'x'.repeat(500), sealed.slice(1)]) expect(await opened(text)).toEqual({ ok: false });
});
