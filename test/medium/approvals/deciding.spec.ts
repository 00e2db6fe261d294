import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Approval } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant, makeProject, makeService } from '@hcp/testing';
import pg from 'pg';
import type { CallOptions } from '../../support/http.js';
import { packArchive } from '../../support/packs.js';
import {
  install,
  keyFor,
  signedIn,
  startStack,
  tenantWithOwner,
  type Person,
  type Stack,
} from '../../support/stack.js';

/** Who says yes to what, and how long it holds, with no worker and so no sweeper (SPEC V2-V6; CASES 2-4). */

let stack: Stack;
let tenant_id: string;
let owner: Person;
let approver: Person;
let agent: { readonly id: string; readonly key: string };
let superuser: pg.Client;

const text = { type: 'string' } as const;

beforeAll(async () => {
  stack = await startStack({ workers: 0 });
  superuser = new pg.Client({ connectionString: stack.database.superuser_url });
  await superuser.connect();
}, 120_000);
afterAll(async () => {
  await superuser.end();
  await stack.stop();
});

beforeEach(async () => {
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  approver = await signedIn(stack, tenant_id, 'approver');
  const row = { operation: 'write', confirm: true, privacy: { land: 'personal' } } as const;
  const preview = { kind: 'change', title: 'Go', fields: { value: '{{value}}' } };
  const args = { type: 'object', properties: { value: text }, required: ['value'] } as const;
  const mail = { type: 'object', properties: { to: text, subject: text, body: text }, required: ['to'] } as const;
  const command = { description: 'Goes.', args, preview };
  await install(
    stack,
    owner.token,
    await packArchive({
      pack_id: 'trial',
      bin: '#!/bin/sh\n',
      binding: { family: 'user', env: { TOKEN: '{{token}}' } },
      commands: {
        go: { ...command, cli: ['trial', 'go', '{{value}}'], policy: { ...row, binding: 'public' } },
        remove: { ...command, cli: ['trial', 'remove', '{{value}}'], policy: { ...row, binding: 'public' } },
        secret: { ...command, cli: ['trial', 'secret', '{{value}}'], policy: row },
        send: {
          description: 'Sends.',
          args: mail,
          cli: ['trial', 'send', '{{to}}', '--subject={{subject}}', '--body={{body}}'],
          policy: { ...row, binding: 'public' },
        },
      },
    }),
  );
  agent = await agentOf(owner);
});

async function agentOf(person: Person): Promise<{ id: string; key: string }> {
  const { id } = await makeAgent(stack.database.db, tenant_id, { acts_for: person.id });
  await makeGrant(stack.database.db, tenant_id, id, 'verb.exec.write');
  return { id, key: (await keyFor(stack, tenant_id, id)).key };
}

async function exec(args: object, { verb = 'go', token = agent.key, headers }: Options = {}): Promise<ResultEnvelope> {
  const body = { pack_id: 'trial', verb_key: verb, args, wait_ms: 0 };
  return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token, headers, body })).body;
}

interface Options {
  readonly verb?: string;
  readonly token?: string;
  readonly headers?: Record<string, string>;
}

async function ask(args: object, options?: Options): Promise<string> {
  const answer = await exec(args, options);
  expect(answer).toMatchObject({ ok: false, code: 'confirm_required', run_id: null });
  return String(answer.approval_id);
}

const value = (): { value: string } => ({ value: randomUUID() });
const decide = (
  word: 'approve' | 'reject',
  id: string,
  { token }: { token: string },
  body: object = {},
  more: CallOptions = {},
) => stack.call<Approval & { code: string }>('POST', `/v1/approvals/${id}/${word}`, { token, body, ...more });
const yes = (id: string, who: { token: string } = approver, body?: object) => decide('approve', id, who, body);
const no = (id: string, who: { token: string } = approver, body?: object) => decide('reject', id, who, body);
const look = async (id: string, query = ''): Promise<Approval> =>
  (await stack.call<Approval>('GET', `/v1/approvals/${id}${query}`, { token: owner.token })).body;
const settings = async (body: object): Promise<void> => {
  expect((await stack.call('PUT', '/v1/access/settings', { token: owner.token, body })).status).toBe(200);
};
/** The clock of one request, moved by the database's hand. */
const late = (id: string, clock: 'pending_expires_at' | 'use_expires_at') =>
  superuser.query(`update approvals set ${clock} = clock_timestamp() - interval '1 second' where id = $1`, [id]);

interface Event {
  readonly action: string;
  readonly decision: string | null;
  readonly code: string | null;
  readonly principal_id: string | null;
  readonly subject: string | null;
}

