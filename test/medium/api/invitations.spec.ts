import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeGrant, makeProject } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/process.js';
import { Api } from './auth-harness.js';

/** SPEC T5: invitations and password resets, on two replicas. */
let api: Api;
let mails: string;
beforeAll(async () => {
  mails = join(await mkdtemp(join(tmpdir(), 'hcp-mail-')), 'mail');
  api = await Api.start(2, { HCP_MAIL_DIR: mails });
});
afterAll(async () => {
  await api.stop();
  await rm(join(mails, '..'), { recursive: true });
});

type Signed = Awaited<ReturnType<Api['signedIn']>>;
interface Invited {
  id: string;
  link: string;
  state: string;
}
const address = (): string => `p-${randomUUID()}@example.com`;
const PASSWORD = 'a sentence for a test';
const invite = (who: { token: string }, body: object) =>
  api.call<Invited>('POST', '/v1/invitations', { token: who.token, body });
const tokenOf = (link: string): string => link.split('#')[1] ?? '';
const accept = (token: string, fields: object = {}, replica = 0) =>
  api.call<{ tenant_id: string; principal_id: string }>('POST', '/v1/invitations/accept', {
    replica,
    body: { token, name: 'Ada', password: PASSWORD, ...fields },
  });
const signIn = (email: string, password: string, tenant_id?: string) =>
  api.call<{ access_token: string; refresh_token: string }>('POST', '/v1/auth/token', {
    body: { email, password, tenant_id },
  });
async function team(): Promise<{ tenant_id: string; owner: Signed; admin: Signed }> {
  const tenant_id = await api.tenant();
  return { tenant_id, owner: await api.signedIn(tenant_id, 'owner'), admin: await api.signedIn(tenant_id, 'admin') };
}
/** Mails to this address, oldest first. */
async function mailsTo(to: string): Promise<{ to: string; text: string }[]> {
  const names = (await readdir(mails).catch(() => [])).sort();
  const all = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(mails, name), 'utf8')) as { to: string; text: string }),
  );
  return all.filter((mail) => mail.to === to);
}

