import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommandRequest } from '../packs/request.js';
import type { Command } from '../packs/surface.js';
import { authorizeRequest } from './credential.js';
import { renderRequest } from './render-request.js';

const REQUEST: CommandRequest = {
  operation_id: 'updatePet',
  method: 'POST',
  server: 'https://api.example.com/v1',
  path: '/pets/{id}/tags',
  parameters: [
    { arg: 'id', name: 'id', in: 'path', style: 'simple', explode: false },
    { arg: 'q', name: 'filter[q]', in: 'query', style: 'form', explode: true },
    { arg: 'trace', name: 'X-Trace', in: 'header', style: 'simple', explode: false },
    { arg: 'c', name: 'c', in: 'cookie', style: 'form', explode: true },
  ],
  body: {
    media_type: 'application/json',
    encoding: 'json',
    whole: null,
    fields: [
      { arg: 'amount', name: 'amount', style: 'json', explode: false },
      { arg: 'note', name: 'note', style: 'json', explode: false },
    ],
  },
  credentials: [],
};

const command = (request: Partial<CommandRequest> = {}): Command => ({
  description: 'x',
  args: { type: 'object', properties: { id: {}, q: {}, trace: {}, c: {}, amount: { type: 'number' }, note: {} } },
  request: { ...REQUEST, ...request },
});
const render = (args: Record<string, unknown>, request: Partial<CommandRequest> = {}) =>
  renderRequest(command(request), args);
const rendered = (args: Record<string, unknown>, request: Partial<CommandRequest> = {}) => {
  const answer = render(args, request);
  if (!answer.ok) throw new Error(answer.denial.error);
  return answer.request;
};
const refusal = (args: Record<string, unknown>, request: Partial<CommandRequest> = {}) => {
  const answer = render(args, request);
  return answer.ok ? null : answer.denial;
};

describe('the request of a command', () => {
  it('puts every argument in its place', () => {
    expect(rendered({ id: 'a b', q: 'x', trace: 't', c: '1;2', amount: '2.80', note: 'é' })).toEqual({
      method: 'POST',
      url: 'https://api.example.com/v1/pets/a%20b/tags?filter%5Bq%5D=x',
      headers: [
        ['x-trace', 't'],
        ['cookie', 'c=1%3B2'],
        ['content-type', 'application/json'],
      ],
      body: '{"amount":2.8,"note":"é"}',
    });
  });

  it('leaves out what is not given', () => {
    expect(rendered({ id: '1' })).toMatchObject({
      headers: [],
      body: null,
      url: 'https://api.example.com/v1/pets/1/tags',
    });
  });

  it('writes a form as its document says', () => {
    const body: CommandRequest['body'] = {
      media_type: 'application/x-www-form-urlencoded',
      encoding: 'form',
      whole: null,
      fields: [
        { arg: 'amount', name: 'amount', style: 'form', explode: true },
        { arg: 'note', name: 'metadata', style: 'deepObject', explode: true },
      ],
    };
    expect(rendered({ id: '1', amount: 3, note: { a: 'b&c', list: [1, 2] } }, { body }).body).toBe(
      'amount=3&metadata[a]=b%26c&metadata[list][0]=1&metadata[list][1]=2',
    );
  });

  it.each(['', '.', '..', undefined, []])('refuses %j in a path', (id) => {
    expect(refusal({ id })?.error).toBe('invalid args: id cannot stand in the path of an address');
  });

  it.each(['a\r\nx: 1', 'a\u0000', 'é'])('refuses %j in a header, and does not repeat it', (trace) => {
    expect(refusal({ id: '1', trace })?.error).toBe('invalid args: trace cannot stand in a header');
  });

  it('refuses what is too large to send', () => {
    expect(refusal({ id: '1', note: 'x'.repeat(1024 * 1024) })?.error).toContain('1 MiB');
    expect(refusal({ id: '1', q: 'x'.repeat(17_000) })?.error).toContain('16 KiB');
  });

  // Whatever a value is, it is one part: no other path, parameter or server.
  it('lets no value lead elsewhere', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (id, q) => {
        const answer = render({ id, q });
        if (!answer.ok) return;
        const url = new URL(answer.request.url);
        expect(url.origin).toBe('https://api.example.com');
        expect(url.hash).toBe('');
        expect(url.pathname.split('/')).toHaveLength(5);
        expect(decodeURIComponent(url.pathname.split('/')[3] ?? '')).toBe(id);
        expect([...url.searchParams]).toEqual([['filter[q]', q]]);
      }),
    );
  });
});

describe('the credential of a request', () => {
  const basic = (user: string, password: string) => `${user}/${password}`;
  const token = { type: 'bearer', field: 'token' } as const;
  const key = { type: 'api_key', field: 'key', in: 'query', name: 'k' } as const;

  it('is the first that the connection has', () => {
    const answer = authorizeRequest({ credentials: [[token], [key]] }, { key: 's' }, basic);
    expect(answer).toEqual({ ok: true, authorization: { headers: [], query: [['k', 's']], cookies: [] } });
  });

  it('may have two parts, and needs both', () => {
    const credentials = [[{ type: 'basic', username: 'username', password: 'password' } as const, key]];
    expect(authorizeRequest({ credentials }, { key: 's' }, basic)).toEqual({
      ok: false,
      fields: ['username', 'password', 'key'],
    });
    expect(authorizeRequest({ credentials }, { key: 's', username: 'u', password: 'p' }, basic)).toMatchObject({
      authorization: { headers: [['authorization', 'Basic u/p']], query: [['k', 's']] },
    });
  });

  it('takes nothing inherited for a field', () => {
    const credentials = [[{ type: 'bearer', field: 'constructor' } as const]];
    expect(authorizeRequest({ credentials }, {}, basic).ok).toBe(false);
  });

  it('is none where the document asks for none', () => {
    const none = { ok: true, authorization: { headers: [], query: [], cookies: [] } };
    expect(authorizeRequest({ credentials: [] }, {}, basic)).toEqual(none);
    expect(authorizeRequest({ credentials: [[token], []] }, {}, basic)).toEqual(none);
  });
});
