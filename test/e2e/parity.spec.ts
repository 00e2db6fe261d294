import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  envelopeForAgent,
  type Approvals,
  type Grant,
  type Mode,
  type PrincipalKind,
  type ResultEnvelope,
  type Rule,
} from '@hcp/core';
import { gateCommand } from '@hcp/sdk';
import type { Me } from '@hcp/contracts';
import { makeGrant } from '@hcp/testing';
import { Api } from '../medium/api/auth-harness.js';
import { FACES, McpFace, type CommandCall, type Face, type Hands } from '../support/faces.js';
import { draftedPack, packArchive } from '../support/packs.js';

/**
 * Whatever way a call comes in by, it is decided alike: the same decision, code and reason, the same card and the same
 * event in the log (SPEC T2, I1). For a generated table of principals, commands, modes and rules, on two replicas. No
 * worker is there: what may run is queued, which is as far as a decision goes. Over MCP everybody is an agent, so it is
 * compared with those who come as one by other ways. A host that decides by itself (`gateCommand`) is compared too.
 */

const text = { type: 'string' } as const;
const args = { type: 'object', properties: { to: text, amount: { type: 'number' } }, required: ['to'] } as const;
const command = (verb: string, policy: object) => ({
  description: `Does ${verb}.`,
  cli: ['trial', verb, '{{to}}', '{{amount}}'],
  args,
  policy: { privacy: { land: 'public' }, ...policy } as never,
});
const COMMANDS = {
  read: command('read', { operation: 'read', confirm: false }),
  write: command('write', { operation: 'write', confirm: false }),
  ask: command('ask', { operation: 'write', confirm: true }),
  always: command('always', { operation: 'write', confirm: 'always' }),
  shared: command('shared', { operation: 'read', confirm: false, privacy: { land: 'brain' } }),
};

const TRIAL = { pack_id: 'trial', bin: '#!/bin/sh\n', commands: COMMANDS };

const to = 'ann';
const amount = '2.80';
type Calls = Readonly<Record<string, Omit<CommandCall, 'wait_ms'>>>;
/** Calls about which modes and rules have a word. */
const SET: Calls = {
  'a read': { pack_id: 'trial', verb_key: 'read', args: { to } },
  'a write': { pack_id: 'trial', verb_key: 'write', args: { to } },
  'a write to confirm': { pack_id: 'trial', verb_key: 'ask', args: { to, amount } },
  'a write that says confirm': { pack_id: 'trial', verb_key: 'ask', args: { to, amount, confirm: true } },
  'what always asks': { pack_id: 'trial', verb_key: 'always', args: { to, amount } },
  'what always asks, beyond the rule': { pack_id: 'trial', verb_key: 'always', args: { to, amount: '7' } },
  'what always asks, saying confirm': { pack_id: 'trial', verb_key: 'always', args: { to, amount, confirm: true } },
};
/** Calls that come to their end before, or that nobody would ask about. */
const FIXED: Calls = {
  'what wants a project': { pack_id: 'trial', verb_key: 'shared', args: { to } },
  'bad arguments': { pack_id: 'trial', verb_key: 'write', args: { amount: 'much' } },
  'an argument that is none': { pack_id: 'trial', verb_key: 'read', args: { to, nothing: 'x' } },
  'an unknown command': { pack_id: 'trial', verb_key: 'nothing', args: {} },
  'an unknown pack': { pack_id: 'nothing', verb_key: 'read', args: {} },
  'a command of the runtime': { pack_id: 'hcp-cli', verb_key: 'hcp.list', args: {} },
};

interface Setting {
  readonly rules: readonly Rule[];
  readonly approvals?: Approvals;
}
const RULES: Record<string, Setting> = {
  'no rules': { rules: [] },
  'no writes': { rules: [{ match: '*', decision: 'deny', op: 'write' }] },
  'an exact yes': {
    rules: ['trial.always', 'trial.ask'].map((match) => ({
      match,
      decision: 'allow',
      when: { args: { to }, max: { amount: 5 } },
    })),
  },
  'a question': { rules: [{ match: 'trial.*', decision: 'ask' }] },
  'the yes of agents': { rules: [], approvals: 'agent' },
};
type RulesName = keyof typeof RULES;
type ModeName = Mode | 'manual by the process' | 'run by the process';
/** Which of them are tried together. */
const SETTINGS: readonly (readonly [ModeName, readonly RulesName[]])[] = [
  ['manual', ['no rules', 'a question']],
  ['auto', ['no rules', 'an exact yes', 'the yes of agents']],
  ['run', Object.keys(RULES)],
  ['manual by the process', ['no rules']],
  ['run by the process', ['no rules']],
];

