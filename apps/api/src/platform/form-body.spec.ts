import { describe, expect, it } from 'vitest';
import { parseForm } from './form-body.js';

const parsed = (text: string | Buffer) => parseForm(Buffer.from(text as string));

describe('parseForm', () => {
  it('gives each field once, whatever its name', () => {
    expect({ ...(parsed('a=1&b=x+y%21&c=') as object) }).toEqual({ a: '1', b: 'x y!', c: '' });
    expect(Object.entries(parsed('__proto__=1&constructor=2'))).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
    expect(Object.keys(parsed(''))).toEqual([]);
  });

  it('refuses a field twice, also where its name is written in another way', () => {
    expect(parsed('a=1&a=1')).toBe('has a field twice');
    expect(parsed('a=1&%61=2')).toBe('has a field twice');
  });

  it('refuses bytes that are no UTF-8', () => {
    expect(parseForm(Buffer.from([0x61, 0x3d, 0xff]))).toBe('is not valid UTF-8');
  });
});
