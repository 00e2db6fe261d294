import { describe, expect, it } from 'vitest';
import { exactArgs } from './exact-args.js';
import { formSchema, noForm } from './schema.js';

describe('formSchema', () => {
  it('has no word that is a yes, whatever the pack declares', () => {
    const schema = formSchema({
      type: 'object',
      properties: { confirm: { type: 'boolean', default: true }, apply: { type: 'boolean' }, mode: { type: 'string' } },
      required: ['confirm', 'mode'],
    });
    expect(schema).toEqual({ type: 'object', properties: { mode: { type: 'string' } }, required: ['mode'] });
  });

  it('fills nothing in: a default becomes a hint', () => {
    const schema = formSchema({ type: 'object', properties: { a: { type: 'string', default: 'x' } } });
    expect(schema.properties).toEqual({ a: { type: 'string', 'x-default': 'x' } });
  });

  it('calls a field what the argument is called, and escapes what cannot be seen', () => {
    const schema = formSchema({
      type: 'object',
      properties: {
        payee: { type: 'string', title: 'Memo', description: 'a\u202eb' },
        o: { type: 'object', properties: { 'x\u200b': { type: 'string' } } },
      },
    });
    expect(schema.properties).toEqual({
      payee: { type: 'string', description: 'a\\u202eb' },
      o: { type: 'object', properties: { 'x\u200b': { type: 'string', title: 'x\\u200b' } } },
    });
  });

  it('takes a property that is called like a keyword for a property', () => {
    const schema = formSchema({
      type: 'object',
      properties: { title: { type: 'string' }, default: { type: 'string' } },
    });
    expect(Object.keys(schema.properties ?? {})).toEqual(['title', 'default']);
  });
});

describe('noForm', () => {
  const of = (property: object) => noForm({ type: 'object', properties: { a: property } });

  it.each([
    { type: 'string' },
    { enum: ['a', 1] },
    { type: ['string', 'null'] },
    { type: 'array', items: { type: 'object', properties: { b: { type: 'integer' } } } },
    { oneOf: [{ type: 'string' }, { properties: { c: { type: 'string' } } }] },
    { type: 'object', additionalProperties: { type: 'number' } },
    { type: 'string', not: { pattern: 'x' } },
  ])('has one for %j', (property) => {
    expect(of(property)).toBeNull();
  });

  it.each([
    [{}, 'anything'],
    [{ type: 'array' }, 'items of a list'],
    [{ type: ['string', 'number'] }, 'several types'],
    [{ type: 'object', patternProperties: {} }, 'patternProperties'],
    [{ allOf: [{ type: 'string' }] }, 'allOf'],
  ])('has none for %j, and says why', (property, why) => {
    expect(of(property)).toContain(why);
  });
});

describe('exactArgs', () => {
  const number = { type: 'number' };

  it('sends the text of a number where the API reads it, as it was typed', () => {
    const schema = { properties: { n: number, l: { type: 'array', items: number }, o: { properties: { n: number } } } };
    const args = { n: '2.80', l: ['1.0'], o: { n: '10' } };
    expect(exactArgs(schema, args)).toEqual(args);
  });

  it('sends a number below alternatives and references', () => {
    const schema = {
      properties: { a: { oneOf: [{ type: 'string' }, number] }, b: { anyOf: [number] }, c: { $ref: '#/$defs/n' } },
      additionalProperties: number,
      $defs: { n: number },
    };
    expect(exactArgs(schema, { a: '1', b: '1.5', c: '2', d: '3' })).toEqual({ a: '1', b: 1.5, c: 2, d: 3 });
  });

  it('gives no list and no object that was emptied again, unless it has to be given', () => {
    const schema = { properties: { a: {}, b: {}, c: {}, d: {} }, required: ['c'] };
    expect(exactArgs(schema, { a: [], b: { x: undefined, y: {} }, c: [], d: [''] })).toEqual({ c: [], d: [''] });
  });

  it('leaves what no number holds exactly, and what is no number', () => {
    const schema = { properties: { b: { anyOf: [number] } } };
    for (const b of ['9007199254740993', '1e3', 'x']) expect(exactArgs(schema, { b })).toEqual({ b });
    expect(exactArgs(schema, { b: true, c: null })).toEqual({ b: true, c: null });
  });
});