const modeOfTenant = (name: ModeName): Mode => (name.endsWith('process') ? 'auto' : (name as Mode));
const modeOfProcess = (name: ModeName): Mode | undefined =>
  name.endsWith('process') ? (name.split(' ')[0] as Mode) : undefined;

interface Principal {
  readonly id: string;
  readonly token: string;
  readonly session_id: string;
  readonly kind: PrincipalKind;
  readonly interactive: boolean;
  /** Its own, without those of whoever it acts for. */
  readonly grants: readonly Grant[];
}

/** Whom no mode and no rule lets do more; tried under some of them only. */
const NARROW = new Set(['a narrow service', 'an auditor']);

/** One principal by two credentials: a request of the one is a request of the other, so they take turns. */
const OWNERS = new Set(['a person', 'a person’s key']);

/** Who is compared as an agent too; an agent is one anyway. */
const BOTH = new Set(['a person', 'a person’s key', 'a narrow service']);

let api: Api;
const mcp = new McpFace();
let tenant_id: string;
let owner_token: string;
const principals: Record<string, Principal> = {};

beforeAll(async () => {
  api = await Api.start(2);
  tenant_id = await api.tenant();
  const { db } = api.database;
  const owner = await api.signedIn(tenant_id, 'owner');
  const auditor = await api.signedIn(tenant_id, 'auditor');
  owner_token = owner.token;
  const machine = async (kind: 'agent' | 'service', grants: readonly Parameters<typeof makeGrant>[3][], more = {}) => {
    const id = await api.principal(tenant_id, kind, kind === 'agent' ? { acts_for: owner.id } : {});
    for (const capability of grants) await makeGrant(db, tenant_id, id, capability, more);
    return (await api.key(tenant_id, id)).key;
  };
  const narrow = { pack_id: 'trial', verb_keys: ['ask', 'write'] };
  const tokens = {
    'a person': owner.token,
    'a person’s key': (await api.key(tenant_id, owner.id)).key,
    'an agent': await machine('agent', ['verb.exec.read', 'verb.exec.write']),
    'a narrow service': await machine('service', ['verb.exec.write'], narrow),
    'an auditor': auditor.token,
  };
  for (const [name, token] of Object.entries(tokens)) {
    const { body } = await api.call<Me>('GET', '/v1/me', { token });
    const { session, principal, grants } = body;
    const { id: session_id, interactive } = session;
    principals[name] = {
      id: principal.id,
      token,
      session_id,
      interactive,
      kind: principal.kind,
      grants: grants[0] ?? [],
    };
  }
  const archive = await packArchive(TRIAL);
  const headers = { 'content-type': 'application/gzip' };
  await set('POST', '/v1/packs', { raw: new Uint8Array(archive), headers });
  await set('PUT', '/v1/packs/trial/activation', { body: { version: '1.0.0' } });
}, 120_000);
afterAll(async () => {
  await mcp.close();
  await api.stop();
});

