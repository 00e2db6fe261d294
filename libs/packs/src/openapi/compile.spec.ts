import type { Surface } from '@hcp/core';
import { describe, expect, it } from 'vitest';
import { argsSchemaProblem, schemaCheck } from '@hcp/schemas';
import { compileOpenapi } from './compile.js';

const OK = { responses: { 200: { description: 'ok' } } };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });

interface Draft {
  readonly paths: Record<string, object>;
  readonly more?: object;
  readonly commands: Record<string, object>;
}

const compiled = ({ paths, more = {}, commands }: Draft) => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    servers: [{ url: 'https://api.example.com/base/' }],
    paths,
    ...more,
  };
  const described = Object.entries(commands).map(([key, command]) => [key, { description: 'x', ...command }]);
  return compileOpenapi(
    { surface: { commands: Object.fromEntries(described) as Surface['commands'] } },
    JSON.stringify(document),
  );
};

/** The one command of a document with one operation. */
const one = async (operation: object, more: object = {}, path = '/things/{id}') => {
  const parameters = path.includes('{id}') ? [{ name: 'id', in: 'path', required: true, schema: {} }] : [];
  const paths = { [path]: { parameters, post: { operationId: 'go', ...OK, ...operation } } };
  const { surface, findings } = await compiled({ paths, more, commands: { go: {} } });
  return { command: surface?.commands['go'], findings };
};

