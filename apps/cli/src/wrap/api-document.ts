import { readFile } from 'node:fs/promises';
import { parseStrictJson } from '@hcp/core';
import { Failure } from '../failure.js';

export interface ApiDocument {
  readonly text: string;
  readonly value: unknown;
  readonly title: string;
}

/** An OpenAPI document; null where the path is anything else, such as a program. */
export async function readDocument(path: string): Promise<ApiDocument | null> {
  if (!path.endsWith('.json')) return null;
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be read (${error.code ?? 'unknown'})`, 'Name a program, or an OpenAPI document.');
  });
  const json = parseStrictJson(text, { max_depth: 128, exact_numbers: false });
  const value = json.ok ? json.value : null;
  if (typeof value !== 'object' || value === null || !('openapi' in value)) {
    throw new Failure(`${path} is no OpenAPI document`, 'It has to be JSON of OpenAPI 3.0 or 3.1.');
  }
  const info: unknown = 'info' in value ? value.info : null;
  const title: unknown = typeof info === 'object' && info !== null && 'title' in info ? info.title : null;
  return { text, value, title: typeof title === 'string' && title !== '' ? title.slice(0, 100) : 'api' };
}
