import { checkArchive } from '@hcp/packs';
import { describe, expect, it } from 'vitest';
import { archive } from '../../support/packs.js';
import { documentAt } from './api.js';

/** Documents that stand for more than they are, read by a process that serves others too (SPEC W7, P5). */

const packOf = (document: object): Promise<Buffer> =>
  archive({
    'manifest.json': JSON.stringify({
      pack_id: 'desk',
      name: 'Desk',
      version: '1.0.0',
      description: 'A desk.',
      kind: 'openapi',
      binding: { family: 'user' },
    }),
    'surface.json': JSON.stringify({ commands: { say: { description: 'Says.' } } }),
    'policy.json': JSON.stringify({
      commands: { say: { operation: 'read', confirm: false, privacy: { land: 'public' } } },
    }),
    'openapi.json': JSON.stringify(document),
  });

/** Each schema names the next one twice: a few kilobytes that stand for 2^40 schemas. */
const doubling = (): object => {
  const schemas: Record<string, object> = { S40: { type: 'string' } };
  for (let at = 0; at < 40; at += 1) {
    const next = { $ref: `#/components/schemas/S${at + 1}` };
    schemas[`S${at}`] = { type: 'object', properties: { a: next, b: next } };
  }
  const document = documentAt('https://api.example.com') as { components: object };
  return { ...document, components: { ...document.components, schemas } };
};

describe('a document', () => {
  it('is given up on when it takes too long, and keeps nobody else waiting', async () => {
    let turns = 0;
    const others = setInterval(() => (turns += 1), 5);
    const checked = await checkArchive(await packOf(doubling()), {
      platform: false,
      reading: { ms: 2000, megabytes: 512 },
    });
    clearInterval(others);
    expect(checked).toMatchObject({ pack: null, findings: [{ code: 'M030', path: 'openapi.json' }] });
    // Read on this thread, it would have left them none.
    expect(turns).toBeGreaterThan(20);
  });

  it('is given up on when it takes too much memory, and the process goes on', async () => {
    const document = documentAt('https://api.example.com') as { paths: object };
    const more = Array.from({ length: 20_000 }, (_, at) => [`/p${at}`, { get: { responses: {} } }]);
    const paths = { ...document.paths, ...(Object.fromEntries(more) as object) };
    const checked = await checkArchive(await packOf({ ...document, paths }), {
      platform: false,
      reading: { ms: 60_000, megabytes: 24 },
    });
    expect(checked).toMatchObject({ pack: null, findings: [{ message: 'takes too much time or memory to read' }] });
  });

  it('becomes commands where it is a plain one', async () => {
    const checked = await checkArchive(await packOf(documentAt('https://api.example.com')), { platform: false });
    expect(checked).toMatchObject({
      findings: [],
      pack: { surface: { commands: { say: { request: { method: 'GET', path: '/say/{what}' } } } } },
    });
  });
});
