import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exitCodeFor, parseEnvelope, parseResult, EXEC_CODES } from '../index.js';

const error = (value: unknown): string => {
  const parsed = parseEnvelope(value);
  return parsed.ok ? 'ok' : parsed.denial.error.replace('invalid envelope: ', '');
};
const call = (more: object): unknown => ({ pack_id: 'ledger', verb_key: 'pay', ...more });

describe('parseEnvelope', () => {
  it('takes the whole envelope', () => {
    const envelope = {
      pack_id: 'ledger',
      verb_key: 'pay.now',
      args: { a: 1 },
      approval_id: '5ea7eb29',
      approval: { by: 'human', id: 'x' },
      run_on_approve: true,
      idempotency_key: 'k',
      wait_ms: 0,
    };
    expect(parseEnvelope(envelope)).toEqual({ ok: true, envelope });
  });

  it('takes surface_id for pack_id, and both where they agree', () => {
    const envelope = { pack_id: 'a1', verb_key: 'v', args: {} };
    expect(parseEnvelope({ surface_id: 'a1', verb_key: 'v' })).toEqual({ ok: true, envelope });
    expect(parseEnvelope({ surface_id: 'a1', pack_id: 'a1', verb_key: 'v' })).toEqual({ ok: true, envelope });
    expect(error({ surface_id: 'a1', pack_id: 'b1', verb_key: 'v' })).toBe(
      'surface_id names another pack than pack_id',
    );
  });

  it.each<[unknown, string]>([
    [null, 'body must be'],
    [[], 'body must be'],
    ['x', 'body must be'],
    [{}, 'pack_id is required'],
    [{ pack_id: 'a' }, 'verb_key is required'],
    [{ pack_id: 5, verb_key: 'v' }, 'pack_id must be'],
    [{ pack_id: '', verb_key: 'v' }, 'pack_id must be'],
    [{ pack_id: '../x', verb_key: 'v' }, 'pack_id must be'],
    [call({ verb_key: 'a\nb' }), 'verb_key must be'],
    [call({ args: null }), 'args must be an object'],
    [call({ args: [] }), 'args must be an object'],
    [call({ args: 'x' }), 'args must be an object'],
    [call({ approval_id: 1 }), 'approval_id must be'],
    [call({ approval: 'yes' }), 'approval must be'],
    [call({ approval: { by: 'agent', id: 'x' } }), 'approval must be'],
    [call({ approval: { by: 'human', id: 'x', more: 1 } }), 'approval must be'],
    [call({ run_on_approve: 'true' }), 'run_on_approve must be'],
    [call({ idempotency_key: '' }), 'idempotency_key must be'],
    [call({ idempotency_key: 'x'.repeat(201) }), 'idempotency_key must be'],
    [call({ wait_ms: '5' }), 'wait_ms must be'],
    [call({ wait_ms: 1.5 }), 'wait_ms must be'],
    [call({ wait_ms: -1 }), 'wait_ms must be'],
    [call({ wait_ms: 120_001 }), 'wait_ms must be'],
    [call({ tenant_id: 'x' }), 'tenant_id is no field'],
    [call({ toString: 'x' }), 'toString is no field'],
    [call({ 'a b\u001b': 1 }), '(unprintable name) is no field'],
    [
      JSON.parse('{"pack_id":"a","verb_key":"v","args":{"x":{"__proto__":{"admin":true}}}}'),
      'args.x.__proto__ is a key that is not allowed',
    ],
    [call({ args: { constructor: { prototype: {} } } }), 'args.constructor is a key'],
    [JSON.parse('{"__proto__":1}'), '__proto__ is a key'],
    [call({ args: { x: JSON.parse('['.repeat(500) + ']'.repeat(500)) as unknown } }), 'args.x.0'],
  ])('refuses %j', (value, start) => {
    expect(error(value).startsWith(start)).toBe(true);
  });

  it('never throws on any JSON, and never repeats a value', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
    expect(error(call({ args: { deep } }))).toContain('nested deeper than 32 levels');
    fc.assert(fc.property(fc.jsonValue(), (value) => void parseEnvelope(value)));
    const field = fc.constantFrom(
      'pack_id',
      'surface_id',
      'verb_key',
      'args',
      'approval',
      'approval_id',
      'wait_ms',
      'idempotency_key',
    );
    fc.assert(
      fc.property(fc.dictionary(field, fc.oneof(fc.jsonValue(), fc.constant('s3cr3t value'))), (value) => {
        const parsed = parseEnvelope(value);
        expect(JSON.stringify(parsed.ok ? null : parsed.denial)).not.toContain('s3cr3t');
      }),
    );
  });
});

describe('parseResult', () => {
  it.each<[string, unknown]>([
    ['{"ok":true}\n', { ok: true }],
    ['5', 5],
    ['null', null],
    ['', ''],
    ['hello', 'hello'],
    ['{"a":1}{"a":2}', '{"a":1}{"a":2}'],
    ['{"a":1}\n{"a":2}', '{"a":1}\n{"a":2}'],
    ['NaN', 'NaN'],
    ['"[[["', '[[['],
  ])('reads %j', (text, expected) => {
    expect(parseResult(text)).toEqual(expected);
  });

  it('keeps __proto__ as data', () => {
    const result = parseResult('{"__proto__":{"admin":true}}') as Record<string, unknown>;
    expect(Object.keys(result)).toEqual(['__proto__']);
    expect(result['admin']).toBeUndefined();
  });

  it('keeps what is nested too deep to write again as text', () => {
    const text = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(parseResult(text)).toBe(text);
  });

  it('agrees with JSON for every document, and never throws', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseResult(text)).toEqual(JSON.parse(text));
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void parseResult(text)));
  });
});

describe('exitCodeFor', () => {
  it('has one exit for each code', () => {
    const exits = Object.fromEntries(EXEC_CODES.map((code) => [code, exitCodeFor({ ok: false, code })]));
    expect(exits).toMatchObject({
      confirm_required: 3,
      denied_by_rule: 4,
      missing_capability: 4,
      invalid_args: 2,
      invalid_envelope: 2,
      exit_nonzero: 1,
      still_running: 1,
      internal: 1,
    });
    expect(exitCodeFor({ ok: true })).toBe(0);
    expect(exitCodeFor({ ok: false })).toBe(1);
  });
});
