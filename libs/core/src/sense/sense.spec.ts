import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeCaller, NOW, OTHER_PROJECT, PROJECT } from '../../spec/fixtures.js';
import { parseSourceEvents, seesSense, SENSE_KINDS, type Capability, type SeenEvent } from '../index.js';

const CANARY = 'canary-77';
const good = { kind: 'disk_low', severity: 'warning', subject: 'disk', message: 'Full.', key: 'a' };

describe('parseSourceEvents', () => {
  it('takes a list of events, and none', () => {
    expect(parseSourceEvents({ events: [] })).toEqual({ ok: true, events: [] });
    expect(parseSourceEvents({ events: [good, { ...good, key: 'b' }] })).toEqual({
      ok: true,
      events: [good, { ...good, key: 'b' }],
    });
  });

  it.each<[string, unknown, string]>([
    ['a text', CANARY, 'the source must print'],
    ['a list', [good], 'the source must print'],
    ['nothing', {}, 'events must be a list'],
    ['another field', { events: [], more: CANARY }, 'more is not known'],
    ['another field with a strange name', { events: [], [`${CANARY} \u202e`]: 1 }, '(unprintable name)'],
    ['too many', { events: Array.from({ length: 101 }, (_, n) => ({ ...good, key: String(n) })) }, 'too many'],
    ['an event that is none', { events: [CANARY] }, 'events.0 must be an object'],
    ['a field of an event', { events: [{ ...good, more: CANARY }] }, 'events.0.more'],
    ['no message', { events: [{ ...good, message: undefined }] }, 'events.0.message must be a text'],
    ['a number for a text', { events: [good, { ...good, key: 7 }] }, 'events.1.key must be a text'],
    ['a kind in capitals', { events: [{ ...good, kind: CANARY.toUpperCase() }] }, 'events.0.kind must be'],
    ['a severity', { events: [{ ...good, severity: CANARY }] }, 'events.0.severity must be one of'],
    ['an empty subject', { events: [{ ...good, subject: '' }] }, 'events.0.subject must have 1 to 200'],
    ['a long message', { events: [{ ...good, message: CANARY.repeat(100) }] }, 'events.0.message must have'],
    ['NUL', { events: [{ ...good, message: `${CANARY}\0` }] }, 'events.0.message must be well-formed'],
    ['half a surrogate', { events: [{ ...good, key: '\ud800' }] }, 'events.0.key must be well-formed'],
    ['a key twice', { events: [good, good] }, 'events.1.key is that of another'],
    ...SENSE_KINDS.map((kind): [string, unknown, string] => [
      kind,
      { events: [{ ...good, kind }] },
      'events.0.kind is a word of the product',
    ]),
  ])('refuses %s and repeats no value', (_, result, error) => {
    const parsed = parseSourceEvents(result);
    expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining(error) as string });
    expect(JSON.stringify(parsed)).not.toContain(CANARY);
  });

  it('takes any JSON without throwing', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => typeof parseSourceEvents({ events: [value] }).ok === 'boolean'));
  });
});

const event = (change: Partial<SeenEvent> = {}): SeenEvent => ({
  ...{ kind: 'disk_low', pack_id: 'ledger', project_id: null, principal_id: null, source_id: 's' },
  ...change,
});
const holding = (...capabilities: Capability[]) =>
  makeCaller({ authority: { layers: [capabilities.map((capability) => ({ capability }))] } });
const product = (kind: string, change: Partial<SeenEvent> = {}) => event({ kind, source_id: null, ...change });

describe('seesSense', () => {
  it.each<[string, ReturnType<typeof makeCaller>, SeenEvent, boolean]>([
    ['who works with the pack', holding('verb.exec.read'), event(), true],
    ['who does not', holding('audit.read'), event(), false],
    ['who reads runs', holding('run.read'), event(), true],
    ['a member of its project', holding('verb.exec.read'), event({ project_id: PROJECT }), true],
    ['a member of another', holding('verb.exec.read'), event({ project_id: OTHER_PROJECT }), false],
    ['a shared credential: a member', holding('verb.exec.read'), product('credential_stale'), false],
    ['a shared credential: who manages it', holding('binding.manage'), product('credential_stale'), true],
    ['a source that names its event so', holding('binding.manage'), event({ kind: 'credential_stale' }), false],
    ["another's", holding('run.read', 'binding.manage'), event({ principal_id: 'other' }), false],
    ['a pause: who may enable', holding('sense.enable'), product('source_paused'), true],
    ['a pause: a member', holding('verb.exec.read'), product('source_paused'), false],
    ['a pack that cannot run', holding('verb.exec.read'), product('pack_unavailable'), true],
    ['a request that is not the viewer’s to see', holding('run.read'), product('approval_waiting'), false],
  ])('%s', (_, caller, seen, expected) => {
    expect(seesSense(caller, seen, NOW)).toBe(expected);
  });

  it('keeps to the bounds of key and session', () => {
    const inside = makeCaller({ session: { project_id: PROJECT } });
    expect(seesSense(inside, event({ project_id: PROJECT }), NOW)).toBe(true);
    expect(seesSense(inside, event(), NOW)).toBe(false);
    expect(seesSense(inside, product('pack_unavailable'), NOW)).toBe(true);
    expect(seesSense(makeCaller({ session: { packs: ['notes'] } }), event(), NOW)).toBe(false);
    const narrow = makeCaller({ authority: { layers: [[{ capability: 'verb.exec.read' }], []] } });
    expect(seesSense(narrow, event(), NOW)).toBe(false);
  });

  it('shows a request to whom it is shown, and what is one’s own to who acts for one', () => {
    expect(seesSense(holding('verb.exec.read'), product('approval_waiting'), NOW, { approval: true })).toBe(true);
    const own = product('credential_stale', { principal_id: 'ann' });
    expect(seesSense(makeCaller({ principal: { id: 'ann', kind: 'human' } }), own, NOW)).toBe(true);
    expect(seesSense(makeCaller({ acts_for: 'ann' }), own, NOW)).toBe(true);
  });
});
