import { finding } from '../check/findings.js';
import type { Finding } from '../pack.js';
import type { Surface } from '../surface.js';
import { findOperation, letters, operationsOf, own } from './operations.js';

/** Whether every command is an operation of the document (SPEC W7). What the document itself is worth, a host tells. */
export function checkOperations(surface: Surface, document: unknown): Finding[] {
  const version = own(document, 'openapi');
  if (typeof version !== 'string' || !/^3\.[01]\./.test(version)) {
    return [finding('M030', 'openapi.json', ['openapi'], 'must be an OpenAPI version of 3.0 or 3.1')];
  }
  const operations = operationsOf(document);
  return Object.entries(surface.commands).flatMap(([verb_key, { operation_id }]) => {
    if (findOperation(operations, verb_key, operation_id) !== null) return [];
    const keys = ['commands', verb_key, ...(operation_id === undefined ? [] : ['operation_id'])];
    const wanted = letters(operation_id ?? verb_key);
    const near = operations.filter((each) => letters(each.operation_id).includes(wanted)).slice(0, 3);
    const names = near.map((each) => JSON.stringify(each.operation_id)).join(' or ');
    return [
      finding(
        'M028',
        'surface.json',
        keys,
        'names no operation of openapi.json',
        near.length === 0 ? 'Give the operationId as "operation_id".' : `Write "operation_id": ${names}.`,
      ),
    ];
  });
}
