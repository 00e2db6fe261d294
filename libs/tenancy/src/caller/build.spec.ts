import { allows, type Capability } from '@hcp/core';
import { describe, expect, it } from 'vitest';
import { buildCaller } from './build.js';
import type { CallerFacts, GrantFact, KeyFact, PersonFact, SessionFact } from './facts.js';

const now = new Date('2026-01-01T00:00:00Z');

const session = (fields: Partial<SessionFact> = {}): SessionFact => ({
  id: 's1',
  principal_id: 'p1',
  interactive: true,
  api_key_id: null,
  parent_id: null,
  project_id: null,
  packs: [],
  narrows_packs: false,
  linked_by: null,
  client_id: null,
  live: true,
  ...fields,
});
const person = (fields: Partial<PersonFact> = {}): PersonFact => ({
  id: 'p1',
  kind: 'human',
  name: 'Ada',
  acts_for: null,
  disabled: false,
  ...fields,
});
const key = (fields: Partial<KeyFact> = {}): KeyFact => ({
  id: 'k1',
  principal_id: 'p1',
  secret_hash: '00',
  project_id: null,
  grants: null,
  created_by: null,
  live: true,
  ...fields,
});
const grant = (capability: Capability, fields: Partial<GrantFact> = {}): GrantFact => ({
  principal_id: 'p1',
  capability,
  pack_id: null,
  verb_keys: [],
  project_id: null,
  expires_at: null,
  ...fields,
});
const facts = (fields: Partial<CallerFacts> = {}): CallerFacts => ({
  tenant: { stopped: false, platform: false, settings_epoch: 7n },
  sessions: [session()],
  key: null,
  people: [person()],
  grants: [grant('verb.exec.read')],
  roles: [],
  memberships: [],
  ...fields,
});

const build = (given: CallerFacts, session_id = 's1', agent = false) =>
  buildCaller(given, { tenant_id: 't1', session_id, agent });
const caller = (given: CallerFacts, session_id = 's1', agent = false) => {
  const built = build(given, session_id, agent);
  if (!built.ok) throw new Error(`refused: ${built.reason}`);
  return built.caller;
};
const can = (given: CallerFacts, capability: Capability, need: object = {}, session_id = 's1') =>
  allows(caller(given, session_id).authority, { capability, ...need }, now);

