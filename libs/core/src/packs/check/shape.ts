import type { z } from 'zod';
import { findBadShape } from '../../args/values.js';
import { parseStrictJson } from '../../text/strict-json.js';
import { nameForError } from '../../text/unicode.js';
import type { Finding } from '../pack.js';
import { isAllowListWord } from './allow-lists.js';
import { finding, type FindingCode, type PackFile } from './findings.js';

type Issue = z.core.$ZodIssue;

interface Codes {
  readonly missing: FindingCode;
  readonly json: FindingCode;
  readonly shape: FindingCode;
  readonly allow_list: FindingCode;
}

const MANIFEST: Codes = { missing: 'M001', json: 'M002', shape: 'M003', allow_list: 'M017' };
const SURFACE: Codes = { ...MANIFEST, shape: 'M004' };
const POLICY: Codes = { missing: 'P001', json: 'P002', shape: 'P003', allow_list: 'P006' };
const CODES: Readonly<Record<string, Codes>> = {
  'manifest.json': MANIFEST,
  'surface.json': SURFACE,
  'policy.json': POLICY,
};

/** Deeper than any pack needs. */
const MAX_FILE_DEPTH = 32;

/** Reads one file of the pack against its schema; what is wrong goes into `findings`, then the answer is null. */
export function readShape<T>(
  file: Exclude<PackFile, 'openapi.json'>,
  text: string | undefined,
  schema: z.ZodType<T>,
  findings: Finding[],
): T | null {
  const codes = CODES[file] ?? MANIFEST;
  if (text === undefined) {
    findings.push(finding(codes.missing, file, [], `${file} is missing`));
    return null;
  }
  const json = parseStrictJson(text, { max_depth: MAX_FILE_DEPTH });
  const bad = json.ok ? findBadShape(json.value) : json;
  if (!json.ok || bad !== null) {
    const { path = '', why = '' } = bad ?? {};
    findings.push(finding(codes.json, file, path === '' ? [] : path.split('.'), `${path || file} ${why}`));
    return null;
  }
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return parsed.data;
  findings.push(...parsed.error.issues.flatMap((issue) => explain(file, codes, issue)));
  return null;
}

function explain(file: PackFile, codes: Codes, issue: Issue): Finding[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) =>
      isAllowListWord(key)
        ? finding(
            codes.allow_list,
            file,
            [...path, key],
            `"${nameForError(key)}" has no place in a pack: who may do what is the tenant's to say`,
            'Remove it.',
          )
        : finding(codes.shape, file, [...path, key], `"${nameForError(key)}" is no field here`),
    );
  }
  return [finding(codeOf(file, codes, path), file, path, messageOf(issue))];
}

/** Own codes for the words that people get wrong most. */
function codeOf(file: PackFile, codes: Codes, path: readonly PropertyKey[]): FindingCode {
  const end = path.slice(file === 'policy.json' ? 2 : 0).join('.');
  if (file === 'manifest.json' && end === 'binding.family') return 'M005';
  if (file === 'policy.json' && end === 'privacy.land') return 'P004';
  if (file === 'policy.json' && end === 'binding') return 'P005';
  if (file === 'policy.json' && end === 'operation') return 'P014';
  return codes.shape;
}

/**
 * Zod's own words do not repeat the input; a bad key of a record says what is wrong with it inside, and so does a text
 * that is one of several things in its form alone.
 */
function messageOf(issue: Issue): string {
  if (issue.code === 'invalid_union') {
    return issue.errors.flat().find(({ code }) => code === 'invalid_format')?.message ?? issue.message;
  }
  return issue.code === 'invalid_key'
    ? `is no valid name: ${issue.issues[0]?.message ?? 'see the schema'}`
    : issue.message;
}
