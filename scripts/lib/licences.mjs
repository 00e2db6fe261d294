import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './build.mjs';

/** Licences that ask for no more than their text and name being kept. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/** Weak copyleft, unmodified and at development time only: file by file, nothing of it is in what runs. */
const ALLOWED_FOR_DEVELOPMENT = new Set(['EPL-2.0', 'MPL-2.0']);

/** Packages whose lockfile entry says less than their own files do; each checked by hand. */
const KNOWN = new Map([
  ['passport-strategy', 'MIT'],
  ['pause', 'MIT'],
]);

/** `MIT OR Apache-2.0` passes with one of them, `MIT AND ISC` with both. */
function allowed(expression, words) {
  const text = expression.replace(/[()]/g, '');
  return text
    .split(/\s+OR\s+/i)
    .some((choice) => choice.split(/\s+AND\s+/i).every((licence) => words.has(licence.trim())));
}

/** @returns {string[]} one line for each package whose licence is not on the list */
export function licenceProblems() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const problems = [];
  for (const [path, entry] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || entry.link) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const licence = entry.license ?? KNOWN.get(name) ?? 'none named';
    const words = entry.dev || entry.devOptional ? new Set([...ALLOWED, ...ALLOWED_FOR_DEVELOPMENT]) : ALLOWED;
    if (!allowed(licence, words)) problems.push(`${name} ${entry.version}: ${licence}`);
  }
  return problems;
}
