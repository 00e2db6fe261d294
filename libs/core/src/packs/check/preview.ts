import { isControlWord } from '../../args/control.js';
import { hasMalformedPlaceholder, parseToken } from '../../argv/template.js';
import { nearest } from '../../text/nearest.js';
import { argumentNames } from '../lookup.js';
import type { Manifest } from '../manifest.js';
import type { Finding } from '../pack.js';
import { VIEW_KINDS, type Command } from '../surface.js';
import { finding } from './findings.js';
import { suggestPreview } from './suggest-preview.js';

const FILE = 'surface.json';

/** What a declared preview says that is not so (finding M024), with what was probably meant. */
export function checkPreview(manifest: Manifest, verb_key: string, command: Command): Finding[] {
  const { preview } = command;
  if (preview === undefined) return [];
  const findings: Finding[] = [];
  const at = ['commands', verb_key, 'preview'];
  if (!(VIEW_KINDS as readonly string[]).includes(preview.kind)) {
    const kind = nearest(preview.kind, VIEW_KINDS) ?? suggestPreview(manifest, verb_key, command).kind;
    findings.push(
      finding('M024', FILE, [...at, 'kind'], `is none of ${VIEW_KINDS.join(', ')}`, `"kind": ${JSON.stringify(kind)}`),
    );
  }
  const names = argumentNames(manifest, command);
  const texts: [string[], string][] = [[['title'], preview.title]];
  for (const [field, text] of Object.entries(preview.fields)) texts.push([['fields', field], text]);
  for (const [where, text] of texts) {
    const token = parseToken(text);
    for (const name of token.names.filter((each) => !names.has(each))) {
      findings.push(
        finding('M024', FILE, [...at, ...where], `{{${name}}} is no argument of the command`, meant(name, names)),
      );
    }
    if (hasMalformedPlaceholder(token)) {
      findings.push(
        finding('M024', FILE, [...at, ...where], 'has braces that are no {{name}}', 'Write {{name}}, without blanks.'),
      );
    }
  }
  return findings;
}

function meant(name: string, names: ReadonlySet<string>): string {
  const known = [...names].filter((each) => !isControlWord(each));
  const near = nearest(name, known);
  if (near !== null) return `{{${near}}}`;
  return known.length === 0
    ? 'The command takes no arguments.'
    : `Its arguments are ${known.map((each) => `{{${each}}}`).join(', ')}.`;
}
