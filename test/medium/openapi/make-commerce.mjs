// Writes commerce.openapi.json: a document of the size and the habits of large public APIs (form bodies with deep objects,
// schemas that hold each other, oneOf everywhere, shared parameters). Run it again after a change: node make-commerce.mjs
import { writeFileSync } from 'node:fs';

const NOUNS = (
  'account balance card charge coupon credit-note customer dispute event file fee invoice item ledger line mandate order ' +
  'payment payout plan price product promotion quote refund report review session setup shipping source subscription tax ' +
  'token topup transfer usage webhook'
).split(' ');
const pascal = (name) => name.replace(/(^|-)([a-z])/g, (_, __, letter) => letter.toUpperCase());
const ref = (kind, name) => ({ $ref: `#/components/${kind}/${name}` });
const words = (noun, what) => `${what} of a ${noun.replace('-', ' ')}. `.repeat(6).trim();

const schemas = {
  Address: {
    type: 'object',
    properties: Object.fromEntries(
      ['line1', 'line2', 'city', 'country', 'postal_code', 'state'].map((name) => [
        name,
        { type: 'string', maxLength: 5000, nullable: true },
      ]),
    ),
  },
  Metadata: { type: 'object', additionalProperties: { type: 'string', maxLength: 500 } },
  Amount: { type: 'integer', minimum: 0, exclusiveMinimum: true },
  Error: { type: 'object', required: ['code'], properties: { code: { type: 'string' }, message: { type: 'string' } } },
};
const paths = {};

for (const [index, noun] of NOUNS.entries()) {
  const name = pascal(noun);
  const next = pascal(NOUNS[(index + 1) % NOUNS.length]);
  const others = [1, 2, 3].map((step) => ref('schemas', pascal(NOUNS[(index + step) % NOUNS.length])));
  schemas[name] = {
    type: 'object',
    required: ['id', 'object'],
    description: words(noun, 'The state'),
    properties: {
      id: { type: 'string', readOnly: true },
      object: { type: 'string', enum: [noun] },
      amount: ref('schemas', 'Amount'),
      created: { type: 'integer', format: 'unix-time' },
      parent: { oneOf: [{ type: 'string' }, ref('schemas', name)], nullable: true },
      next: { anyOf: [{ type: 'string', maxLength: 100 }, ref('schemas', next)] },
      related: { type: 'array', items: { oneOf: others, discriminator: { propertyName: 'object' } } },
      address: {
        allOf: [ref('schemas', 'Address'), { type: 'object', properties: { verified: { type: 'boolean' } } }],
      },
      metadata: ref('schemas', 'Metadata'),
    },
  };
  const fields = {
    amount: ref('schemas', 'Amount'),
    currency: { type: 'string', pattern: '^[a-z]{3}$' },
    description: { type: 'string', maxLength: 350, description: words(noun, 'The description') },
    address: ref('schemas', 'Address'),
    metadata: { anyOf: [ref('schemas', 'Metadata'), { type: 'string', enum: [''] }] },
    expand: { type: 'array', items: { type: 'string', maxLength: 5000 } },
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['price'],
        properties: {
          price: { type: 'string' },
          quantity: { type: 'integer' },
          tax: { oneOf: [{ type: 'string' }, { type: 'number' }] },
        },
      },
    },
    created: {
      oneOf: [
        { type: 'integer' },
        { type: 'object', properties: { gte: { type: 'integer' }, lte: { type: 'integer' } } },
      ],
    },
    on_behalf_of: { type: 'string', nullable: true },
  };
  const form = (required) => ({
    required: required.length > 0,
    content: {
      'application/x-www-form-urlencoded': {
        encoding: Object.fromEntries(
          ['address', 'metadata', 'expand', 'items', 'created'].map((key) => [
            key,
            { style: 'deepObject', explode: true },
          ]),
        ),
        schema: {
          type: 'object',
          additionalProperties: false,
          ...(required.length > 0 && { required }),
          properties: fields,
        },
      },
    },
  });
  const answers = (schema) => ({
    200: { description: 'It worked.', content: { 'application/json': { schema } } },
    default: { description: 'It did not.', content: { 'application/json': { schema: ref('schemas', 'Error') } } },
  });
  const list = {
    type: 'object',
    properties: { data: { type: 'array', items: ref('schemas', name) }, has_more: { type: 'boolean' } },
  };
  paths[`/v1/${noun}s`] = {
    get: {
      operationId: `Get${name}s`,
      parameters: [
        ref('parameters', 'Limit'),
        { name: 'created', in: 'query', style: 'deepObject', explode: true, schema: fields.created },
        { name: 'expand', in: 'query', style: 'deepObject', explode: true, schema: fields.expand },
        { name: 'starting_after', in: 'query', schema: { type: 'string' } },
      ],
      responses: answers(list),
    },
    post: {
      operationId: `Post${name}s`,
      parameters: [ref('parameters', 'Idempotency')],
      requestBody: form(['amount', 'currency']),
      responses: answers(ref('schemas', name)),
    },
  };
  paths[`/v1/${noun}s/{${noun.replace('-', '_')}}`] = {
    parameters: [
      { name: noun.replace('-', '_'), in: 'path', required: true, schema: { type: 'string', maxLength: 5000 } },
    ],
    get: { operationId: `Get${name}s${name}`, responses: answers(ref('schemas', name)) },
    post: { operationId: `Post${name}s${name}`, requestBody: form([]), responses: answers(ref('schemas', name)) },
    delete: { operationId: `Delete${name}s${name}`, responses: answers(ref('schemas', name)) },
    put: {
      operationId: `Replace${name}`,
      requestBody: ref('requestBodies', name),
      responses: answers(ref('schemas', name)),
    },
  };
  paths[`/v1/${noun}s/search`] = {
    get: {
      operationId: `Search${name}s`,
      security: [{ basicAuth: [] }, { bearerAuth: [] }],
      parameters: [{ name: 'query', in: 'query', required: true, schema: { type: 'string' } }],
      responses: answers(list),
    },
  };
  paths[`/v1/${noun}s/import`] = {
    post: {
      operationId: `Import${name}s`,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { type: 'array', items: ref('schemas', name) } } },
      },
      responses: answers(list),
    },
  };
}

const document = {
  openapi: '3.0.3',
  info: { title: 'Commerce', version: '2026-01-01', description: 'Not a real shop.' },
  servers: [{ url: 'https://{region}.commerce.example', variables: { region: { default: 'eu', enum: ['eu', 'us'] } } }],
  security: [{ bearerAuth: [] }],
  paths,
  components: {
    securitySchemes: { basicAuth: { type: 'http', scheme: 'basic' }, bearerAuth: { type: 'http', scheme: 'bearer' } },
    parameters: {
      Limit: { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
      Idempotency: { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } },
    },
    requestBodies: Object.fromEntries(
      NOUNS.map((noun) => [
        pascal(noun),
        { required: true, content: { 'application/json': { schema: ref('schemas', pascal(noun)) } } },
      ]),
    ),
    schemas,
  },
};
writeFileSync(new URL('commerce.openapi.json', import.meta.url), `${JSON.stringify(document)}\n`);