describe('an operation as a command', () => {
  it('has the arguments of its parameters and its body', async () => {
    const { command } = await one({
      parameters: [
        { name: 'page[size]', in: 'query', required: true, schema: { type: 'integer', maximum: 9 } },
        { name: 'id', in: 'header', schema: { type: 'string' } },
        { name: 'Authorization', in: 'header', schema: { type: 'string' } },
        { name: 'where', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
      ],
      requestBody: {
        required: true,
        ...json({
          type: 'object',
          required: ['name', 'made'],
          properties: { name: { type: 'string' }, made: { type: 'string', readOnly: true }, id: { type: 'string' } },
        }),
      },
    });
    expect(command?.args).toMatchObject({ required: ['id', 'page_size', 'name'], additionalProperties: false });
    expect(Object.keys(command?.args?.properties ?? {})).toEqual([
      'id',
      'page_size',
      'header_id',
      'where',
      'name',
      'body_id',
    ]);
    expect(command?.request).toMatchObject({
      method: 'POST',
      server: 'https://api.example.com/base',
      path: '/things/{id}',
      parameters: [
        { arg: 'id', in: 'path', style: 'simple' },
        { arg: 'page_size', name: 'page[size]', in: 'query', style: 'form', explode: true },
        { arg: 'header_id', name: 'id', in: 'header' },
        { arg: 'where', style: 'json' },
      ],
      body: { encoding: 'json', whole: null, fields: [{ arg: 'name' }, { arg: 'body_id', name: 'id' }] },
    });
  });

  it.each([
    ['a list', { type: 'array', items: { type: 'string' } }, ['a'], { a: 1 }],
    ['a choice', { oneOf: [{ type: 'object', required: ['a'] }, { type: 'string' }] }, { a: 1 }, 3],
    ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, { x: 1 }, 'x'],
  ])('takes a body that is %s whole', async (_what, schema, good, bad) => {
    const { command } = await one({ requestBody: { required: true, ...json(schema) } });
    expect(command?.request?.body).toMatchObject({ whole: 'body', fields: [] });
    const args = command?.args ?? { type: 'object' };
    expect(schemaCheck(args, { id: '1', body: good })).toBeNull();
    expect(schemaCheck(args, { id: '1', body: bad })).not.toBeNull();
    expect(schemaCheck(args, { id: '1' })).toEqual({ path: '/body', why: 'is required' });
  });

  it('may hold itself', async () => {
    const Tree = {
      type: 'object',
      properties: { kids: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
    };
    const more = { components: { schemas: { Tree } } };
    const { command } = await one({ requestBody: json({ $ref: '#/components/schemas/Tree' }) }, more);
    expect(argsSchemaProblem(command?.args ?? {})).toBeNull();
    expect(schemaCheck(command?.args ?? {}, { id: '1', kids: [{ kids: [{ kids: [{ kids: [] }] }] }] })).toBeNull();
    expect(schemaCheck(command?.args ?? {}, { id: '1', kids: 'x' })).not.toBeNull();
  });

  it('takes the words of OpenAPI 3.0 for what they mean', async () => {
    const properties = {
      n: { type: 'number', minimum: 1, exclusiveMinimum: true },
      s: { type: 'string', nullable: true, enum: ['a'] },
      f: { type: 'string', format: 'binary' },
    };
    const { command } = await one({ requestBody: json({ type: 'object', properties }) }, { openapi: '3.0.3' });
    const check = (value: object) => schemaCheck(command?.args ?? {}, { id: '1', ...value });
    expect(check({ n: 1.5, s: null, f: 'x' })).toBeNull();
    expect(check({ n: 1 })).not.toBeNull();
    expect(check({ s: 'b' })).not.toBeNull();
  });

  it('keeps a schema that is too large within bounds by looking less deep', async () => {
    const wide = (depth: number): object =>
      depth === 0
        ? { type: 'string' }
        : {
            type: 'object',
            properties: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`p${at}`, wide(depth - 1)])),
          };
    const { command } = await one({ requestBody: json(wide(4)) });
    expect(argsSchemaProblem(command?.args ?? {})).toBeNull();
    expect(schemaCheck(command?.args ?? {}, { id: '1', p0: 'x' })).not.toBeNull();
  });

  it.each<[string, object, object]>([
    [
      'a schema whose parts each have many parts',
      { $ref: '#/components/schemas/S0' },
      Object.fromEntries(
        Array.from({ length: 4 }, (_, at) => [
          `S${at}`,
          {
            type: 'object',
            properties: Object.fromEntries(
              Array.from({ length: 60 }, (_, n) => [`p${n}`, { $ref: `#/components/schemas/S${(at + 1) % 4}` }]),
            ),
          },
        ]),
      ),
    ],
    [
      'a choice that holds itself',
      { type: 'object', properties: { x: { enum: [{ $ref: '#/components/schemas/Self' }] } } },
      { Self: { properties: { self: { $ref: '#/components/schemas/Self' } } } },
    ],
    [
      'one long text that many share',
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 400 }, (_, n) => [`p${n}`, { $ref: '#/components/schemas/T' }]),
        ),
      },
      { T: { enum: ['x'.repeat(1_000_000)] } },
    ],
  ])('is looked at within bounds: %s', async (_what, schema, schemas) => {
    const { command } = await one({ requestBody: json(schema) }, { components: { schemas } });
    expect(JSON.stringify(command?.args).length).toBeLessThan(200_000);
    expect(argsSchemaProblem(command?.args ?? {})).toBeNull();
  });

  it('may have a form of lists that hold themselves', async () => {
    const more = { components: { schemas: { L: { type: 'array', items: { $ref: '#/components/schemas/L' } } } } };
    const schema = { type: 'object', properties: { x: { $ref: '#/components/schemas/L' } } };
    const { command } = await one(
      { requestBody: { content: { 'application/x-www-form-urlencoded': { schema } } } },
      more,
    );
    expect(command?.request?.body?.fields).toMatchObject([{ arg: 'x', style: 'json' }]);
  });

  it('is signed in to as its document says', async () => {
    const components = {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        second: { type: 'apiKey', in: 'query', name: 'k2' },
        oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://x.example/t', scopes: {} } } },
        tls: { type: 'mutualTLS' },
      },
    };
    const of = async (operation: object) =>
      (await one(operation, { components, security: [{ key: [] }] })).command?.request?.credentials;
    expect(await of({})).toEqual([[{ type: 'api_key', field: 'token', in: 'header', name: 'X-Key' }]]);
    expect(await of({ security: [{ tls: [] }, { oauth: ['a'] }] })).toEqual([[{ type: 'bearer', field: 'token' }]]);
    expect(await of({ security: [{ key: [], second: [] }] })).toEqual([
      [expect.objectContaining({ field: 'key' }), expect.objectContaining({ field: 'second', in: 'query' })],
    ]);
    expect(await of({ security: [] })).toEqual([]);
    // A parameter that is the credential is no argument, in whatever case.
    const { command } = await one(
      { parameters: [{ name: 'x-key', in: 'header', schema: {} }] },
      { components, security: [{ key: [] }] },
    );
    expect(Object.keys(command?.args?.properties ?? {})).toEqual(['id']);
  });

  it('keeps the arguments that the pack declares itself', async () => {
    const paths = { '/a': { get: { operationId: 'go', parameters: [{ name: 'q', in: 'query', schema: {} }], ...OK } } };
    const args = { type: 'object', properties: { q: { type: 'string', maxLength: 3 } } };
    const { surface } = await compiled({ paths, commands: { go: { args } } });
    expect(surface?.commands['go']?.args).toEqual(args);
    const foreign = { type: 'object', properties: { q: {}, other: {} } };
    expect((await compiled({ paths, commands: { go: { args: foreign } } })).findings).toMatchObject([
      { code: 'M029', path: 'surface.json#/commands/go/args/properties/other', fix: 'It has q.' },
    ]);
  });
});

