import { DEFAULT_ACCESS, type Caller, type Grant } from '@hcp/core';
import {
  activatePack,
  getPack,
  HCP_CLI_PACK,
  installPack,
  listCommands,
  listPacks,
  packSkill,
  runHcpCli,
} from '@hcp/packs';
import { createTestDatabase, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { grant, makeCaller, makeWorld, type CallerDraft, type World } from './support/caller.js';
import { toolArchive } from './support/drafts.js';

let test: TestDatabase;
let world: World;
const now = new Date();

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.close());
/** `alpha` and `beta` active in the tenant, `gamma` in the project, `delta` nowhere. */
beforeEach(async () => {
  world = await makeWorld(test.db);
  for (const pack_id of ['alpha', 'beta', 'gamma', 'delta']) {
    await installPack(test.db, world.owner, await toolArchive(pack_id), now);
  }
  for (const pack_id of ['alpha', 'beta']) await activatePack(test.db, world.owner, { pack_id, project_id: null }, now);
  await activatePack(test.db, world.owner, { pack_id: 'gamma', project_id: world.project_id }, now);
});

const caller = (draft: CallerDraft) => makeCaller(test.db, world.tenant_id, draft);
const listed = async (who: Caller) => {
  const page = await test.db.tenant(who.tenant_id, (tx) => listPacks(tx, who, { limit: 100, after: null }, now));
  return page.items.map((item) => item.pack_id);
};
/** Nobody set anything. */
const access = () => Promise.resolve(DEFAULT_ACCESS);
/** `pack.verb` to access. */
const commands = async (who: Caller, project_id: string | null = null, pack_id?: string) => {
  const views = await test.db.tenant(who.tenant_id, (tx) =>
    listCommands(tx, who, { project_id, pack_id, access }, now),
  );
  return (
    views && Object.fromEntries(views.map((view) => [`${view.pack.manifest.pack_id}.${view.verb_key}`, view.access]))
  );
};
const accessOf = async (who: Caller, project_id: string | null = null) => {
  const found = (await commands(who, project_id)) ?? {};
  const own = Object.entries(found).filter(([name]) => !name.startsWith('hcp-cli.'));
  return Object.fromEntries(own.map(([name, { access }]) => [name, access]));
};

describe('listPacks', () => {
  it('pages through what is installed, hcp-cli among it', async () => {
    expect(await listed(world.owner)).toEqual(['alpha', 'beta', 'delta', 'gamma', 'hcp-cli']);
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page = await test.db.tenant(world.tenant_id, (tx) => listPacks(tx, world.owner, { limit: 2, after }, now));
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map((item) => item.pack_id));
      after = page.next;
    } while (after !== null);
    expect(seen).toEqual(['alpha', 'beta', 'delta', 'gamma', 'hcp-cli']);
  });

  it('shows where which version is active', async () => {
    const { items } = await test.db.tenant(world.tenant_id, (tx) =>
      listPacks(tx, world.owner, { limit: 100, after: null }, now),
    );
    const active = Object.fromEntries(items.map((item) => [item.pack_id, item.activations]));
    expect(active).toMatchObject({
      alpha: [{ project_id: null, version: '1.0.0' }],
      gamma: [{ project_id: world.project_id, version: '1.0.0' }],
      delta: [],
    });
  });

  it('shows a narrow caller its own packs alone', async () => {
    const of_beta: Grant[] = [grant('verb.exec.read', { pack_id: 'beta', verb_keys: ['look'] })];
    const expired = [grant('verb.exec.read', { expires_at: '2020-01-01T00:00:00Z' })];
    expect(await listed(await caller({ grants: of_beta }))).toEqual(['beta', 'hcp-cli']);
    expect(await listed(await caller({ session: { packs: ['alpha'] } }))).toEqual(['alpha', 'hcp-cli']);
    expect(await listed(await caller({ grants: [] }))).toEqual(['hcp-cli']);
    expect(await listed(await caller({ grants: expired }))).toEqual(['hcp-cli']);
    expect(await listed(await caller({ grants: [grant('audit.read')] }))).toEqual(['hcp-cli']);
    const no_layers = { ...(await caller({})), authority: { layers: [], member_of: [] } };
    expect(await listed(no_layers)).toEqual(['hcp-cli']);
  });

  it('shows nothing of another tenant', async () => {
    const elsewhere = await makeWorld(test.db);
    expect(await listed(elsewhere.owner)).toEqual(['hcp-cli']);
  });
});