describe('an invitation', () => {
  it('makes a person with a role, once, and is kept as a hash', async () => {
    const { tenant_id, owner } = await team();
    const email = address();
    const made = await invite(owner, { email: email.toUpperCase(), role: 'auditor' });
    expect(made).toMatchObject({ status: 201, body: { email, role: 'auditor', state: 'open' } });
    const token = tokenOf(made.body.link);
    expect((await mailsTo(email))[0]?.text).toContain(token);
    expect((await stat(mails)).mode & 0o777).toBe(0o700);
    const rows = await api.database.db.tenant(tenant_id, (tx) => tx.invitation.findMany());
    expect(JSON.stringify(rows)).not.toContain(token.slice(-43));
    expect((await signIn(email, PASSWORD)).status).toBe(401);
    const both = await Promise.all([accept(token), accept(token, {}, 1)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
    expect((await accept(token, {}, 1)).status).toBe(401);
    const signed = await signIn(email, PASSWORD);
    expect(signed.status).toBe(200);
    expect((await api.call('GET', '/v1/audit', { token: signed.body.access_token })).status).toBe(200);
    expect((await api.call('GET', '/v1/members', { token: signed.body.access_token })).status).toBe(403);
    const list = await api.call<{ items: Invited[] }>('GET', '/v1/invitations', { token: owner.token });
    expect(list.body.items.map(({ state }) => state)).toEqual(['accepted']);
    expect(JSON.stringify(list.body)).not.toContain('hcpi_');
    expect((await api.audited(tenant_id)).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['invitation.create', 'invitation.accept']),
    );
  });

  it('is refused with another secret, of another shape, expired, revoked or of a stopped tenant', async () => {
    const { tenant_id, owner } = await team();
    const token = tokenOf((await invite(owner, { email: address(), role: 'member' })).body.link);
    for (const bad of [`${token.slice(0, -43)}${'A'.repeat(43)}`, token.replace('hcpi_', 'hcp_'), 'x', `${token}A`]) {
      expect(await accept(bad)).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    }
    const { id } = (await api.database.db.tenant(tenant_id, (tx) => tx.invitation.findFirstOrThrow())) as {
      id: string;
    };
    const set = (data: object) =>
      api.database.db.tenant(tenant_id, (tx) => tx.invitation.updateMany({ where: { id }, data }));
    await set({ expires_at: new Date(Date.now() - 1000) });
    expect((await accept(token)).status).toBe(401);
    await set({ expires_at: new Date(Date.now() + 60_000) });
    await api.database.db.tenant(tenant_id, (tx) => tx.tenant.updateMany({ data: { stopped_at: new Date() } }));
    expect((await accept(token)).status).toBe(401);
    await api.database.db.tenant(tenant_id, (tx) => tx.tenant.updateMany({ data: { stopped_at: null } }));
    expect((await api.call('DELETE', `/v1/invitations/${id}`, { token: owner.token })).status).toBe(204);
    expect((await accept(token)).status).toBe(401);
    await set({ revoked_at: null });
    expect((await accept(token, { password: 'short' })).status).toBe(400);
    expect((await accept(token)).status).toBe(201);
  });

  it('is listed by its state', async () => {
    const { tenant_id, owner } = await team();
    const made = await Promise.all(
      Array.from({ length: 4 }, async () => (await invite(owner, { email: address(), role: 'auditor' })).body),
    );
    const [open, accepted, revoked, expired] = made.map(({ id }) => id);
    await accept(tokenOf(made[1]?.link ?? ''));
    await api.call('DELETE', `/v1/invitations/${String(revoked)}`, { token: owner.token });
    await api.database.db.tenant(tenant_id, (tx) =>
      tx.invitation.updateMany({ where: { tenant_id, id: expired }, data: { expires_at: new Date(0) } }),
    );
    for (const [state, id] of Object.entries({ open, accepted, revoked, expired })) {
      const { body } = await api.call<{ items: Invited[] }>('GET', `/v1/invitations?state=${state}`, {
        token: owner.token,
      });
      expect(body.items).toMatchObject([{ id, state }]);
    }
  });

  it('takes the own password of who is known from another tenant, and changes nothing about them', async () => {
    const [a, b] = [await team(), await team()];
    const ada = await api.signedIn(a.tenant_id, 'owner');
    const token = tokenOf((await invite(b.owner, { email: ada.email, role: 'member' })).body.link);
    expect((await accept(token)).status).toBe(401);
    expect((await signIn(ada.email, PASSWORD)).status).toBe(401);
    expect((await accept(token, { password: ada.password })).status).toBe(201);
    const in_b = await signIn(ada.email, ada.password, b.tenant_id);
    expect(in_b.status).toBe(200);
    expect((await api.call('GET', '/v1/members', { token: in_b.body.access_token })).status).toBe(403);
    expect((await invite(b.owner, { email: ada.email, role: 'member' })).status).toBe(409);
  });

  it('gives nothing that its inviter does not hold, when it is made and when it is accepted', async () => {
    const { tenant_id, owner, admin } = await team();
    expect((await invite(admin, { email: address(), role: 'owner' })).status).toBe(403);
    expect((await invite(admin, { email: address(), role: 'nothing' })).status).toBe(400);
    const early = await invite(admin, { email: address(), role: 'auditor' });
    const disabled = await invite(admin, { email: address(), role: 'auditor' });
    const role = await api.call<{ id: string }>('POST', '/v1/roles', {
      token: owner.token,
      body: { name: 'reader', grants: [{ capability: 'audit.read' }] },
    });
    const widened = await invite(admin, { email: address(), role: 'reader' });
    const grants = [{ capability: 'audit.read' }, { capability: 'tenant.manage' }];
    await api.call('PUT', `/v1/roles/${role.body.id}`, { token: owner.token, body: { grants } });
    expect((await accept(tokenOf(widened.body.link))).status).toBe(401);
    expect((await accept(tokenOf(early.body.link))).status).toBe(201);
    await api.call('POST', `/v1/members/${admin.id}/disable`, { token: owner.token });
    expect((await accept(tokenOf(disabled.body.link))).status).toBe(401);
    expect((await api.audited(tenant_id)).filter(({ action }) => action === 'invitation.accept')).toHaveLength(1);
  });

  it('to a project needs access there alone, and makes a member of it', async () => {
    const { tenant_id, owner } = await team();
    const lead = await api.signedIn(tenant_id);
    const project = await makeProject(api.database.db, tenant_id, [lead.id]);
    for (const capability of ['access.manage', 'verb.exec.read', 'verb.exec.write', 'pack.connect'] as const) {
      await makeGrant(api.database.db, tenant_id, lead.id, capability, { project_id: project.id });
    }
    expect((await invite(lead, { email: address(), role: 'member' })).status).toBe(403);
    const made = await invite(lead, { email: address(), role: 'member', project_id: project.id });
    expect(made.status).toBe(201);
    const { principal_id } = (await accept(tokenOf(made.body.link))).body;
    const found = await api.call<{ members: string[] }>('GET', `/v1/projects/${project.id}`, { token: owner.token });
    expect(found.body.members).toContain(principal_id);
    expect((await invite(owner, { email: address(), role: 'member', project_id: randomUUID() })).status).toBe(404);
  });

  it('brings back who was removed, without what they held before, but nobody who is merely disabled', async () => {
    const { tenant_id, owner, admin } = await team();
    const post = (path: string) => api.call('POST', path, { token: owner.token });
    await post(`/v1/members/${admin.id}/disable`);
    const first = await invite(owner, { email: admin.email, role: 'auditor' });
    expect((await accept(tokenOf(first.body.link), { password: admin.password })).status).toBe(409);
    expect((await api.call('DELETE', `/v1/members/${admin.id}`, { token: owner.token })).status).toBe(204);
    const second = await invite(owner, { email: admin.email, role: 'auditor' });
    const back = await accept(tokenOf(second.body.link), { password: admin.password });
    expect(back).toMatchObject({ status: 201, body: { principal_id: admin.id } });
    const { access_token: token } = (await signIn(admin.email, admin.password, tenant_id)).body;
    expect((await api.call<{ roles: string[] }>('GET', '/v1/me', { token })).body.roles).toEqual(['auditor']);
    expect((await api.call('GET', '/v1/me', { token: admin.token })).status).toBe(401);
  });
});

describe('a password reset', () => {
  const ask = (email: string) => api.call('POST', '/v1/auth/reset', { body: { email } });
  const confirm = (token: string, password = 'another sentence', replica = 0) =>
    api.call('POST', '/v1/auth/reset/confirm', { replica, body: { token, password } });
  async function mailed(email: string, count = 1): Promise<string> {
    await eventually('the mail is there', async () => (await mailsTo(email)).length >= count);
    return /#(\S+)/.exec((await mailsTo(email)).at(-1)?.text ?? '')?.[1] ?? '';
  }

  it('answers the same whether the person exists', async () => {
    const ada = await api.person(await api.tenant(), 'owner');
    const unknown = address();
    const [yes, no] = [await ask(ada.email), await ask(unknown)];
    expect([yes.status, yes.body]).toEqual([no.status, no.body]);
    expect(yes.status).toBe(204);
    await mailed(ada.email);
    expect(await mailsTo(unknown)).toEqual([]);
  });

  it('sets a password once, and ends sessions, refresh tokens and other links, in every tenant', async () => {
    const [a, b] = [await api.tenant(), await api.tenant()];
    const ada = await api.person(a, 'owner');
    await api.person(b, 'owner', ada);
    const [in_a, in_b] = [await api.signIn(ada, a), await api.signIn(ada, b)];
    const key = (await api.key(a, ada.id)).key;
    await ask(ada.email);
    const other = await mailed(ada.email);
    await ask(ada.email);
    const token = await mailed(ada.email, 2);
    expect((await confirm(`${token.slice(0, -43)}${'A'.repeat(43)}`)).status).toBe(401);
    expect((await confirm(token, 'short')).status).toBe(400);
    const both = await Promise.all([confirm(token), confirm(token, 'a third sentence', 1)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 401]);
    expect((await confirm(other)).status).toBe(401);
    const password = both[0]?.status === 204 ? 'another sentence' : 'a third sentence';
    for (const { access_token, refresh_token } of [in_a, in_b]) {
      expect((await api.call('GET', '/v1/me', { token: access_token, replica: 1 })).status).toBe(401);
      expect((await api.call('POST', '/v1/auth/refresh', { body: { refresh_token } })).status).toBe(401);
    }
    expect((await api.call('GET', '/v1/me', { token: key })).status).toBe(200);
    expect((await signIn(ada.email, ada.password, a)).status).toBe(401);
    expect((await signIn(ada.email, password, a)).status).toBe(200);
    for (const tenant_id of [a, b]) {
      const actions = (await api.audited(tenant_id)).map(({ action }) => action);
      expect(actions.filter((action) => action === 'auth.password_reset')).toHaveLength(1);
    }
  });

  it('is void after an hour, and for who was disabled meanwhile', async () => {
    const ada = await api.person(await api.tenant(), 'owner');
    await ask(ada.email);
    const token = await mailed(ada.email);
    const { db } = api.database;
    const set = (expires_at: Date) =>
      db.global((tx) => tx.passwordReset.updateMany({ where: { user_id: ada.user_id }, data: { expires_at } }));
    await set(new Date(Date.now() - 1000));
    expect((await confirm(token)).status).toBe(401);
    await set(new Date(Date.now() + 60_000));
    await db.global((tx) => tx.user.update({ where: { id: ada.user_id }, data: { disabled_at: new Date() } }));
    expect((await confirm(token)).status).toBe(401);
  });

  it('is mailed a few times an hour, whoever asks how often', async () => {
    const ada = await api.person(await api.tenant(), 'owner');
    const answers: number[] = [];
    for (let i = 0; i < 7; i++) answers.push((await ask(ada.email)).status);
    expect(answers).toEqual([204, 204, 204, 204, 204, 429, 429]);
    await mailed(ada.email, 3);
    expect(await mailsTo(ada.email)).toHaveLength(3);
  });
});
