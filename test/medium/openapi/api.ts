import { readFileSync } from 'node:fs';
import { archive } from '../../support/packs.js';

/** The document of the API that these tests start, at this server. */
export const documentAt = (server: string): object => {
  const answers = { responses: { 200: { description: 'ok' } } };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  return {
    openapi: '3.1.0',
    info: { title: 'Desk', version: '1' },
    servers: [{ url: server }],
    security: [{ bearer: [] }],
    paths: {
      '/tickets/{id}': {
        parameters: [id],
        get: {
          operationId: 'getTicket',
          parameters: [{ name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } }],
          ...answers,
        },
        put: {
          operationId: 'replaceTicket',
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['title'],
                  properties: {
                    title: { type: 'string' },
                    points: { type: 'integer' },
                    labels: { type: 'array', items: { type: 'string' } },
                  },
                },
              },
            },
          },
          ...answers,
        },
      },
      '/notes': {
        post: {
          operationId: 'add_note',
          requestBody: {
            content: {
              'application/x-www-form-urlencoded': {
                schema: { type: 'object', properties: { text: { type: 'string' }, meta: { type: 'object' } } },
                encoding: { meta: { style: 'deepObject', explode: true } },
              },
            },
          },
          ...answers,
        },
      },
      '/say/{what}': {
        get: { operationId: 'say', parameters: [{ ...id, name: 'what' }], ...answers },
        post: { operationId: 'do', parameters: [{ ...id, name: 'what' }], ...answers },
      },
    },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
};

const VERBS = {
  'get-ticket': 'read',
  'replace-ticket': 'write',
  'add-note': 'write',
  say: 'read',
  do: 'write',
} as const;

/** A pack of that API. */
export function deskPack(
  pack_id: string,
  server: string,
  { family = 'user', timeout_ms = 2000 } = {},
): Promise<Buffer> {
  const commands = Object.keys(VERBS).map((verb) => [verb, { description: `Asks for ${verb}.` }]);
  const rows = Object.entries(VERBS).map(([verb, operation]) => [
    verb,
    { operation, confirm: verb === 'replace-ticket', privacy: { land: 'public' } },
  ]);
  return archive({
    'manifest.json': JSON.stringify({
      pack_id,
      name: 'Desk',
      version: '1.0.0',
      description: 'A desk.',
      kind: 'openapi',
      binding: { family },
      openapi: { timeout_ms },
    }),
    'surface.json': JSON.stringify({ commands: Object.fromEntries(commands) as object }),
    'policy.json': JSON.stringify({ commands: Object.fromEntries(rows) as object }),
    'openapi.json': JSON.stringify(documentAt(server)),
  });
}

/** The large document of the same folder. */
export const commerce = (): string => readFileSync(new URL('commerce.openapi.json', import.meta.url), 'utf8');
