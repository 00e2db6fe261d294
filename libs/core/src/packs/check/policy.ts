import { PAYING_WORDS } from '../../views/default-rules.js';
import { wordsOf } from '../../views/infer.js';
import { findCommand, workspaceMode } from '../lookup.js';
import type { Manifest } from '../manifest.js';
import type { Finding } from '../pack.js';
import type { Policy, PolicyRow } from '../policy.js';
import type { Surface } from '../surface.js';
import { finding } from './findings.js';
import { suggestPreview } from './suggest-preview.js';

const FILE = 'policy.json';

/** Findings between the policy and the other two (SPEC P4, P5). */
export function checkPolicy(manifest: Manifest, surface: Surface, policy: Policy, platform: boolean): Finding[] {
  const findings = checkRowNames(surface, Object.keys(policy.commands));
  for (const [verb_key, row] of Object.entries(policy.commands)) {
    findings.push(...checkRow(manifest, verb_key, row, platform));
    findings.push(...suggest(manifest, surface, verb_key, row));
  }
  return findings;
}

/** Commands without a row and rows without a command. */
export function checkRowNames(surface: Surface, rows: readonly string[]): Finding[] {
  const without_row = Object.keys(surface.commands).filter((verb_key) => !rows.includes(verb_key));
  const without_command = rows.filter((verb_key) => findCommand({ surface }, verb_key) === null);
  return [
    ...without_row.map((verb_key) =>
      finding('P008', 'surface.json', ['commands', verb_key], 'has no row in policy.json, so it could never run'),
    ),
    ...without_command.map((verb_key) =>
      finding('P009', FILE, ['commands', verb_key], 'is no command of surface.json'),
    ),
  ];
}

function checkRow(manifest: Manifest, verb_key: string, row: PolicyRow, platform: boolean): Finding[] {
  const findings: Finding[] = [];
  const keys = ['commands', verb_key];
  const shared = workspaceMode(manifest) === 'project';
  if (row.privacy.land === 'local' && !shared) {
    findings.push(
      finding(
        'P010',
        FILE,
        [...keys, 'privacy', 'land'],
        "local works in a project's workspace",
        'Set wrap.workspace.mode to "project" in manifest.json.',
      ),
    );
  }
  if (row.binding === 'mock') {
    findings.push(
      finding('P011', FILE, [...keys, 'binding'], 'mock is what a caller asks for, never what a pack declares'),
    );
  }
  if (row.binding === 'mothership' && !platform) {
    findings.push(finding('P012', FILE, [...keys, 'binding'], 'only packs of the platform may use its credential'));
  }
  if (row.binding === 'user' && shared) {
    findings.push(
      finding(
        'P013',
        FILE,
        [...keys, 'binding'],
        "a project's members share the workspace, so one could poison what runs with another's credential",
      ),
    );
  }
  return findings;
}

function suggest(manifest: Manifest, surface: Surface, verb_key: string, row: PolicyRow): Finding[] {
  const findings: Finding[] = [];
  const words = wordsOf(verb_key);
  if (row.operation !== 'read' && row.confirm !== 'always' && words.some((word) => PAYING_WORDS.includes(word))) {
    findings.push(
      finding(
        'P007',
        FILE,
        ['commands', verb_key, 'confirm'],
        'a command that pays or transfers should ask in every mode',
        '"confirm": "always"',
      ),
    );
  }
  const command = findCommand({ surface }, verb_key);
  // The arguments of an API come with its document, and the view is inferred from them.
  const unknown_args = manifest.kind === 'openapi' && command?.args === undefined;
  if (command !== null && row.confirm !== false && command.preview === undefined && !unknown_args) {
    findings.push(
      finding(
        'M025',
        'surface.json',
        ['commands', verb_key, 'preview'],
        'a command that asks should say what the person sees',
        JSON.stringify(suggestPreview(manifest, verb_key, command)),
      ),
    );
  }
  return findings;
}
