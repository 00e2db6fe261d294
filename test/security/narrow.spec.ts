import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Callers, LOOK, missing, type Hands } from './support/callers.js';

/** CASES 11, 12, SPEC G5: a token narrower than its owner stays narrower on every route. */

let at: Callers;
beforeAll(async () => {
  at = await Callers.start();
}, 120_000);
afterAll(() => at.stack.stop());

describe('a narrow key of a person who may everything', () => {
  let narrow: Hands;
  beforeAll(async () => {
    narrow = await at.key(at.owner.id);
  });

  it('runs and lists the one command', async () => {
    expect(await at.exec(narrow, 'first', 'look')).toMatchObject({ ok: true, result: { verb: 'look' } });
    expect(await at.exec(narrow, 'first', 'peek')).toMatchObject(missing('verb.exec.read', 'first.peek'));
    expect(await at.exec(narrow, 'first', 'change')).toMatchObject(missing('verb.exec.write', 'first.change'));
    expect(await at.exec(narrow, 'second', 'look')).toMatchObject(missing('verb.exec.read', 'second.look'));
    const shown = await at.commands(narrow);
    expect(Object.keys(shown).filter((name) => shown[name] !== 'deny')).toEqual(['first.look']);
    expect(Object.keys(shown).some((name) => name.startsWith('second.'))).toBe(false);
    expect((await at.ask(narrow, 'GET', '/v1/packs/second')).status).toBe(404);
    expect((await at.ask(narrow, 'GET', '/v1/packs/second/skill')).status).toBe(404);
  });

  it('does not read, follow, list or cancel what its owner ran beyond that', async () => {
    const { run_id } = await at.exec({ token: at.owner.token }, 'second', 'look');
    const own = await at.exec(narrow, 'first', 'look');
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/events'],
      ['POST', '/cancel'],
    ] as const) {
      expect((await at.ask(narrow, method, `/v1/runs/${String(run_id)}${path}`)).status).toBe(404);
    }
    expect((await at.ask(narrow, 'GET', `/v1/runs/${String(own.run_id)}`)).body).toMatchObject({
      result: { verb: 'look' },
    });
    const listed = await at.ids(narrow, '/v1/runs?limit=200');
    expect(listed).toContain(own.run_id);
    expect(listed).not.toContain(run_id);
  });

  it('has no right to anything else, on any route', async () => {
    for (const path of ['/v1/members', '/v1/agents', '/v1/grants', '/v1/audit']) {
      expect((await at.ask(narrow, 'GET', path)).status, path).toBe(403);
    }
    const id = randomUUID();
    for (const [method, path, body] of [
      ['POST', '/v1/projects', { name: 'x' }],
      ['POST', '/v1/agents', { name: 'x', kind: 'agent' }],
      ['POST', '/v1/roles', { name: 'x', grants: [LOOK] }],
      ['POST', '/v1/grants', { principal_id: at.owner.id, ...LOOK }],
      ['POST', `/v1/members/${at.owner.id}/roles`, { role: 'owner' }],
      ['DELETE', `/v1/agents/${id}`],
      ['DELETE', `/v1/roles/${id}`],
      ['PUT', '/v1/packs/first/activation', {}],
      ['DELETE', '/v1/packs/first/activation'],
      ['DELETE', '/v1/packs/first/versions/1.0.0'],
    ] as const) {
      expect((await at.ask(narrow, method, path, body)).status, `${method} ${path}`).toBe(403);
    }
  });

  it('mints nothing wider, and a session of it is no wider', async () => {
    for (const body of [
      { name: 'k' },
      { name: 'k', grants: [{ capability: 'verb.exec.read' }] },
      { name: 'k', grants: [{ ...LOOK, verb_keys: ['look', 'peek'] }] },
    ]) {
      expect(await at.ask(narrow, 'POST', '/v1/api-keys', body)).toMatchObject({
        status: 403,
        body: { code: 'missing_capability' },
      });
    }
    expect((await at.ask(narrow, 'POST', '/v1/api-keys', { name: 'k', grants: [LOOK] })).status).toBe(201);
    // A pack that the key does not reach looks like one that is not there.
    for (const packs of [['second'], ['nothing'], ['first', 'second']]) {
      const answer = await at.ask(narrow, 'POST', '/v1/sessions', { packs });
      const path = `/packs/${String(packs.length - 1)}`;
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ path }] } });
    }
    const { body } = await at.ask(narrow, 'POST', '/v1/sessions', {});
    const hands = { ...narrow, headers: { 'hcp-session': String(body.id) } };
    expect(await at.exec(hands, 'first', 'look')).toMatchObject({ ok: true });
    expect(await at.exec(hands, 'second', 'look')).toMatchObject(missing('verb.exec.read', 'second.look'));
    expect(await at.exec(hands, 'first', 'peek')).toMatchObject(missing('verb.exec.read', 'first.peek'));
  });

  it('neither lists nor ends the keys of its owner that reach further', async () => {
    const whole = await at.ask<{ id: string; key: string }>({ token: at.owner.token }, 'POST', '/v1/api-keys', {
      name: 'whole',
    });
    const same = await at.ask<{ id: string }>(narrow, 'POST', '/v1/api-keys', { name: 'same', grants: [LOOK] });
    const listed = await at.ids(narrow, '/v1/api-keys?limit=200');
    expect(listed).toContain(same.body.id);
    expect(listed).not.toContain(whole.body.id);
    const path = (id: string): string => `/v1/api-keys/${id}`;
    expect((await at.ask(narrow, 'DELETE', path(whole.body.id))).status).toBe(404);
    expect((await at.ask(narrow, 'DELETE', path(same.body.id))).status).toBe(204);
    // A key that reaches as far as its owner does as its owner.
    const hands = { token: whole.body.key };
    expect(await at.ids(hands, '/v1/api-keys?limit=200')).toContain(same.body.id);
    expect((await at.ask(hands, 'DELETE', path(whole.body.id))).status).toBe(204);
  });

  it('finds through hcp-cli what it finds through the API', async () => {
    const both = await at.key(at.owner.id, [LOOK, { capability: 'verb.exec.read', pack_id: 'hcp-cli' }]);
    for (const verb_key of ['hcp.list', 'hcp.availability']) {
      const { ok, result } = await at.exec(both, 'hcp-cli', verb_key);
      expect(ok).toBe(true);
      const packs = (result as { packs: { pack_id: string }[] }).packs.map(({ pack_id }) => pack_id);
      expect(packs.filter((pack_id) => pack_id !== 'hcp-cli')).toEqual(['first']);
    }
    for (const pack of ['second', 'nothing']) {
      const answer = await at.exec(both, 'hcp-cli', 'hcp.skill', { args: { pack } });
      expect(answer.result).toEqual({ ok: false, error: 'no such pack' });
    }
  });
});

