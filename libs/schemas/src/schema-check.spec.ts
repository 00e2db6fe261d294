import type { JsonSchema } from '@hcp/core';
import { describe, expect, it } from 'vitest';
import { argsSchemaProblem, schemaCheck } from './schema-check.js';
import { SCHEMA_LIMITS } from './schema-limits.js';

const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});

describe('schemaCheck', () => {
  const SECRET = 'hunter2-secret';
  it.each<[string, JsonSchema, unknown, { path: string; why: string }]>([
    ['a missing argument', object({ to: {} }, { required: ['to'] }), {}, { path: '/to', why: 'is required' }],
    ['an unknown argument', object({}), { to: 1 }, { path: '/to', why: 'is not an argument' }],
    ['a wrong type', object({ n: { type: 'number' } }), { n: SECRET }, { path: '/n', why: 'must be number' }],
    ['a bound', object({ n: { minimum: 2 } }), { n: 1 }, { path: '/n', why: 'must be >= 2' }],
    ['a pattern', object({ s: { pattern: '^a$' } }), { s: SECRET }, { path: '/s', why: 'must match its pattern' }],
    [
      'a nested value',
      object({ a: { items: { type: 'string' } } }),
      { a: ['x', 1] },
      { path: '/a/1', why: 'must be string' },
    ],
    [
      'an enum',
      object({ s: { enum: ['a'] } }),
      { s: SECRET },
      { path: '/s', why: 'must be equal to one of the allowed values' },
    ],
    ['a constant', object({ s: { const: 'a' } }), { s: SECRET }, { path: '/s', why: 'must be equal to constant' }],
    ['a format', object({ s: { format: 'date' } }), { s: SECRET }, { path: '/s', why: 'must match format "date"' }],
    ['a name that is no name', object({}), { [`${SECRET} x`]: 1 }, { path: '/*', why: 'is not an argument' }],
  ])('names %s and no value', (_what, schema, value, finding) => {
    const found = schemaCheck(schema, value);
    expect(found).toEqual(finding);
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });

  it('passes what is valid and changes nothing', () => {
    const schema = object({
      s: { type: 'string', default: 'x', pattern: '^\\d+$' },
      'n-x': { 'x-position': 0, 'x-dash': true, 'x-switch': '--x' },
    });
    const value = Object.freeze({ s: '12' });
    expect(schemaCheck(schema, value)).toBeNull();
    expect(value).toEqual({ s: '12' });
  });

  it('tells two patterns apart', () => {
    const schema = object({ a: { pattern: '^a$' }, b: { pattern: '^b$' } });
    expect(schemaCheck(schema, { a: 'a', b: 'b' })).toBeNull();
    expect(schemaCheck(schema, { a: 'a', b: 'a' })).toEqual({ path: '/b', why: 'must match its pattern' });
  });

  // A backtracking engine would take longer than the universe has been there.
  it('is not stalled by a pattern', () => {
    const schema = object({ s: { pattern: '^(a+)+$' } }, { patternProperties: { '^(p+)+$': {} } });
    expect(schemaCheck(schema, { s: `${'a'.repeat(50_000)}!` })).not.toBeNull();
    expect(schemaCheck(schema, { [`${'p'.repeat(5_000)}!`]: 1 })).not.toBeNull();
  });

  it('does not take inherited names for arguments', () => {
    const schema = object({ constructor: { type: 'string' } }, { required: ['toString'] });
    expect(schemaCheck(schema, {})).toEqual({ path: '/toString', why: 'is required' });
    expect(schemaCheck(object({}), JSON.parse('{"__proto__": 1}'))).toEqual({
      path: '/__proto__',
      why: 'is not an argument',
    });
  });

  it('refuses a value with too many parts or levels unseen', () => {
    expect(schemaCheck(object({ a: {} }), { a: Array.from({ length: 30_000 }) })?.why).toContain('parts');
    let deep: unknown = 1;
    for (let level = 0; level < 100; level += 1) deep = [deep];
    expect(schemaCheck(object({ a: {} }), { a: deep })?.why).toContain('levels');
  });

  it('refuses every value of a schema that cannot be used', () => {
    expect(schemaCheck({ $ref: 'https://example.com/schema.json' }, {})?.why).toContain('not usable');
    expect(schemaCheck({ type: 'nonsense' }, {})?.why).toContain('not usable');
  });
});

describe('argsSchemaProblem', () => {
  const deep = (levels: number): JsonSchema => (levels === 0 ? {} : { properties: { x: deep(levels - 1) } });
  it.each<[string, JsonSchema, string]>([
    ['a remote $ref', object({ a: { $ref: 'https://example.com/x' } }), '$ref may only name'],
    ['a $ref to itself', object({ a: { $ref: '#' } }), '$ref may only name'],
    [
      'chained $refs',
      object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: { $ref: '#/$defs/c' }, c: {} } }),
      'another $ref',
    ],
    ['a missing $ref', object({ a: { $ref: '#/$defs/nope' } }), '$ref may only name'],
    ['an inherited $ref', object({ a: { $ref: '#/$defs/constructor' } }, { $defs: {} }), '$ref may only name'],
    ['an address', object({}, { $id: 'https://example.com/x' }), '$id is not supported'],
    ['an asynchronous schema', object({}, { $async: true }), '$async is not supported'],
    ['a look-ahead', object({ a: { pattern: '^(?=a)' } }), 'does not compile'],
    ['an unknown keyword', object({ a: { minimun: 1 } }), 'does not compile'],
    ['an unknown format', object({ a: { format: 'regex' } }), 'does not compile'],
    ['a quadratic check', object({ a: { uniqueItems: true } }), 'uniqueItems needs maxItems'],
    ['depth', deep(SCHEMA_LIMITS.depth + 1), 'levels deep'],
    ['size', object({ a: { description: 'x'.repeat(SCHEMA_LIMITS.bytes) } }), 'bytes'],
    ['many nodes', { allOf: Array.from({ length: SCHEMA_LIMITS.nodes }, () => ({})) }, 'nodes'],
    [
      'few nodes that stand for many',
      object(
        {},
        {
          allOf: Array.from({ length: 100 }, () => ({ $ref: '#/$defs/a' })),
          $defs: { a: { allOf: Array.from({ length: 100 }, () => ({})) } },
        },
      ),
      'nodes',
    ],
  ])('refuses %s', (_what, schema, why) => {
    expect(argsSchemaProblem(schema)).toContain(why);
  });

  it('takes a local $ref, and properties named like keywords', () => {
    const schema = object(
      { $id: { $ref: '#/$defs/name' }, enum: { type: 'array', uniqueItems: true, maxItems: 5 } },
      { $defs: { name: { type: 'string' } } },
    );
    expect(argsSchemaProblem(schema)).toBeNull();
    expect(schemaCheck(schema, { $id: 1 })).toEqual({ path: '/*', why: 'must be string' });
  });
});
