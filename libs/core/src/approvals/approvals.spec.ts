import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeCaller, NOW, OTHER_PROJECT, PROJECT } from '../../spec/fixtures.js';
import type { Grant } from '../authz/grant.js';
import { approveProblem, rejectProblem, type AskedCall } from './decider.js';
import { afterAct, APPROVAL_USE_S, approvalStateAt, type ApprovalAct, type ApprovalFacts } from './state.js';

const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);
const TTL_S = 900;
const pending = (approvers = 1): ApprovalFacts => ({
  state: 'pending',
  pending_expires_at: at(TTL_S),
  use_expires_at: null,
  approvers,
  approved_by: [],
});

const people = fc.constantFrom('ann', 'ben', 'cat', 'dan', 'eve');
const acts = fc.oneof(
  { weight: 3, arbitrary: people.map((by): ApprovalAct => ({ kind: 'approve', by })) },
  people.map((by): ApprovalAct => ({ kind: 'reject', by })),
  fc.constant<ApprovalAct>({ kind: 'consume' }),
);
/** Acts, each some time after the one before. */
const history = fc.array(fc.tuple(fc.integer({ min: 0, max: 500 }), acts), { maxLength: 12 });

interface Step {
  readonly now: Date;
  readonly act: ApprovalAct;
  readonly before: ApprovalFacts;
  readonly after: ApprovalFacts | null;
}

function play(approvers: number, acts: readonly (readonly [number, ApprovalAct])[]): Step[] {
  let facts = pending(approvers);
  let seconds = 0;
  return acts.map(([later, act]) => {
    seconds += later;
    const now = at(seconds);
    const before = facts;
    const after = afterAct(before, act, now);
    facts = after ?? before;
    return { now, act, before, after };
  });
}

const histories = (check: (steps: Step[], approvers: number) => void): void =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), history, (approvers, acts) => check(play(approvers, acts), approvers)),
    { numRuns: 500 },
  );

describe('the states of an approval (SPEC V2, V3)', () => {
  it('lets one run start at most, and only after enough different people', () => {
    histories((steps, approvers) => {
      const consumed = steps.filter(({ act, after }) => act.kind === 'consume' && after !== null);
      expect(consumed.length).toBeLessThanOrEqual(1);
      for (const { before, now } of consumed) {
        expect(new Set(before.approved_by).size).toBeGreaterThanOrEqual(approvers);
        expect(before.use_expires_at?.getTime()).toBeGreaterThan(now.getTime());
      }
    });
  });

  it('stays as it ended: rejected, expired and consumed take no act', () => {
    histories((steps) => {
      for (const { before, after, now } of steps) {
        if (['rejected', 'expired', 'consumed'].includes(approvalStateAt(before, now))) expect(after).toBeNull();
      }
    });
  });

  it('lets a rejection beat an approval until it is consumed', () => {
    histories((steps) => {
      const rejected = steps.findIndex(({ act, after }) => act.kind === 'reject' && after !== null);
      if (rejected < 0) return;
      expect(steps.slice(rejected + 1).every(({ after }) => after === null)).toBe(true);
    });
  });

  it('counts nobody twice', () => {
    histories((steps) => {
      for (const { before } of steps) expect(new Set(before.approved_by).size).toBe(before.approved_by.length);
    });
  });

  it.each([
    ['nobody answers', [], TTL_S, 'expired'],
    ['a yes just in time', [[TTL_S - 1, { kind: 'approve', by: 'ann' }]], TTL_S, 'approved'],
    ['a yes too late', [[TTL_S, { kind: 'approve', by: 'ann' }]], TTL_S, 'expired'],
    ['a yes that is not used', [[60, { kind: 'approve', by: 'ann' }]], 60 + APPROVAL_USE_S, 'expired'],
    [
      'a yes that is used in time',
      [
        [60, { kind: 'approve', by: 'ann' }],
        [APPROVAL_USE_S - 1, { kind: 'consume' }],
      ],
      99_999,
      'consumed',
    ],
  ] as [string, [number, ApprovalAct][], number, string][])(
    'each clock holds by itself: %s',
    (_, acts, when, state) => {
      const steps = play(1, acts);
      const last = steps.at(-1);
      expect(approvalStateAt(last ? (last.after ?? last.before) : pending(), at(when))).toBe(state);
    },
  );
});

describe('who may decide (SPEC V4, A8)', () => {
  const grants = (...held: Grant[]) => ({ authority: { layers: [held] } });
  const decider = makeCaller(grants({ capability: 'approval.decide' }));
  const asked: AskedCall = {
    pack_id: 'ledger',
    verb_key: 'transfer',
    steps: [],
    project_id: PROJECT,
    requester_id: 'agent',
    acts_for: ['someone'],
    second_person: true,
  };
  const code = (caller = decider, change: Partial<AskedCall> = {}) =>
    approveProblem(caller, { ...asked, ...change }, NOW)?.code ?? null;

  it('is a person in an interactive session who was granted it for that pack', () => {
    expect(code()).toBeNull();
    expect(code(makeCaller(grants({ capability: 'verb.exec.write' })))).toBe('missing_capability');
    expect(code(makeCaller(grants({ capability: 'approval.decide', pack_id: 'notes' })))).toBe('missing_capability');
    expect(code(makeCaller(grants({ capability: 'approval.decide', pack_id: 'ledger' })))).toBeNull();
    const elsewhere = makeCaller(grants({ capability: 'approval.decide', project_id: OTHER_PROJECT }));
    expect(code(elsewhere)).toBe('missing_capability');
  });

  it('is no agent, service or key, whatever was granted', () => {
    const { authority } = decider;
    for (const machine of [
      makeCaller({ authority, is_agent: true }),
      makeCaller({ authority, principal: { id: 'a', kind: 'agent' } }),
      makeCaller({ authority, principal: { id: 's', kind: 'service' } }),
      makeCaller({ authority, session: { api_key_id: 'k' } }),
      makeCaller({ authority, session: { interactive: false } }),
    ]) {
      expect(code(machine)).toBe('human_only');
      expect(rejectProblem(machine, asked, NOW)?.code).toBe('human_only');
    }
  });

  it('is a second person where one is wanted, and anyone who may say no', () => {
    const { id } = decider.principal;
    for (const own of [{ requester_id: id }, { acts_for: ['other', id] }]) {
      expect(code(decider, own)).toBe('forbidden');
      expect(code(decider, { ...own, second_person: false })).toBeNull();
      expect(rejectProblem(decider, { ...asked, ...own }, NOW)).toBeNull();
    }
  });
});
