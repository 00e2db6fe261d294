import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { rawCall } from '../support/raw-http.js';
import { schemaOf } from '../support/routes.js';
import { startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';
import { BODIES, CANARY, envelope, MIB } from './support/bad-bodies.js';

/** SPEC E2: what is no envelope is refused whole, by the name of the field, and its value is not repeated. */

let stack: Stack;
let owner: Person;
beforeAll(async () => {
  stack = await startStack({ workers: 0 });
  ({ owner } = await tenantWithOwner(stack));
}, 120_000);
afterAll(() => stack.stop());

const WRONG: Record<string, readonly unknown[]> = {
  pack_id: [1, true, null, {}, [], '', ' ', 'a b', `${CANARY}\u0000`, `../${CANARY}`, 'a'.repeat(129), '\ud800'],
  surface_id: [1, null, {}, []],
  verb_key: [1, null, {}, [], '', `${CANARY}\n`, '$(id)'],
  args: [1, CANARY, null, [], [CANARY], true],
  approval_id: [1, null, {}, '', 'a b', `${CANARY}\u0000`],
  approval: [
    CANARY,
    { by: 'human' },
    { by: CANARY, id: '1' },
    { by: 'human', id: 1 },
    { by: 'human', id: '1', more: CANARY },
    [],
  ],
  run_on_approve: ['true', 1, null],
  idempotency_key: [1, null, '', 'a b', 'a'.repeat(201), 'ключ', `${CANARY}\n`],
  wait_ms: ['1', -1, 1.5, 120_001, null, true],
};

async function refused(body: string | Buffer, field: string, type?: string): Promise<void> {
  const answer = await rawCall(stack.urls[0], 'POST', '/v1/exec', { token: owner.token, body, type });
  expect(answer.status, answer.text).toBe(400);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  const result = JSON.parse(answer.text) as ResultEnvelope;
  expect(result).toMatchObject({
    ok: false,
    code: 'invalid_envelope',
    pack_id: null,
    verb_key: null,
    result: null,
    run_id: null,
  });
  expect(result.error?.startsWith(`invalid envelope: ${field}`), result.error).toBe(true);
  expect(result.hint).toBeTruthy();
  expect(answer.text).not.toContain(CANARY);
  expect(answer.text.length).toBeLessThan(1000);
}

describe('exec', () => {
  it.each(BODIES.map(([what, body, field, type]) => ({ what, body, field, type })))('refuses $what', (bad) =>
    refused(bad.body, bad.field, bad.type),
  );

  it.each(Object.entries(WRONG))('refuses a wrong %s', async (field, values) => {
    for (const wrong of values) {
      const good = field === 'surface_id' ? { verb_key: 'y' } : { pack_id: 'x', verb_key: 'y' };
      await refused(JSON.stringify({ ...good, [field]: wrong }), field);
    }
  });

  it('has a wrong type tried for each field that it takes', () => {
    const known = Object.keys(schemaOf(ROUTES.exec, 'body')?.properties ?? {});
    expect(Object.keys(WRONG).sort()).toEqual(known.sort());
  });

  it('says 401 first, whatever the body', async () => {
    for (const [what, body, , type] of BODIES) {
      for (const token of [undefined, 'nobody', 'hcp_0_AAAAAAAAAAAAAAAAAAAAAAAA']) {
        const answer = await rawCall(stack.urls[0], 'POST', '/v1/exec', { token, body, type });
        expect({ what, status: answer.status }).toEqual({ what, status: 401 });
        expect(JSON.parse(answer.text)).toMatchObject({ code: 'unauthenticated' });
      }
    }
  });

  it('leaves no key of an envelope on anything else', async () => {
    await refused(envelope(',"__proto__":{"ok":true,"polluted":1}'), '__proto__');
    const { body } = await stack.call('GET', '/v1/me', { token: owner.token });
    expect((body as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('takes a body of exactly 1 MiB', async () => {
    const head = '{"pack_id":"nope","verb_key":"y","args":{"a":"';
    const body = `${head}${'a'.repeat(MIB - head.length - 3)}"}}`;
    const answer = await rawCall(stack.urls[0], 'POST', '/v1/exec', { token: owner.token, body });
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'unknown_pack' });
  });
});
