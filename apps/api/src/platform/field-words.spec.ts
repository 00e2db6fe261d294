import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldErrors, sentence, withoutRoute, type Issue } from './field-words.js';

const CANARY = 'canary-value';

function said(schema: z.ZodType, value: unknown): string[] {
  const found = schema.safeParse(value);
  if (found.success) throw new Error('it is valid');
  return fieldErrors(found.error.issues as unknown as Issue[]).map(({ path, message }) => `${path} ${message}`);
}

describe('what is wrong with a field', () => {
  const own = z.string().regex(/^a+$/, 'must be letters a alone');
  it.each<[string, z.ZodType, unknown, string]>([
    ['text for a number of a query', z.coerce.number().int(), CANARY, 'must be a whole number'],
    ['half a number', z.number().int(), 1.5, 'must be a whole number'],
    ['another type', z.string(), 1, 'must be a text'],
    ['no list', z.array(z.string()), CANARY, 'must be a list'],
    ['nothing', z.string(), undefined, 'is missing'],
    ['too short', z.string().min(3), 'a', 'must have at least 3 characters'],
    ['empty', z.string().min(1), '', 'must have at least 1 character'],
    ['too long a list', z.array(z.number()).max(1), [1, 2], 'must have at most 1 item'],
    ['too much', z.number().max(200), 201, 'must be at most 200'],
    ['too little', z.number().positive(), 0, 'must be more than 0'],
    ['no such word', z.enum(['a', 'b']), CANARY, 'must be one of a, b'],
    ['not the only word', z.literal('human'), CANARY, 'must be human'],
    ['another form', z.string().regex(/^[a-z]+$/), '1', 'must match /^[a-z]+$/'],
    ['no time', z.iso.datetime(), CANARY, 'must be a time with its zone, such as 2030-01-31T12:00:00Z'],
    ['our own words', own, 'b', 'must be letters a alone'],
    ['none of two', z.union([z.boolean(), z.literal('x')]), 1, 'must be true or false, or must be x'],
  ])('is said in words: %s', (_, schema, value, message) => {
    expect(said(z.object({ f: schema }), { f: value })).toEqual([`/f ${message}`]);
  });

  it('says where ids are listed', () => {
    const schema = z.object({ principal_id: z.uuid(), id: z.uuid() });
    expect(said(schema, { principal_id: CANARY, id: CANARY })).toEqual([
      '/principal_id is no id; list them at GET /v1/members',
      '/id is no id; ids are UUIDs',
    ]);
  });

  it('names no route to a face that has none', () => {
    const issues = z.object({ run_id: z.uuid() }).safeParse({ run_id: CANARY }).error?.issues ?? [];
    expect(fieldErrors(issues as Issue[]).map(withoutRoute)).toEqual([
      { path: '/run_id', message: 'is no id; ids are UUIDs' },
    ]);
  });

  it('names unknown fields where they are, by plain names alone', () => {
    const schema = z.strictObject({ inner: z.strictObject({}) });
    expect(said(schema, { inner: { bogus: CANARY } })).toEqual(['/inner/bogus unknown field bogus']);
    expect(said(schema, { inner: {}, [`${CANARY} 1\n`]: 1 })).toEqual([' has a field that is not known here']);
  });

  it('is one sentence with the name of the field', () => {
    expect(sentence({ path: '/grants/0/capability', message: 'is missing' })).toBe('grants.0.capability is missing');
    expect(sentence({ path: '', message: 'must be an object' })).toBe('the request must be an object');
    expect(sentence({ path: '/bogus', message: 'unknown field bogus' })).toBe('unknown field bogus');
    expect(sentence({ path: '/name', message: 'a project of the tenant has this name' })).toBe(
      'name: a project of the tenant has this name',
    );
  });

  it('stays short', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${String(i)}`, 1]));
    expect(said(z.strictObject({}), many)).toHaveLength(10);
  });
});