describe('buildCaller', () => {
  it('builds a person who signed in', () => {
    expect(caller(facts())).toMatchObject({
      tenant_id: 't1',
      principal: { id: 'p1', kind: 'human' },
      session: { id: 's1', interactive: true, api_key_id: null, project_id: null, packs: null },
      is_agent: false,
      settings_epoch: 7n,
    });
  });

  it.each<[string, Partial<CallerFacts>]>([
    ['unknown', { sessions: [] }],
    ['unknown', { tenant: null }],
    ['unknown', { people: [] }],
    ['unknown', { people: [person({ kind: 'robot' })] }],
    ['ended', { sessions: [session({ live: false })] }],
    ['ended', { sessions: [session({ parent_id: 's0' }), session({ id: 's0', live: false })] }],
    ['ended', { sessions: [session({ parent_id: 'gone' })] }],
    ['ended', { sessions: [session({ parent_id: 's0' }), session({ id: 's0', principal_id: 'p2' })] }],
    ['ended', { sessions: [session({ api_key_id: 'k1' })], key: key({ live: false }) }],
    ['ended', { sessions: [session({ api_key_id: 'k1' })], key: null }],
    ['ended', { sessions: [session({ api_key_id: 'k1' })], key: key({ principal_id: 'p2' }) }],
    ['tenant_stopped', { tenant: { stopped: true, platform: false, settings_epoch: 0n } }],
    ['disabled', { people: [person({ disabled: true })] }],
    ['human_disabled', { people: [person({ kind: 'agent', acts_for: 'p2' })] }],
    ['human_disabled', { people: [person({ kind: 'agent', acts_for: 'p2' }), person({ id: 'p2', disabled: true })] }],
    ['human_disabled', { people: [person({ kind: 'agent', acts_for: 'p2' }), person({ id: 'p2', kind: 'service' })] }],
  ])('refuses: %s', (reason, fields) => {
    expect(build(facts(fields))).toEqual({ ok: false, reason });
  });

  it('lets an agent do only what it and its human both may', () => {
    const given = facts({
      people: [person({ kind: 'agent', acts_for: 'p2' }), person({ id: 'p2' })],
      grants: [
        grant('verb.exec.read'),
        grant('verb.exec.write'),
        grant('verb.exec.read', { principal_id: 'p2' }),
        grant('pack.install', { principal_id: 'p2' }),
      ],
      memberships: [
        { principal_id: 'p1', project_id: 'a' },
        { principal_id: 'p1', project_id: 'b' },
        { principal_id: 'p2', project_id: 'b' },
      ],
    });
    expect(can(given, 'verb.exec.read')).toBe(true);
    expect(can(given, 'verb.exec.write')).toBe(false);
    expect(can(given, 'pack.install')).toBe(false);
    expect(caller(given)).toMatchObject({ is_agent: true, acts_for: 'p2', authority: { member_of: ['b'] } });
    expect(caller(given).session.interactive).toBe(false);
  });

  it('cuts a key to its grants and its project, also in a session opened with it', () => {
    const implicit = facts({
      sessions: [],
      key: key({ grants: [{ capability: 'verb.exec.read', pack_id: 'ledger' }], project_id: 'a' }),
      grants: [grant('verb.exec.read'), grant('access.manage')],
    });
    const explicit = { ...implicit, sessions: [session({ api_key_id: 'k1', interactive: true })] };
    for (const [given, id] of [
      [implicit, 'k1'],
      [explicit, 's1'],
    ] as const) {
      expect(can(given, 'verb.exec.read', { pack_id: 'ledger', project_id: 'a' }, id)).toBe(true);
      expect(can(given, 'verb.exec.read', { pack_id: 'ledger', project_id: 'b' }, id)).toBe(false);
      expect(can(given, 'verb.exec.read', { pack_id: 'notes', project_id: 'a' }, id)).toBe(false);
      expect(can(given, 'access.manage', {}, id)).toBe(false);
      expect(caller(given, id).session).toMatchObject({ interactive: false, api_key_id: 'k1', project_id: 'a' });
    }
  });

  it('gives a key whose stored grants cannot be read nothing', () => {
    const given = facts({ sessions: [], key: key({ grants: [{ capability: 'everything' }] }) });
    expect(can(given, 'verb.exec.read', {}, 'k1')).toBe(false);
  });

  it('cuts a session to its packs and to those of the sessions above it', () => {
    const given = facts({
      sessions: [
        session({ parent_id: 's0', narrows_packs: true, packs: ['ledger', 'notes'] }),
        session({ id: 's0', narrows_packs: true, packs: ['notes'] }),
      ],
      grants: [grant('verb.exec.read'), grant('tenant.manage')],
    });
    expect(caller(given).session.packs).toEqual(['notes']);
    expect(can(given, 'verb.exec.read', { pack_id: 'notes' })).toBe(true);
    expect(can(given, 'verb.exec.read', { pack_id: 'hcp-cli' })).toBe(true);
    expect(can(given, 'verb.exec.read', { pack_id: 'ledger' })).toBe(false);
    expect(can(given, 'tenant.manage')).toBe(false);
  });

  it('allows nothing where session and key are bound to different projects', () => {
    const given = facts({
      sessions: [session({ api_key_id: 'k1', project_id: 'a' })],
      key: key({ project_id: 'b' }),
    });
    for (const project_id of ['a', 'b', undefined]) expect(can(given, 'verb.exec.read', { project_id })).toBe(false);
  });

  it('gives a role assigned in a project there alone, and never a tenant role in place of a built-in one', () => {
    const assigned = (role: string, project_id: string | null, grants: unknown = null) =>
      facts({ grants: [], roles: [{ principal_id: 'p1', role, project_id, grants }] });
    expect(can(assigned('admin', 'a'), 'access.manage', { project_id: 'a' })).toBe(true);
    expect(can(assigned('admin', 'a'), 'access.manage')).toBe(false);
    expect(can(assigned('auditor', null, [{ capability: 'tenant.manage' }]), 'tenant.manage')).toBe(false);
    expect(can(assigned('own', null, [{ capability: 'audit.read' }]), 'audit.read')).toBe(true);
    expect(
      can(assigned('own', 'a', [{ capability: 'audit.read', project_id: 'b' }]), 'audit.read', { project_id: 'b' }),
    ).toBe(false);
    expect(can(assigned('gone', null), 'audit.read')).toBe(false);
  });

  it('gives platform capabilities in the platform tenant alone', () => {
    const grants = [grant('platform.manage')];
    expect(can(facts({ grants }), 'platform.manage')).toBe(false);
    const platform = { stopped: false, platform: true, settings_epoch: 0n };
    expect(can(facts({ grants, tenant: platform }), 'platform.manage')).toBe(true);
  });

  it('counts a call marked as an agent’s as one, whoever calls', () => {
    expect(caller(facts(), 's1', true)).toMatchObject({ is_agent: true, principal: { kind: 'human' } });
  });
});