async function log(id: string): Promise<string[]> {
  const { body } = await stack.call<{ items: Event[] }>('GET', '/v1/audit?limit=200', { token: owner.token });
  const names: Record<string, string> = { [owner.id]: 'owner', [approver.id]: 'approver', [agent.id]: 'agent' };
  return body.items
    .filter(({ subject }) => subject === `approval:${id}`)
    .map(({ action, decision, principal_id }) =>
      [action.replace('approval.', ''), decision, names[principal_id ?? '']].filter(Boolean).join(' '),
    )
    .reverse();
}

describe('the two clocks', () => {
  it('refuse a yes that comes too late, each time, with nobody sweeping', async () => {
    const args = value();
    const id = await ask(args);
    await late(id, 'pending_expires_at');
    expect(await look(id)).toMatchObject({ state: 'expired' });
    for (let tries = 0; tries < 2; tries += 1) {
      expect(await yes(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    }
    expect(await no(id)).toMatchObject({ status: 409 });
    expect(await log(id)).toEqual([
      'request agent',
      'expire',
      'approve deny approver',
      'approve deny approver',
      'reject deny approver',
    ]);
    expect(await ask(args)).not.toBe(id);
  });

  it('refuse a run that comes too late after a yes in time', async () => {
    const args = value();
    const id = await ask(args);
    expect(await yes(id)).toMatchObject({ status: 200, body: { state: 'approved' } });
    await late(id, 'use_expires_at');
    expect(await look(id)).toMatchObject({ state: 'expired' });
    expect(await ask(args)).not.toBe(id);
    expect(await no(id)).toMatchObject({ status: 409 });
    expect(await log(id)).toContain('expire');
  });

  it('are shown, the first as the tenant set it', async () => {
    await settings({ pending_ttl_s: 3600 });
    const asked = await exec(value());
    const found = await look(String(asked.approval_id));
    expect(Date.parse(found.pending_expires_at) - Date.parse(found.created_at)).toBe(3_600_000);
    expect(asked.approval?.expires_at).toBe(found.pending_expires_at);
    const { body } = await yes(found.id);
    expect(Date.parse(String(body.use_expires_at)) - Date.parse(String(body.approved_at))).toBe(900_000);
  });

  it('end a request that nobody answered, and another takes its place', async () => {
    const args = value();
    const id = await ask(args);
    await late(id, 'pending_expires_at');
    const next = await ask(args);
    expect(next).not.toBe(id);
    expect(await log(id)).toEqual(['request agent', 'expire']);
  });
});

describe('the same ask', () => {
  it('is one request, also for twenty at once; another’s is another', async () => {
    const args = value();
    const ids = await Promise.all(Array.from({ length: 20 }, () => ask(args)));
    expect(new Set(ids).size).toBe(1);
    expect(await log(ids[0] ?? '')).toEqual(['request agent']);
    const other = await agentOf(owner);
    expect(await ask(args, { token: other.key })).not.toBe(ids[0]);
    expect(await ask(args, { token: owner.token })).not.toBe(ids[0]);
  });

  it('needs another yes where the credential is another one, and keeps the yes while it is stale', async () => {
    const args = value();
    const fields = { pack_id: 'trial', family: 'user', kind: 'secret', fields: { token: 'the first secret' } };
    const { token } = owner;
    const made = await stack.call<{ id: string }>('POST', '/v1/bindings', { token, body: fields });
    expect(made.status).toBe(201);
    const id = await ask(args, { verb: 'secret' });
    expect((await yes(id)).status).toBe(200);
    await superuser.query(`update bindings set expires_at = now() - interval '1 second' where id = $1`, [made.body.id]);
    expect(await exec(args, { verb: 'secret' })).toMatchObject({ code: 'mint_failed', run_id: null });
    expect(await look(id)).toMatchObject({ state: 'approved', run_id: null });
    const body = { fields: { token: 'the second secret' } };
    const rotated = await stack.call('POST', `/v1/bindings/${made.body.id}/rotate`, { token, body });
    expect(rotated.status).toBe(200);
    expect(await ask(args, { verb: 'secret' })).not.toBe(id);
  });
});

describe('a yes', () => {
  it('is a person’s, whose right is for that pack; the body names nobody', async () => {
    const id = await ask(value());
    const { db } = stack.database;
    const service = (await makeService(db, tenant_id)).id;
    for (const machine of [agent.id, service]) await makeGrant(db, tenant_id, machine, 'approval.decide');
    const { key } = await keyFor(stack, tenant_id, service);
    const own_key = (await keyFor(stack, tenant_id, owner.id)).key;
    for (const token of [agent.key, key, own_key]) {
      expect(await yes(id, { token })).toMatchObject({ status: 403, body: { code: 'human_only' } });
      expect(await no(id, { token })).toMatchObject({ status: 403, body: { code: 'human_only' } });
    }
    const marked = await decide('approve', id, owner, {}, { headers: { 'hcp-agent': '1' } });
    expect(marked).toMatchObject({ status: 403, body: { code: 'human_only' } });
    const member = await signedIn(stack, tenant_id, 'member');
    expect(await yes(id, member)).toMatchObject({ status: 404 });
    await makeGrant(db, tenant_id, member.id, 'approval.decide', { pack_id: 'other' });
    expect(await yes(id, member)).toMatchObject({ status: 404 });
    expect(await yes(id, approver, { decided_by: owner.id })).toMatchObject({ status: 400 });
    expect(await look(id)).toMatchObject({ state: 'pending', decisions: [] });
    expect(await yes(id, approver)).toMatchObject({
      status: 200,
      body: { decisions: [{ principal_id: approver.id }] },
    });
    // The key is its owner's, so the use case sees it; machines do not get that far.
    expect(await log(id)).toEqual([
      'request agent',
      'approve deny owner',
      'reject deny owner',
      'approve allow approver',
    ]);
  });

  it('is over where the call ran by a yes that it brought along: nobody’s later yes lets it run again', async () => {
    const args = value();
    const id = await ask(args, { token: owner.token });
    expect(await exec({ ...args, confirm: true }, { token: owner.token })).toMatchObject({ code: 'still_running' });
    expect(await look(id)).toMatchObject({ state: 'expired' });
    expect((await yes(id)).status).toBe(409);
    expect(await exec(args, { token: owner.token })).toMatchObject({ code: 'confirm_required' });
    // Of another caller's request of the same command nothing is said.
    const theirs = await ask(args);
    expect(await exec({ ...args, confirm: true }, { token: owner.token })).toMatchObject({ code: 'still_running' });
    expect(await look(theirs)).toMatchObject({ state: 'pending' });
  });

  it('is a second person’s where the tenant wants one', async () => {
    await settings({ second_person: true });
    const mine = await ask(value());
    const own = await ask(value(), { token: owner.token });
    for (const id of [mine, own]) {
      expect(await yes(id, owner)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      expect(await yes(id, owner, { decided_by: approver.id })).toMatchObject({ status: 400 });
      expect(await look(id)).toMatchObject({ state: 'pending' });
    }
    expect(await exec({ ...value(), confirm: true }, { token: owner.token })).toMatchObject({
      code: 'confirm_required',
    });
    expect(await yes(mine)).toMatchObject({ status: 200, body: { state: 'approved' } });
  });

  it('names who asked, for whom, and who said yes', async () => {
    const id = await ask(value());
    await yes(id);
    const { rows } = await superuser.query('select id, name from principals where tenant_id = $1', [tenant_id]);
    const names = Object.fromEntries((rows as { id: string; name: string }[]).map((row) => [row.id, row.name]));
    expect(await look(id)).toMatchObject({
      principal_name: names[agent.id],
      acts_for_name: names[owner.id],
      client_name: null,
      decisions: [{ principal_name: names[approver.id] }],
    });
  });

  it('names the OAuth client, also where it asks in a session that it opened', async () => {
    const { body } = await stack.call<{ id: string }>('POST', '/v1/sessions', { token: agent.key, body: {} });
    const inner = await stack.call<{ id: string }>('POST', '/v1/sessions', {
      token: agent.key,
      headers: { 'hcp-session': body.id },
      body: {},
    });
    const id = await ask(value(), { headers: { 'hcp-session': inner.body.id } });
    await superuser.query(`update sessions set client_id = 'x', client_name = 'Claude' where id = $1`, [body.id]);
    const { client_name } = await look(id);
    const { rows } = await superuser.query('select parent_id from sessions where id = $1', [inner.body.id]);
    expect(rows).toEqual([{ parent_id: body.id }]);
    expect(client_name).toBe('Claude');
  });

  it('takes as many different people as were wanted when it was asked, and reasons', async () => {
    await settings({ approvers: 2, reason_required: true });
    const args = value();
    const id = await ask(args);
    await settings({ approvers: 1, reason_required: false });
    expect(await yes(id)).toMatchObject({ status: 400, body: { errors: [{ path: '/reason' }] } });
    expect(await yes(id, approver, { reason: '  ' })).toMatchObject({ status: 400 });
    for (let tries = 0; tries < 2; tries += 1) {
      expect(await yes(id, approver, { reason: 'fares' })).toMatchObject({ status: 200, body: { state: 'pending' } });
    }
    expect(await ask(args)).toBe(id);
    const { body } = await yes(id, owner, { reason: 'me too' });
    expect(body).toMatchObject({ state: 'approved', decisions: [{ reason: 'fares' }, { reason: 'me too' }] });
    expect(await exec(args)).toMatchObject({ code: 'still_running', approval_id: id });
    const { rows } = await superuser.query('select reason_enc from approval_decisions where approval_id = $1', [id]);
    for (const { reason_enc } of rows as { reason_enc: Buffer }[]) expect(reason_enc.toString()).not.toContain('fares');
  });

  it('counts nobody’s yes who was disabled since', async () => {
    await settings({ approvers: 2 });
    const id = await ask(value());
    const leaver = await signedIn(stack, tenant_id, 'approver');
    expect(await yes(id, leaver)).toMatchObject({ status: 200, body: { state: 'pending' } });
    const disabled = await stack.call('POST', `/v1/members/${leaver.id}/disable`, { token: owner.token });
    expect(disabled.status).toBe(204);
    expect(await yes(id, owner)).toMatchObject({ status: 200, body: { state: 'pending' } });
    expect(await yes(id)).toMatchObject({ status: 200, body: { state: 'approved' } });
  });

  it('is not enough where the tenant wants more by the time it is given, or used', async () => {
    const [waiting, given] = [value(), value()];
    const id = await ask(waiting);
    const old = await ask(given);
    expect(await yes(old, owner)).toMatchObject({ body: { state: 'approved' } });
    await settings({ second_person: true });
    expect(await ask(waiting)).toBe(id);
    expect(await yes(id, owner)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const anew = await ask(given);
    expect(anew).not.toBe(old);
    expect(await yes(anew)).toMatchObject({ status: 200, body: { state: 'approved' } });
    expect(await exec(given)).toMatchObject({ code: 'still_running', approval_id: anew });
  });

  it('is to the card that was seen, opened in full where it cuts a value', async () => {
    const other = await look(await ask(value()));
    const id = await ask(value());
    expect(await yes(id, approver, { card_digest: other.card_digest })).toMatchObject({ status: 409 });
    expect(await yes(id, approver, { card_digest: (await look(id)).card_digest })).toMatchObject({ status: 200 });
    const long = await ask({ value: 'x'.repeat(5000) });
    const shown = await look(long);
    expect(shown).toMatchObject({ card_digest: null, card: { view: { complete: false } } });
    expect(await yes(long)).toMatchObject({ status: 409 });
    const { card_digest } = await look(long, '?full=1');
    expect(await yes(long, approver, { card_digest })).toMatchObject({ status: 200 });
  });

  it('loses to a no, before and after; a no is final', async () => {
    const args = value();
    const id = await ask(args);
    expect((await yes(id)).status).toBe(200);
    expect(await no(id, owner)).toMatchObject({ status: 200, body: { state: 'rejected' } });
    expect(await yes(id)).toMatchObject({ status: 409 });
    expect(await ask(args)).not.toBe(id);
    expect(await log(id)).toEqual([
      'request agent',
      'approve allow approver',
      'reject deny owner',
      'approve deny approver',
    ]);
  });
});

describe('a call after a no', () => {
  const hint = async (args: object, options?: Options) => {
    const { approval, hint = '' } = await exec(args, options);
    return { at: approval?.rejected_at ?? null, hint };
  };

  it('says when a person said no to exactly this, each time, to its requester alone', async () => {
    const args = value();
    const first = await ask(args);
    expect(await hint(args)).toMatchObject({ at: null, hint: expect.not.stringContaining('said no') as string });
    await no(first);
    for (let times = 0; times < 2; times += 1) {
      const { at, hint: told } = await hint(args);
      expect(Date.parse(at ?? '')).toBeLessThanOrEqual(Date.now());
      expect(told).toMatch(new RegExp(`^A person said no to exactly this call at ${at ?? ''}: stop here`));
    }
    expect(await hint(value())).toMatchObject({ at: null });
    expect(await hint(args, { token: (await agentOf(owner)).key })).toMatchObject({ at: null });
  });

  it('says nothing of it once the time of a request is over', async () => {
    const args = value();
    const first = await ask(args);
    await no(first);
    await superuser.query(`update approvals set ended_at = ended_at - interval '901 seconds' where id = $1`, [first]);
    expect(await hint(args)).toMatchObject({ at: null });
    await settings({ pending_ttl_s: 3600 });
    expect((await hint(args)).at).not.toBeNull();
  });
});

describe('a yes for the session', () => {
  const mail = { to: 'ann@example.com', subject: 'Hello', body: 'Hi' };
  async function session(): Promise<Options> {
    const { body } = await stack.call<{ id: string }>('POST', '/v1/sessions', { token: agent.key, body: {} });
    return { verb: 'send', headers: { 'hcp-session': body.id } };
  }

  it('lets the like of it run there, and binds the audience', async () => {
    const here = await session();
    const asked = await exec(mail, here);
    expect(asked.approval?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_session', 'deny']);
    expect(await yes(String(asked.approval_id), approver, { option: 'allow_session' })).toMatchObject({ status: 200 });
    expect(await exec({ ...mail, subject: 'Again' }, here)).toMatchObject({ code: 'still_running' });
    await ask({ ...mail, to: 'eve@example.com' }, here);
    await ask({ ...mail, subject: 'Again' }, await session());
  });

  it('is not offered without a session that ends, nor for what is a decision of its own', async () => {
    const here = await session();
    for (const options of [{ verb: 'send' }, { ...here, verb: 'remove' }]) {
      const asked = await exec(options.verb === 'send' ? mail : value(), options);
      expect(asked.approval?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'deny']);
      const answer = await yes(String(asked.approval_id), approver, { option: 'allow_session' });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: '/option' }] } });
    }
  });

  it('takes the whole quorum', async () => {
    await settings({ approvers: 2 });
    const here = await session();
    const id = await ask(mail, here);
    expect((await yes(id, approver, { option: 'allow_session' })).status).toBe(200);
    expect(await yes(id, owner)).toMatchObject({ status: 200, body: { state: 'approved' } });
    await ask({ ...mail, subject: 'Again' }, here);
  });
});