describe('a narrow session of a person who may everything', () => {
  it('stays narrow, whatever is asked with it, and works with no other token', async () => {
    const { body } = await at.ask({ token: at.owner.token }, 'POST', '/v1/sessions', { packs: ['first'] });
    const hands = { token: at.owner.token, headers: { 'hcp-session': String(body.id) } };
    expect(await at.exec(hands, 'first', 'look')).toMatchObject({ ok: true });
    expect(await at.exec(hands, 'second', 'look')).toMatchObject({
      ok: false,
      code: 'pack_not_activated',
      run_id: null,
    });
    expect(Object.keys(await at.commands(hands)).every((name) => name.startsWith('first.'))).toBe(true);
    expect((await at.ask(hands, 'POST', '/v1/sessions', { packs: ['second'] })).status).toBe(400);
    expect((await at.ask(hands, 'POST', '/v1/api-keys', { name: 'k' })).status).toBe(403);
    expect((await at.ask(hands, 'PUT', '/v1/packs/second/activation', {})).status).toBe(403);
    expect((await at.ask(hands, 'GET', '/v1/packs/second')).status).toBe(404);
    const wide = await at.exec({ token: at.owner.token }, 'second', 'look');
    expect((await at.ask(hands, 'GET', `/v1/runs/${String(wide.run_id)}`)).status).toBe(404);
    expect(await at.ids(hands, '/v1/runs?limit=200')).not.toContain(wide.run_id);
    expect((await at.ask({ ...hands, token: at.member.token }, 'GET', '/v1/me')).status).toBe(401);
  });
});
