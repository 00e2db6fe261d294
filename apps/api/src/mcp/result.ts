import type { FieldError } from '@hcp/contracts';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ProblemError } from '../platform/problem.js';

/** A document as a tool answers it: whole, and once more as text for clients that read only that. */
export function toolResult(document: object, ok: boolean): CallToolResult {
  return {
    structuredContent: document,
    content: [{ type: 'text', text: JSON.stringify(document) }],
    isError: !ok,
  };
}

/** A refusal by one of the product's own tools: an agent reads it and can mend its call. */
export function refused(code: string, error: string, errors?: readonly FieldError[]): CallToolResult {
  return toolResult({ ok: false, code, error, ...(errors && { errors }) }, false);
}

/** What a use case refused, as a tool says it; anything else goes on. */
export function refusalOf(error: unknown): CallToolResult {
  if (error instanceof ProblemError && error.status < 500) return refused(error.code, error.detail, error.errors);
  throw error;
}
