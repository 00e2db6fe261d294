import { randomUUID } from 'node:crypto';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant, makeProject, makeService } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packArchive } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import {
  install,
  keyFor,
  signedIn,
  startStack,
  tenantWithOwner,
  type Person,
  type Stack,
} from '../../support/stack.js';

/** Which binding a run is given, and when it is refused (SPEC B1, B4, B6), on the whole product. */

/** Says which secret it was given without saying it: only its last character, and how long it is. */
const BIN = `#!/usr/bin/env node
const { WHO_TOKEN: t } = process.env;
console.log(JSON.stringify({ who: t === undefined ? null : t.at(-1) + t.length }));
`;
const pack = (pack_id: string, more: object = {}) =>
  packArchive({
    pack_id,
    bin: BIN,
    binding: { family: 'user', provider: 'who.example', env: { WHO_TOKEN: '{{token}}' } },
    commands: {
      who: { description: 'Says whose secret it has.', cli: [pack_id, 'who'] },
      open: { description: 'Needs none.', cli: [pack_id, 'open'], policy: { binding: 'public' } },
    },
    ...more,
  });

let stack: Stack;
let tenant_id: string;
let owner: Person;
let project_id: string;

beforeAll(async () => {
  stack = await startStack();
}, 120_000);
afterAll(() => stack.stop());

beforeEach(async () => {
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  await install(stack, owner.token, await pack('who'));
  project_id = (await makeProject(stack.database.db, tenant_id, [owner.id])).id;
});

const secretOf = (letter: string): string => `secret-value-of-${letter}`;
const shown = (letter: string): string => `${letter}${String(secretOf(letter).length)}`;

async function connect(token: string, letter: string, more: object = {}): Promise<string> {
  const body = { pack_id: 'who', family: 'user', kind: 'secret', fields: { token: secretOf(letter) }, ...more };
  const made = await stack.call('POST', '/v1/bindings', { token, body });
  expect(made.status).toBe(201);
  return String(made.body.id);
}
async function run(token: string, envelope: object = {}): Promise<ResultEnvelope> {
  const body = { pack_id: 'who', verb_key: 'who', args: {}, ...envelope };
  return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token, body })).body;
}
const who = async (token: string): Promise<unknown> => (await run(token)).result;
const inProject = async (principal_id: string) => (await keyFor(stack, tenant_id, principal_id, { project_id })).key;

describe('the binding of a run', () => {
  it('is the person’s in this project, the person’s, the project’s, the tenant’s: the first that is there', async () => {
    const here = await inProject(owner.id);
    await connect(owner.token, 'T', { shared: true });
    expect([await who(here), await who(owner.token)]).toEqual([{ who: shown('T') }, { who: shown('T') }]);
    await connect(owner.token, 'P', { shared: true, project_id });
    expect([await who(here), await who(owner.token)]).toEqual([{ who: shown('P') }, { who: shown('T') }]);
    await connect(owner.token, 'O');
    expect([await who(here), await who(owner.token)]).toEqual([{ who: shown('O') }, { who: shown('O') }]);
    await connect(owner.token, 'B', { project_id });
    expect([await who(here), await who(owner.token)]).toEqual([{ who: shown('B') }, { who: shown('O') }]);
    const other = await signedIn(stack, tenant_id, 'member');
    expect(await who(other.token)).toEqual({ who: shown('T') });
  });

  it('is the human’s where an agent or a service acts for one, and the shared one where it acts for nobody', async () => {
    await connect(owner.token, 'O');
    const { db } = stack.database;
    for (const make of [makeAgent, makeService]) {
      const acting = await make(db, tenant_id, { acts_for: owner.id });
      const alone = await make(db, tenant_id);
      for (const { id } of [acting, alone]) await makeGrant(db, tenant_id, id, 'verb.exec.read');
      expect(await who((await keyFor(stack, tenant_id, acting.id)).key)).toEqual({ who: shown('O') });
      const refused = await run((await keyFor(stack, tenant_id, alone.id)).key);
      expect(refused).toMatchObject({ ok: false, code: 'mint_failed' });
    }
  });

  it('is the pack’s own: another pack cannot have it', async () => {
    const id = await connect(owner.token, 'O');
    await install(stack, owner.token, await pack('other'));
    expect(await run(owner.token, { pack_id: 'other' })).toMatchObject({ code: 'mint_failed' });
    // Nor by a row that is made to name it.
    await stack.database.db.tenant(tenant_id, (tx) =>
      tx.binding.updateMany({ where: { id }, data: { pack_id: 'other' } }),
    );
    expect(await run(owner.token, { pack_id: 'other' })).toMatchObject({
      code: 'mint_failed',
      error: 'the credential cannot be read',
    });
  });

  it('is of the tenant: another tenant neither has nor sees it', async () => {
    const id = await connect(owner.token, 'T', { shared: true });
    const b = await tenantWithOwner(stack);
    await install(stack, b.owner.token, await pack('who'));
    expect(await run(b.owner.token)).toMatchObject({ code: 'mint_failed' });
    expect((await stack.call('GET', '/v1/bindings', { token: b.owner.token })).body.items).toEqual([]);
    expect((await stack.call('DELETE', `/v1/bindings/${id}`, { token: b.owner.token })).status).toBe(404);
    expect(await who(owner.token)).toEqual({ who: shown('T') });
  });

  it('is none for commands whose row says public, and for mock', async () => {
    await connect(owner.token, 'O');
    expect((await run(owner.token, { verb_key: 'open' })).result).toEqual({ who: null });
    expect((await run(owner.token, { args: { mode: 'mock' } })).result).toEqual({ who: null });
  });
});

