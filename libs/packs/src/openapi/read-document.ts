import { dereference, validate } from '@readme/openapi-parser';
import { finding, type Finding } from '@hcp/core';

export type ReadDocument =
  { readonly ok: true; readonly document: unknown } | { readonly ok: false; readonly findings: Finding[] };

/** What one round tells; a broken document can have thousands. */
const MAX_FINDINGS = 10;

/**
 * An OpenAPI document with every `$ref` in its place (SPEC W7). References lead nowhere but into the document: a pack reads
 * no file and asks no server of ours. A schema that holds itself stays an object that holds itself.
 */
export async function readDocument(document: object): Promise<ReadDocument> {
  const outside = outsideRefs(document);
  if (outside.length > 0) return { ok: false, findings: outside };
  try {
    const options = { resolve: { external: false } } as const;
    const checked = await validate(structuredClone(document) as Parameters<typeof validate>[0], options);
    if (!checked.valid) {
      const findings = checked.errors.slice(0, MAX_FINDINGS).map(({ message }) => broken([], firstLine(message)));
      return { ok: false, findings };
    }
    return { ok: true, document: await dereference(structuredClone(document) as never, options) };
  } catch (error) {
    return { ok: false, findings: [broken([], firstLine((error as Error).message))] };
  }
}

const broken = (keys: readonly PropertyKey[], why: string): Finding => finding('M030', 'openapi.json', keys, why);

/** The parser's words are for a terminal: colours and an excerpt of the file, which it believes to be in a folder of ours. */
const firstLine = (message: string): string =>
  (message.replace(/\u001b\[[0-9;]*m/g, '').split('\n')[0] ?? '').replace(/\S*(?=#\/)/g, '').slice(0, 300) ||
  'is no OpenAPI document';

function outsideRefs(document: object): Finding[] {
  const findings: Finding[] = [];
  const open: { value: unknown; keys: readonly PropertyKey[] }[] = [{ value: document, keys: [] }];
  for (let each = open.pop(); each !== undefined && findings.length < MAX_FINDINGS; each = open.pop()) {
    const { value, keys } = each;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string' && !inner.startsWith('#/')) {
        findings.push(broken([...keys, key], 'leads out of the document'));
      }
      open.push({ value: inner, keys: [...keys, key] });
    }
  }
  return findings;
}
