import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseStrictJson } from '@hcp/core';
import type { AuditSink } from '../access/audit.js';
import { HcpError } from '../errors.js';

/** What is kept is the user's alone. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIR = 0o700;

/** One JSON line for each event in `$HCP_HOME/audit.jsonl` (SPEC U1). Rejects where it could not be written down. */
export function auditLog(home: string): AuditSink {
  const path = join(home, 'audit.jsonl');
  return async (event) => {
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_DIR });
    // One write at the end of the file, so that lines of several processes do not mix.
    await appendFile(path, `${JSON.stringify(event)}\n`, { mode: PRIVATE_FILE, flush: true });
  };
}

/**
 * A settings document, not judged yet.
 * @param optional true: a file that is not there says nothing
 * @throws HcpError `invalid_request`; nothing of what the file holds is repeated
 */
export async function readDocument(path: string, optional: boolean): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (missing && optional) return {};
    throw wrong(`${path} cannot be read`);
  }
  const json = parseStrictJson(text, { max_depth: 32 });
  if (json.ok) return json.value;
  throw wrong(`${path}: ${json.path} ${json.why}`.replace(/ +/g, ' '));
}

const wrong = (message: string): HcpError => new HcpError({ code: 'invalid_request', status: 0, message });