describe('one pack', () => {
  const get = (who: Caller, pack_id: string) => test.db.tenant(who.tenant_id, (tx) => getPack(tx, who, pack_id, now));
  const skill = (who: Caller, pack_id: string, full = false) =>
    test.db.tenant(who.tenant_id, (tx) => packSkill(tx, who, { pack_id, full }, now));

  it('is shown with the commands of the active version', async () => {
    await installPack(test.db, world.owner, await toolArchive('alpha', '2.0.0'), now);
    const found = await get(world.owner, 'alpha');
    expect(found?.pack.manifest.version).toBe('1.0.0');
    expect(found?.versions.map(({ version }) => version)).toEqual(['2.0.0', '1.0.0']);
    expect(Object.keys(found?.pack.surface.commands ?? {})).toEqual(['look', 'put', 'wipe']);
  });

  it('gives the lead of its skill, or all', async () => {
    expect(await skill(world.owner, 'alpha')).toEqual({
      pack_id: 'alpha',
      version: '1.0.0',
      skill: '# alpha\n\nFor tests.',
    });
    expect((await skill(world.owner, 'alpha', true))?.skill).toContain('## More');
    expect((await skill(world.owner, 'hcp-cli'))?.skill).toMatch(/^# HCP/);
  });

  it('is not there for who may not see it, like one that does not exist', async () => {
    const narrow = await caller({ grants: [grant('verb.exec.read', { pack_id: 'beta' })] });
    for (const pack_id of ['alpha', 'nothing']) {
      expect(await get(narrow, pack_id)).toBeNull();
      expect(await skill(narrow, pack_id)).toBeNull();
    }
    const elsewhere = await makeWorld(test.db);
    expect(await get(elsewhere.owner, 'alpha')).toBeNull();
    expect(await skill(elsewhere.owner, 'alpha')).toBeNull();
  });
});

describe('listCommands', () => {
  it('says what each active command would get', async () => {
    const allow_all = { 'alpha.look': 'allow', 'alpha.put': 'allow', 'alpha.wipe': 'ask' };
    expect(await accessOf(world.owner)).toEqual({
      ...allow_all,
      'beta.look': 'allow',
      'beta.put': 'allow',
      'beta.wipe': 'ask',
    });
    expect(Object.keys((await accessOf(world.owner, world.project_id)) ?? {})).toContain('gamma.look');
  });

  it('denies what the grants do not reach, with the reason a call would get', async () => {
    const grants = [grant('verb.exec.read'), grant('verb.exec.write', { pack_id: 'alpha', verb_keys: ['put'] })];
    const who = await caller({ grants });
    expect(await accessOf(who)).toEqual({
      'alpha.look': 'allow',
      'alpha.put': 'allow',
      'alpha.wipe': 'deny',
      'beta.look': 'allow',
      'beta.put': 'deny',
      'beta.wipe': 'deny',
    });
    expect((await commands(who))?.['beta.put']).toEqual({
      access: 'deny',
      reason: 'denied: missing verb.exec.write for beta.put',
      code: 'missing_capability',
    });
  });

  it('lists only packs that the session and the grants reach', async () => {
    const narrow = await caller({ session: { packs: ['beta'] } });
    expect(Object.keys(await accessOf(narrow))).toEqual(['beta.look', 'beta.put', 'beta.wipe']);
    const of_alpha = await caller({ grants: [grant('verb.exec.read', { pack_id: 'alpha' })] });
    expect(Object.keys(await accessOf(of_alpha))).toEqual(['alpha.look', 'alpha.put', 'alpha.wipe']);
    expect(Object.keys((await commands(world.owner, null, 'beta')) ?? {})).toHaveLength(3);
    expect(await commands(world.owner, null, 'nothing')).toEqual({});
  });

  it('knows no project of another tenant, nor one beside the session', async () => {
    const elsewhere = await makeWorld(test.db);
    expect(await commands(world.owner, elsewhere.project_id)).toBeNull();
    const bound = await caller({ session: { project_id: world.project_id } });
    expect(await commands(bound, elsewhere.project_id)).toBeNull();
    expect(Object.keys(await accessOf(bound))).toContain('gamma.look');
  });
});

describe('hcp-cli', () => {
  const run = (verb_key: string, args: Record<string, unknown> = {}, who = world.owner) =>
    test.db.tenant(who.tenant_id, (tx) =>
      runHcpCli(verb_key, args, { tx, caller: who, doctor: () => Promise.resolve({ well: true }), now }),
    );

  it('has an answer for every command it declares', async () => {
    for (const [verb_key, row] of Object.entries(HCP_CLI_PACK.policy.commands)) {
      const answer = await run(verb_key, { pack: 'alpha' });
      if (row.operation === 'write') expect(answer).toMatchObject({ deferred_to_cli: true });
      else expect(answer).not.toHaveProperty('error');
    }
  });

  it('answers directly', async () => {
    expect(await run('hcp.doctor')).toEqual({ well: true });
    expect(await run('hcp.list')).toMatchObject({ packs: [{ pack_id: 'alpha' }, {}, {}, {}, {}] });
    expect(((await run('hcp.skill', { pack: 'alpha', full: true })) as { skill: string }).skill).toContain('## More');
    const { packs } = (await run('hcp.availability')) as { packs: unknown[] };
    expect(packs).toEqual(
      expect.arrayContaining([
        { pack_id: 'alpha', available: true, version: '1.0.0', why: null },
        { pack_id: 'delta', available: false, version: null, why: 'not activated here' },
      ]),
    );
  });

  it('shows no more than the caller may see', async () => {
    const narrow = await caller({ grants: [grant('verb.exec.read', { pack_id: 'beta' })] });
    expect(await run('hcp.skill', { pack: 'alpha' }, narrow)).toEqual({ ok: false, error: 'no such pack' });
    expect(await run('hcp.availability', { pack: 'alpha' }, narrow)).toEqual({ ok: false, error: 'no such pack' });
  });
});