describe('a document that cannot be used', () => {
  it.each<[string, object, object, string]>([
    [
      'a body of files',
      { requestBody: { required: true, content: { 'multipart/form-data': {} } } },
      {},
      'multipart/form-data',
    ],
    ['no server', {}, { servers: [{ url: '/v1' }] }, 'no server'],
    ['a server with a gap', {}, { servers: [{ url: 'https://{host}/' }] }, 'no server'],
    ['a server with a password', {}, { servers: [{ url: 'https://a:b@api.example.com' }] }, 'no server'],
    ['another protocol', {}, { servers: [{ url: 'file:///etc' }] }, 'no server'],
    [
      'only mutual TLS',
      { security: [{ tls: [] }] },
      { components: { securitySchemes: { tls: { type: 'mutualTLS' } } } },
      'signed in',
    ],
    [
      'a name without end',
      { parameters: [{ name: `${'_'.repeat(100_000)}x`, in: 'query', schema: {} }] },
      {},
      'longer than 200',
    ],
    [
      'more arguments than anybody gives',
      { parameters: Array.from({ length: 501 }, (_, at) => ({ name: `q${at}`, in: 'query', schema: {} })) },
      {},
      'more than 500 arguments',
    ],
    ['a reference to a file', { requestBody: { $ref: 'file:///etc/passwd' } }, {}, 'leads out of the document'],
    ['a reference to a server', { requestBody: { $ref: 'http://127.0.0.1/x.json' } }, {}, 'leads out of the document'],
    ['a reference to nothing', { requestBody: { $ref: '#/components/requestBodies/None' } }, {}, 'M030'],
  ])('for %s', async (_what, operation, more, why) => {
    const { command, findings } = await one(operation, more);
    expect(command).toBeUndefined();
    expect(findings.length).toBeGreaterThan(0);
    expect(JSON.stringify(findings)).toContain(why);
  });

  it.each(['/a?x=1', '/a#b', '/a/../b', '/a/%2E./b', '/a\\b', '/a b', '/a\tb'])('for the path %j', async (path) => {
    const { command, findings } = await one({}, {}, path);
    expect(command).toBeUndefined();
    expect(JSON.stringify(findings)).toContain('no plain one');
  });

  it('for an extension that would make another server of the one declared', async () => {
    const paths = { 'x-.evil.example/': { get: { operationId: 'go', ...OK } } };
    expect((await compiled({ paths, commands: { go: {} } })).surface?.commands['go']).toBeUndefined();
  });

  it('without telling where this process is', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [`S${at}`, { $ref: `#/components/schemas/S${at + 1}` }]),
    );
    const { findings } = await one(
      { requestBody: json({ $ref: '#/components/schemas/S0' }) },
      { components: { schemas: { ...schemas, S600: {} } } },
    );
    expect(findings).toMatchObject([{ code: 'M030' }]);
    expect(JSON.stringify(findings)).not.toContain(process.cwd());
  });
});
