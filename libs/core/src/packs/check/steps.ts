import { CONTROL_WORDS } from '../../args/control.js';
import { declaresArg } from '../lookup.js';
import type { Manifest } from '../manifest.js';
import type { Finding } from '../pack.js';
import { hasStrayBraces, stepOf, stepPlaceholders, type Step } from '../steps.js';
import type { Command, Surface } from '../surface.js';
import { finding } from './findings.js';

const FILE = 'surface.json';

/** Findings in the steps of a composite's commands, and in steps where none belong (SPEC W6). */
export function checkSteps(manifest: Manifest, surface: Surface): Finding[] {
  const findings: Finding[] = [];
  if (manifest.kind === 'composite' && manifest.binding.family !== 'public') {
    const why = 'a composite has no credential: each of its steps has its own';
    findings.push(finding('M033', 'manifest.json', ['binding', 'family'], why, 'Write "family": "public".'));
  }
  for (const [verb_key, command] of Object.entries(surface.commands)) {
    const keys = ['commands', verb_key, 'steps'];
    const { steps } = command;
    if (manifest.kind !== 'composite') {
      if (steps !== undefined) findings.push(finding('M033', FILE, keys, `kind ${manifest.kind} has no steps`));
    } else if (steps === undefined) {
      findings.push(finding('M033', FILE, keys, 'a command of a composite needs its steps'));
    } else findings.push(...steps.flatMap((step, at) => checkStep(command, steps.slice(0, at), step, [...keys, at])));
  }
  if (manifest.kind === 'composite') findings.push(...checkCycles(manifest, surface));
  return findings;
}

function checkStep(command: Command, earlier: readonly Step[], step: Step, keys: PropertyKey[]): Finding[] {
  const findings: Finding[] = [];
  const tell = (at: PropertyKey, why: string): unknown => findings.push(finding('M033', FILE, [...keys, at], why));
  if (earlier.some(({ name }) => name === step.name)) tell('name', 'is the name of another step');
  if (step.name === 'steps') tell('name', 'is the word for the steps themselves');
  for (const word of CONTROL_WORDS) {
    if (Object.hasOwn(step.args, word)) tell('args', `${word} is the caller's word, never a pack's`);
  }
  if (hasStrayBraces(step.args)) tell('args', 'has braces that are no {{name}}');
  for (const placeholder of new Set(stepPlaceholders(step.args))) {
    const of = stepOf(placeholder);
    if (of !== null && !earlier.some(({ name }) => name === of)) {
      tell('args', `{{${placeholder}}} names no earlier step`);
    } else if (of === null && !declaresArg(command, placeholder)) {
      tell('args', `{{${placeholder}}} is no argument of the command`);
    }
  }
  return findings;
}

/**
 * Steps within the pack that lead back to where they began. Those of other packs are found when the call is decided. What
 * leads to commands that end, ends: each is looked at once, because the ways between them may be without number.
 */
function checkCycles({ pack_id }: Manifest, { commands }: Surface): Finding[] {
  const open = new Map<string, number>();
  const leading = new Map<string, string[]>();
  for (const [verb_key, { steps = [] }] of Object.entries(commands)) {
    const inner = steps.flatMap((step) =>
      (step.pack_id ?? pack_id) === pack_id && Object.hasOwn(commands, step.verb_key) ? [step.verb_key] : [],
    );
    open.set(verb_key, inner.length);
    for (const to of inner) {
      const from = leading.get(to);
      if (from) from.push(verb_key);
      else leading.set(to, [verb_key]);
    }
  }
  const ending = [...open].flatMap(([verb_key, left]) => (left === 0 ? [verb_key] : []));
  for (let each = ending.pop(); each !== undefined; each = ending.pop()) {
    open.delete(each);
    for (const from of leading.get(each) ?? []) {
      const left = (open.get(from) ?? 0) - 1;
      open.set(from, left);
      if (left === 0) ending.push(from);
    }
  }
  return [...open.keys()].map((verb_key) =>
    finding('M033', FILE, ['commands', verb_key, 'steps'], 'lead back to where they began'),
  );
}
