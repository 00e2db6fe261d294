import { describe, expect, it } from 'vitest';
import type { ParameterStyle } from '../packs/request.js';
import { serializePairs, serializeText } from './serialize.js';

const place = (style: ParameterStyle, explode: boolean) => ({ arg: 'color', name: 'color', style, explode });
const LIST = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };
const encode = encodeURIComponent;

// The examples of OpenAPI 3.1, section 4.8.12.4.
describe('a value in a path or a header', () => {
  it.each<[ParameterStyle, boolean, string, string, string]>([
    ['matrix', false, ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
    ['matrix', true, ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
    ['label', false, '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
    ['label', true, '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
    ['simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
    ['simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ])('%s, explode %s', (style, explode, text, list, object) => {
    expect(serializeText(place(style, explode), 'blue', encode)).toBe(text);
    expect(serializeText(place(style, explode), LIST, encode)).toBe(list);
    expect(serializeText(place(style, explode), OBJECT, encode)).toBe(object);
  });

  it('cannot be a list of lists', () => {
    expect(serializeText(place('simple', false), [['a']], encode)).toBeNull();
  });
});

describe('a value in a query or a form', () => {
  const text = (style: ParameterStyle, explode: boolean, value: unknown) =>
    serializePairs(place(style, explode), value, encode)
      ?.map((pair) => pair.join('='))
      .join('&') ?? null;

  it.each<[ParameterStyle, boolean, unknown, string]>([
    ['form', false, LIST, 'color=blue,black,brown'],
    ['form', true, LIST, 'color=blue&color=black&color=brown'],
    ['form', false, OBJECT, 'color=R,100,G,200,B,150'],
    ['form', true, OBJECT, 'R=100&G=200&B=150'],
    ['form', true, 'a&b=c', 'color=a%26b%3Dc'],
    ['form', false, ['a,b', 'c'], 'color=a%2Cb,c'],
    ['spaceDelimited', false, LIST, 'color=blue%20black%20brown'],
    ['pipeDelimited', false, LIST, 'color=blue%7Cblack%7Cbrown'],
    ['deepObject', true, OBJECT, 'color[R]=100&color[G]=200&color[B]=150'],
    ['deepObject', true, { items: [{ price: 'p 1', n: null }] }, 'color[items][0][price]=p%201'],
    ['deepObject', true, { 'a]=1&b[': 'x' }, 'color[a%5D%3D1%26b%5B]=x'],
    ['json', false, { a: [1] }, 'color=%7B%22a%22%3A%5B1%5D%7D'],
    ['form', true, [], ''],
  ])('%s, explode %s of %j', (style, explode, value, expected) => {
    expect(text(style, explode, value)).toBe(expected);
  });

  it('cannot be deep unless the style is', () => {
    expect(text('form', true, { a: { b: 1 } })).toBeNull();
    expect(text('form', false, [[1]])).toBeNull();
  });
});
