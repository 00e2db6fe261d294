import { describe, expect, it } from 'vitest';
import { checkPack } from '../check.js';
import { draftApiPack, MAX_API_COMMANDS } from './draft-api.js';

const draft = (paths: object, more: object = {}) => {
  const document = { openapi: '3.1.0', info: { title: 'Desk', version: '1', description: 'A desk.' }, paths, ...more };
  const made = draftApiPack({ pack_id: 'desk', name: 'Desk', document });
  const { manifest, surface, policy, skill } = made;
  const files = { manifest, surface, policy, openapi: document };
  const texts = Object.fromEntries(Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)]));
  return { ...made, findings: checkPack({ ...texts, skill, paths: [] }).findings };
};

describe('the draft of an API', () => {
  it('has a command for each operation, and passes the check without a word', () => {
    const { manifest, surface, policy, findings } = draft(
      {
        '/tickets': {
          get: { operationId: 'listTickets', summary: 'Lists them.' },
          post: { operationId: 'tickets/create' },
        },
        '/tickets/{id}': { delete: { operationId: 'DeleteTicket', description: 'Removes one.' } },
        '/payments': { post: { operationId: 'create_payment' } },
        '/nameless': { get: {} },
      },
      { components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } } },
    );
    expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
    expect(manifest).toMatchObject({ kind: 'openapi', binding: { family: 'user' }, description: 'A desk.' });
    expect(surface.commands).toEqual({
      'list-tickets': { description: 'Lists them.', operation_id: 'listTickets' },
      'tickets.create': { description: 'POST /tickets', operation_id: 'tickets/create' },
      'delete-ticket': { description: 'Removes one.', operation_id: 'DeleteTicket' },
      create_payment: { description: 'POST /payments', operation_id: 'create_payment' },
    });
    expect(Object.entries(policy.commands).map(([verb, { operation, confirm }]) => [verb, operation, confirm])).toEqual(
      [
        ['list-tickets', 'read', false],
        ['tickets.create', 'write', false],
        ['delete-ticket', 'write', true],
        ['create_payment', 'write', 'always'],
      ],
    );
  });

  it('leaves out what could not be told apart, and what is too much, and says so', () => {
    const same = draft({ '/a': { get: { operationId: 'getA' } }, '/b': { get: { operationId: 'get-a' } } });
    expect(Object.keys(same.surface.commands)).toEqual(['get-a']);
    expect(same.notes).toEqual(['get-a: left out, its name is that of another command']);
    const many = Array.from({ length: MAX_API_COMMANDS + 2 }, (_, at) => [
      `/p${String(at)}`,
      { get: { operationId: `op${String(at)}` } },
    ]);
    expect(draft(Object.fromEntries(many) as object).notes).toHaveLength(2);
  });

  it('is empty for a document that is none', () => {
    for (const document of [null, 1, [], { paths: [] }]) {
      expect(draftApiPack({ pack_id: 'desk', name: 'Desk', document }).surface.commands).toEqual({});
    }
  });
});