async function set<T = { id: string }>(method: string, path: string, options: object): Promise<T> {
  const answer = await api.call<T & Record<string, unknown>>(method, path, { token: owner_token, ...options });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

/** What one way in, and how, made of one call. */
interface Seen {
  readonly principal: string;
  readonly call: string;
  readonly face: string;
  readonly agent: boolean;
  readonly envelope: object;
  readonly event: Record<string, unknown>;
}

/** What every face makes of these calls, for these principals, under the settings of the moment. */
async function seenUnder(mode: Mode | undefined, calls: Calls, names: readonly string[]): Promise<Seen[]> {
  await endRequests();
  const since = await lastSeq();
  const lane = async ([principal, { token, session_id, kind }]: [string, Principal]) => {
    const answers: Omit<Seen, 'event'>[] = [];
    const said = Object.entries(names.includes(principal) ? calls : {});
    for (const [call, one] of said) {
      for (const agent of BOTH.has(principal) ? [false, true] : [false]) {
        const faces = { ...FACES, ...((agent || kind === 'agent') && { mcp: mcp.send }) };
        for (const [face, send] of Object.entries<Face>(faces)) {
          const hands: Hands = { token, agent, ...(mode !== undefined && { mode }) };
          const envelope = await send(api.urls[answers.length % 2] ?? '', hands, { ...one, wait_ms: 0 });
          answers.push({ principal, call, face, agent, envelope: comparable(envelope) });
        }
      }
    }
    return { session_id, answers };
  };
  const entries = Object.entries(principals);
  const others = Promise.all(entries.filter(([name]) => !OWNERS.has(name)).map(lane));
  const lanes = [];
  for (const entry of entries.filter(([name]) => OWNERS.has(name))) {
    lanes.push(await lane(entry));
    await endRequests(entry[1].id);
  }
  lanes.push(...(await others));
  const events = await eventsSince(since);
  return lanes.flatMap(({ session_id, answers }) => {
    const own = events.filter((event) => event['session_id'] === session_id);
    expect(own, 'one event for each call').toHaveLength(answers.length);
    return answers.map((answer, index) => ({ ...answer, event: own[index] ?? {} }));
  });
}

/** Each as REST has it; and one more thing for the table as a whole. */
function expectAlike(seen: readonly Seen[]): void {
  const key = ({ principal, call, agent }: Seen): string => `${principal}, ${call}${agent ? ', as an agent' : ''}`;
  const by_rest = new Map(seen.filter(({ face }) => face === 'rest').map((one) => [key(one), one]));
  for (const one of seen) {
    const wanted = by_rest.get(key(one));
    const what = `${key(one)}, by ${one.face}`;
    expect({ what, envelope: one.envelope, event: one.event }).toEqual({
      what,
      // Over MCP the hint also says how a person answers, which other faces show in ways of their own.
      envelope:
        wanted && one.face === 'mcp' ? { ...wanted.envelope, ...hintOverMcp(wanted.envelope) } : wanted?.envelope,
      event: wanted?.event,
    });
  }
  all.push(...seen);
}

const hintOverMcp = (envelope: object): object => {
  const { hint } = envelopeForAgent(envelope as ResultEnvelope);
  return hint === undefined ? {} : { hint };
};

/**
 * Ids and times apart, and what holds them. A request is over once the call has run by a yes that it brought along, so the
 * next face that asks has another.
 */
function comparable(envelope: ResultEnvelope): object {
  const { run_id, duration_ms, hint, approval, ...rest } = envelope;
  expect(duration_ms).toBeGreaterThanOrEqual(0);
  expect(approval?.approval_id).toBe(rest.approval_id);
  const shown = {
    ...rest,
    ...(approval && { approval: { ...approval, expires_at: approval.expires_at === undefined ? null : 'TIME' } }),
    ran: run_id !== null,
    hint: run_id === null ? hint : hint?.replace(run_id, 'ID'),
  };
  const text = JSON.stringify(shown);
  const id = rest.approval_id;
  return JSON.parse(id === undefined ? text : text.replaceAll(id, 'REQUEST')) as object;
}

/** A request keeps the card of the settings that it was made under; here everything is asked anew under the present ones. */
const endRequests = (principal_id?: string): Promise<unknown> =>
  api.database.db.tenant(tenant_id, (tx) =>
    tx.approval.updateMany({
      where: { tenant_id, state: 'pending', ...(principal_id !== undefined && { principal_id }) },
      data: { state: 'expired', ended_at: new Date() },
    }),
  );

const lastSeq = (): Promise<bigint> =>
  api.database.db.tenant(tenant_id, async (tx) => {
    const last = await tx.auditEvent.findFirst({ where: { tenant_id }, orderBy: { seq: 'desc' } });
    return last?.seq ?? 0n;
  });

async function eventsSince(seq: bigint): Promise<Record<string, unknown>[]> {
  const rows = await api.database.db.tenant(tenant_id, (tx) =>
    tx.auditEvent.findMany({
      where: { tenant_id, seq: { gt: seq }, action: 'exec.decision' },
      omit: { id: true, seq: true, at: true },
      orderBy: { seq: 'asc' },
    }),
  );
  return rows.map(({ run_id, details, ...row }) => {
    const { approval_id, ...more } = (details ?? {}) as { approval_id?: string };
    return { ...row, details: { ...more, asks_a_person: approval_id !== undefined }, became_a_run: run_id !== null };
  });
}

/** What a host that runs commands in its own way decides, by the same settings and grants (SPEC I4). */
function expectGateAlike(seen: readonly Seen[], calls: Calls, { rules, approvals }: Setting, mode: Mode): void {
  const pack = draftedPack(TRIAL);
  for (const { principal, call, agent, face, event, envelope } of seen) {
    const { pack_id, verb_key, args } = calls[call] ?? { pack_id: '' };
    const who = principals[principal];
    if (face !== 'rest' || pack_id !== 'trial' || !verb_key || !args || !who) continue;
    const access = { mode, rules: [...rules], ...(approvals && { approvals }) } as NonNullable<
      Parameters<typeof gateCommand>[0]['access']
    >;
    const { kind, interactive, grants } = who;
    const gate = gateCommand({
      ...{ pack, verb_key, args, access, grants, agent },
      principal: { id: 'p', kind, interactive },
    });
    const shown = envelope as ResultEnvelope;
    const what = `${principal}, ${call}`;
    expect({ what, ...gate }).toMatchObject({ what, decision: event['decision'] });
    if (gate.decision === 'allow') {
      expect({ what, ...gate }).toMatchObject({ what, mode: event['mode'], approved_by: event['approved_by'] });
    } else {
      const { code, error, hint } = shown;
      expect({ what, ...gate }).toMatchObject({ what, code, error, hint });
    }
    if (gate.decision !== 'ask') continue;
    expect({ what, access: gate.access, preview: gate.preview }).toEqual({
      ...{ what, access: shown.access, preview: shown.preview },
    });
    expect({ what, ...gate.approval.view }).toEqual({ what, ...shown.approval?.view });
  }
}

const word = ({ event }: Seen): string => {
  const of = (name: string): string => (event[name] ?? '') as string;
  return `${of('decision')} ${of('code') || of('approved_by')} ${of('reason')}`.trim();
};

/** All that was seen, for what the table as a whole must show. */
const all: Seen[] = [];

const setMode = (mode: Mode) => set('PUT', '/v1/access/mode', { body: { mode } });

describe.each(SETTINGS)('in mode %s', (mode, names) => {
  it.each(names)('with %s every face decides alike', async (name) => {
    const setting = RULES[name] ?? { rules: [] };
    await setMode(modeOfTenant(mode));
    await set('PUT', '/v1/access/settings', { body: { approvals: setting.approvals ?? 'human' } });
    const made = [];
    for (const rule of setting.rules) made.push(await set('POST', '/v1/access/rules', { body: rule }));
    const who = Object.keys(principals).filter((each) => mode === 'auto' || !NARROW.has(each));
    const seen = await seenUnder(modeOfProcess(mode), SET, who);
    for (const { id } of made) await set('DELETE', `/v1/access/rules/${id}`, {});
    expectAlike(seen);
    if (modeOfProcess(mode) === undefined) expectGateAlike(seen, SET, setting, modeOfTenant(mode));
  });
});

describe('what no setting decides', () => {
  it('is decided alike by every face', async () => {
    await setMode('run');
    const seen = await seenUnder(undefined, FIXED, Object.keys(principals));
    expectAlike(seen);
    expectGateAlike(seen, FIXED, { rules: [] }, 'run');
  });
});

describe('the table', () => {
  it('has every kind of decision in it, by every face', () => {
    const refusals = ['invalid_args', 'land_requires_project', 'missing_capability', 'no_policy', 'unknown_pack'];
    const kinds = ['ask confirm_required confirm', 'ask confirm_required confirm_always'];
    kinds.push('ask confirm_required mode_manual', 'ask confirm_required rule_ask', 'allow agent', 'allow mode');
    kinds.push('allow rule', 'deny denied_by_rule denied_by_rule', ...refusals.map((code) => `deny ${code} ${code}`));
    for (const face of [...Object.keys(FACES), 'mcp']) {
      const words = new Set(all.filter((one) => one.face === face).map(word));
      const own_yes = face === 'mcp' ? [] : ['allow human'];
      expect([face, ...[...words].sort()]).toEqual([face, ...[...kinds, ...own_yes].sort()]);
    }
  });

  it('differs for who comes as an agent in whose yes counts, and in nothing else', () => {
    const rest = all.filter(({ face, principal }) => face === 'rest' && BOTH.has(principal));
    const differing = new Set<string>();
    for (const [index, plain] of rest.entries()) {
      const agent = rest[index + 1];
      if (plain.agent || agent?.agent !== true || word(plain) === word(agent)) continue;
      differing.add(`${plain.principal}, ${plain.call}: ${word(plain)}, not ${word(agent)}`);
    }
    const own = (what: string, ...not: string[]): string[] =>
      not.map((other) => `a person, ${what}: allow human, not ${other}`);
    expect([...differing].sort()).toEqual(
      [
        ...own('a write that says confirm', 'allow agent', 'ask confirm_required confirm'),
        ...own('a write that says confirm', 'ask confirm_required mode_manual', 'ask confirm_required rule_ask'),
        ...own('what always asks, saying confirm', 'ask confirm_required confirm_always'),
        ...own('what always asks, saying confirm', 'ask confirm_required rule_ask'),
        'a person’s key, a write that says confirm: ask confirm_required confirm, not allow agent',
      ].sort(),
    );
  });
});