describe('requests', () => {
  it('are seen by who asked, the person it acts for, and who may decide', async () => {
    const id = await ask(value());
    const member = await signedIn(stack, tenant_id, 'member');
    const other = await agentOf(member);
    const sees = async (token: string): Promise<number[]> => {
      const one = await stack.call('GET', `/v1/approvals/${id}`, { token });
      const all = await stack.call<{ items: Approval[] }>('GET', '/v1/approvals?state=pending', { token });
      return [one.status, all.body.items.length];
    };
    for (const token of [agent.key, owner.token, approver.token]) expect(await sees(token)).toEqual([200, 1]);
    for (const token of [member.token, other.key]) expect(await sees(token)).toEqual([404, 0]);
    const project = (await makeProject(stack.database.db, tenant_id, [approver.id])).id;
    const { body } = await stack.call<{ id: string }>('POST', '/v1/sessions', {
      token: approver.token,
      body: { project_id: project },
    });
    const narrow = await stack.call('GET', `/v1/approvals/${id}`, {
      token: approver.token,
      headers: { 'hcp-session': body.id },
    });
    expect(narrow.status).toBe(404);
  });

  it('keep their values sealed, in the rows and in the log', async () => {
    const args = { value: 'canary-9f2c' };
    const id = await ask(args);
    await yes(id, approver, { reason: 'canary-9f2c' });
    for (const table of ['approvals', 'approval_decisions', 'audit_events']) {
      const { rows } = await superuser.query(
        `select row_to_json(t)::text as text from ${table} t where tenant_id = $1`,
        [tenant_id],
      );
      expect(rows.length).toBeGreaterThan(0);
      const hex = Buffer.from('canary-9f2c').toString('hex');
      for (const { text } of rows as { text: string }[]) {
        expect(text).not.toContain('canary-9f2c');
        expect(text).not.toContain(hex);
      }
    }
  });
});

describe('a preview', () => {
  it('is the card that would be asked with; nothing is asked', async () => {
    const args = value();
    const body = { pack_id: 'trial', verb_key: 'go', args };
    const shown = await stack.call<{ card: object }>('POST', '/v1/exec/preview', { token: agent.key, body });
    expect(shown).toMatchObject({ status: 200, body: { decision: 'ask', code: 'confirm_required' } });
    const { body: list } = await stack.call<{ items: unknown[] }>('GET', '/v1/approvals', { token: agent.key });
    expect(list.items).toEqual([]);
    const { approval } = await exec(args);
    expect(approval).toMatchObject(shown.body.card);
  });
});
