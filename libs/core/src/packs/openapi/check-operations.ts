import { finding } from '../check/findings.js';
import type { Finding } from '../pack.js';
import type { Surface } from '../surface.js';
import { letters, operationFinder, operationsOf, own, type Operation } from './operations.js';

/** Whether every command is an operation of the document (SPEC W7). What the document itself is worth, a host tells. */
export function checkOperations(surface: Surface, document: unknown): Finding[] {
  const version = own(document, 'openapi');
  if (typeof version !== 'string' || !/^3\.[01]\./.test(version)) {
    return [finding('M030', 'openapi.json', ['openapi'], 'must be an OpenAPI version of 3.0 or 3.1')];
  }
  const operations = operationsOf(document);
  const find = operationFinder(operations);
  let suggested = 0;
  return Object.entries(surface.commands).flatMap(([verb_key, { operation_id }]) => {
    if (find(verb_key, operation_id) !== null) return [];
    const keys = ['commands', verb_key, ...(operation_id === undefined ? [] : ['operation_id'])];
    const wanted = letters(operation_id ?? verb_key);
    suggested += 1;
    const near = suggested > MAX_SUGGESTED ? [] : nearest(operations, wanted);
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

/** Commands for which similar names are looked for: that takes as long as there are operations. */
const MAX_SUGGESTED = 20;

const nearest = (operations: readonly Operation[], wanted: string): readonly Operation[] =>
  operations.filter((each) => letters(each.operation_id).includes(wanted)).slice(0, 3);