describe('a run without a binding that serves', () => {
  it('is refused, and told how to connect', async () => {
    const answer = await run(owner.token);
    expect(answer).toMatchObject({ ok: false, code: 'mint_failed', error: 'no user binding for who.example' });
    expect(answer.hint).toContain('hcpx bindings add who');
    expect(answer.stdout).toBeUndefined();
  });

  it('is refused where its own was revoked, though a shared one is there, until that is forgotten', async () => {
    await connect(owner.token, 'T', { shared: true });
    const id = await connect(owner.token, 'O');
    await stack.call('DELETE', `/v1/bindings/${id}`, { token: owner.token });
    const refused = await run(owner.token);
    expect(refused).toMatchObject({ code: 'mint_failed', error: 'the user binding for who.example is revoked' });
    expect(refused.hint).toContain('hcpx bindings add who');
    await stack.call('DELETE', `/v1/bindings/${id}?forget=1`, { token: owner.token });
    expect(await who(owner.token)).toEqual({ who: shown('T') });
  });

  it('is refused once it expired, and runs again after a rotation', async () => {
    const id = await connect(owner.token, 'O');
    await stack.database.db.tenant(tenant_id, (tx) =>
      tx.binding.updateMany({ where: { id }, data: { expires_at: new Date(Date.now() - 1000) } }),
    );
    const refused = await run(owner.token);
    expect(refused).toMatchObject({ code: 'mint_failed', error: 'the user binding for who.example is expired' });
    expect(refused.hint).toContain(`hcpx bindings rotate ${id}`);
    const body = { fields: { token: secretOf('R') } };
    await stack.call('POST', `/v1/bindings/${id}/rotate`, { token: owner.token, body });
    const answer = await run(owner.token);
    expect(answer.result).toEqual({ who: shown('R') });
    const events = await stack.database.db.tenant(tenant_id, (tx) =>
      tx.auditEvent.findMany({ where: { run_id: answer.run_id ?? '' } }),
    );
    expect(events.map((event) => event.binding)).toEqual([`user:${id}@2`, `user:${id}@2`]);
  });

  it('is refused where a new version of the pack asks for another field', async () => {
    const id = await connect(owner.token, 'O');
    const binding = { family: 'user', env: { WHO_TOKEN: '{{token}}-{{realm}}' } };
    await install(stack, owner.token, await pack('who', { version: '2.0.0', binding }));
    const refused = await run(owner.token);
    expect(refused).toMatchObject({ code: 'mint_failed', error: 'the user binding for who has no field realm' });
    const fields = { token: secretOf('O'), realm: 'a-realm' };
    const rotated = await stack.call('POST', `/v1/bindings/${id}/rotate`, { token: owner.token, body: { fields } });
    expect(rotated.body).toMatchObject({ fields: ['token', 'realm'], version: 2 });
    expect((await run(owner.token)).ok).toBe(true);
  });

  it('is never asked for a variable that loads code: such a pack is not installed', async () => {
    const binding = { family: 'user', env: { NODE_OPTIONS: '{{token}}' } };
    const archive = await pack('loads', { binding });
    await expect(install(stack, owner.token, archive)).rejects.toThrow(/M027.*NODE_OPTIONS/);
  });
});

describe('hcp.availability', () => {
  it('says for each pack whether the binding that it needs is there', async () => {
    await install(stack, owner.token, await pack('free', { binding: { family: 'public' } }));
    const look = async () => {
      const { result } = await run(owner.token, { pack_id: 'hcp-cli', verb_key: 'hcp.availability' });
      const { packs } = result as { packs: { pack_id: string }[] };
      return Object.fromEntries(packs.map(({ pack_id, ...rest }) => [pack_id, rest]));
    };
    expect(await look()).toMatchObject({
      who: {
        available: true,
        binding: { family: 'user', state: 'missing', needed_by: 'some' },
        why: expect.any(String) as string,
      },
      free: { available: true, why: null },
    });
    const id = await connect(owner.token, 'O');
    expect(await look()).toMatchObject({ who: { available: true, binding: { state: 'active' }, why: null } });
    await stack.call('DELETE', `/v1/bindings/${id}`, { token: owner.token });
    expect(await look()).toMatchObject({ who: { binding: { state: 'revoked' } } });
  });
});

describe('a binding that is revoked while a run waits', () => {
  it('is not given to it', async () => {
    const idle = await startStack({ workers: 0 });
    try {
      const a = await tenantWithOwner(idle);
      await install(idle, a.owner.token, await pack('who'));
      const body = { pack_id: 'who', family: 'user', kind: 'secret', fields: { token: randomUUID() } };
      const { id } = (await idle.call('POST', '/v1/bindings', { token: a.owner.token, body })).body;
      const exec = { pack_id: 'who', verb_key: 'who', args: {}, wait_ms: 0 };
      const { run_id } = (await idle.call('POST', '/v1/exec', { token: a.owner.token, body: exec })).body;
      await idle.call('DELETE', `/v1/bindings/${String(id)}`, { token: a.owner.token });
      await idle.startWorker();
      const ended = await eventually('the run ends', async () => {
        const { body: seen } = await idle.call('GET', `/v1/runs/${String(run_id)}`, { token: a.owner.token });
        return seen.status === 'failed' && seen;
      });
      expect(ended).toMatchObject({ code: 'mint_failed' });
    } finally {
      await idle.stop();
    }
  }, 120_000);
});
