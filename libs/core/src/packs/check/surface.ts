import { CONTROL_WORDS } from '../../args/control.js';
import { SWITCH_FLAG } from '../../argv/switches.js';
import {
  hasMalformedPlaceholder,
  isBareFlag,
  isBare,
  isLiteral,
  parseToken,
  placeholdersOf,
} from '../../argv/template.js';
import { mcpToolName } from '../../mcp/name.js';
import { argSchema, declaresArg } from '../lookup.js';
import { isWrapped, type Manifest } from '../manifest.js';
import type { Finding } from '../pack.js';
import type { Command, JsonSchema, Surface } from '../surface.js';
import { finding } from './findings.js';
import { checkPreview } from './preview.js';

const FILE = 'surface.json';

/** Says why a schema cannot be used, or null; the host has a JSON Schema compiler, core has none. */
export type SchemaError = (schema: JsonSchema) => string | null;

/** Findings in the surface, with the manifest's template (SPEC P3, P5). */
export function checkSurface(manifest: Manifest, surface: Surface, schema_error: SchemaError | undefined): Finding[] {
  const findings: Finding[] = [];
  for (const [verb_key, command] of Object.entries(surface.commands)) {
    const keys = ['commands', verb_key];
    findings.push(
      ...checkArgs(manifest, command, keys, schema_error),
      ...checkCommandLine(manifest, command, keys),
      ...checkPreview(manifest, verb_key, command),
      ...checkOperationNames(manifest, command, keys),
    );
  }
  if (isWrapped(manifest)) findings.push(...checkTemplate(manifest, surface));
  return [...findings, ...checkToolNames(manifest, surface)];
}

function checkArgs(
  manifest: Manifest,
  command: Command,
  keys: string[],
  schema_error: SchemaError | undefined,
): Finding[] {
  const { args } = command;
  if (args === undefined) return [];
  const at = [...keys, 'args'];
  const findings: Finding[] = [];
  const why = schema_error?.(args) ?? null;
  if (why !== null) findings.push(finding('M020', FILE, at, why));
  for (const name of args.required ?? []) {
    if (!declaresArg(command, name)) {
      findings.push(
        finding('M018', FILE, [...at, 'required'], `${name} is required and not declared, so no call could pass`),
      );
    }
  }
  const positions = new Set<unknown>();
  for (const [name, schema] of Object.entries(args.properties ?? {})) {
    const here = [...at, 'properties', name];
    const template_has_verb = command.cli === undefined && manifest.wrap?.argv_template !== undefined;
    if (name === 'verb' && template_has_verb) {
      findings.push(
        finding(
          'M019',
          FILE,
          here,
          '{{verb}} is the command in argv_template',
          'Name the argument otherwise, or give cli[].',
        ),
      );
    }
    findings.push(...checkSwitch(command, name, here));
    const position = schema['x-position'];
    if (position === undefined) continue;
    if (positions.has(position)) findings.push(finding('M021', FILE, here, 'has the x-position of another argument'));
    positions.add(position);
  }
  return findings;
}

/** A switch that could not be told from a value would render `true`, or swallow the next word. */
function checkSwitch(command: Command, name: string, at: string[]): Finding[] {
  const schema = argSchema(command, name) ?? {};
  const flag = schema['x-switch'];
  if (flag === undefined) return [];
  const here = [...at, 'x-switch'];
  if (typeof flag !== 'string' || !SWITCH_FLAG.test(flag)) {
    return [finding('M032', FILE, here, 'is no flag without a value', 'For example "--force".')];
  }
  if (schema['type'] !== 'boolean') return [finding('M032', FILE, here, 'needs "type": "boolean"')];
  const tokens = (command.cli ?? []).slice(1).map(parseToken);
  const alone = tokens.every((token, index) => {
    const before = tokens[index - 1];
    return !token.names.includes(name) || (isBare(token) && (before === undefined || !isBareFlag(before)));
  });
  return alone
    ? []
    : [finding('M032', FILE, here, `wants {{${name}}} as a token of its own, without a flag in front of it`)];
}

function checkCommandLine(manifest: Manifest, command: Command, keys: string[]): Finding[] {
  if (!isWrapped(manifest)) return [];
  if (command.cli === undefined) {
    return manifest.wrap?.argv_template === undefined
      ? [finding('M010', FILE, keys, 'has neither cli[] nor an argv_template in the manifest')]
      : [];
  }
  const findings: Finding[] = [];
  for (const [index, source] of command.cli.entries()) {
    const token = parseToken(source);
    const at = [...keys, 'cli', index];
    if (hasMalformedPlaceholder(token)) findings.push(finding('M012', FILE, at, 'has braces that are no {{name}}'));
    if (index === 0) {
      if (!isLiteral(token))
        findings.push(finding('M012', FILE, at, "is the program's name and cannot be a placeholder"));
      continue;
    }
    for (const name of token.names) {
      const control = (CONTROL_WORDS as readonly string[]).includes(name);
      if (declaresArg(command, name) || (command.args === undefined && !control)) continue;
      const why = control
        ? 'is a control word and renders nothing unless args declares it'
        : 'is no argument of the command';
      findings.push(finding('M011', FILE, at, `{{${name}}} ${why}`, `Declare ${name} in args.properties.`));
    }
    findings.push(...checkRisk(token.source, command.cli[index - 1], at));
  }
  const used = placeholdersOf(command.cli);
  for (const name of Object.keys(command.args?.properties ?? {})) {
    if (used.has(name) || (CONTROL_WORDS as readonly string[]).includes(name)) continue;
    findings.push(
      finding(
        'M022',
        FILE,
        [...keys, 'args', 'properties', name],
        `${name} is never rendered`,
        `Add {{${name}}} to cli[].`,
      ),
    );
  }
  return findings;
}

function checkRisk(source: string, before: string | undefined, at: (string | number)[]): Finding[] {
  const token = parseToken(source);
  if (/^-{1,2}$/.test(token.parts[0] ?? '') && !isLiteral(token)) {
    return [finding('M023', FILE, at, 'lets a value name any option')];
  }
  const dangling = !isLiteral(token) && !isBare(token) && !source.startsWith('-') && before !== undefined;
  return dangling && isBareFlag(parseToken(before))
    ? [
        finding(
          'M023',
          FILE,
          at,
          'is left out without its flag when a value is missing, and the flag then takes the next word',
          `Write ${before}=… as one token.`,
        ),
      ]
    : [];
}

/** The manifest's template serves every command without cli[]: a placeholder must be an argument of at least one. */
function checkTemplate({ wrap }: Manifest, surface: Surface): Finding[] {
  const served = Object.values(surface.commands).filter(({ cli }) => cli === undefined);
  // A command that declares no args takes any name, besides control words.
  const open = served.some(({ args }) => args === undefined);
  return (wrap?.argv_template ?? []).flatMap((source, index) => {
    const token = parseToken(source);
    const at = ['wrap', 'argv_template', index];
    const malformed = hasMalformedPlaceholder(token)
      ? [finding('M012', 'manifest.json', at, 'has braces that are no {{name}}')]
      : [];
    const known = (name: string): boolean =>
      name === 'verb' || (open && !isControl(name)) || served.some((command) => declaresArg(command, name));
    const unknown = served.length === 0 ? [] : token.names.filter((name) => !known(name));
    return [
      ...malformed,
      ...unknown.map((name) =>
        finding('M011', 'manifest.json', at, `{{${name}}} is no argument of a command without cli[]`),
      ),
    ];
  });
}

const isControl = (name: string): boolean => (CONTROL_WORDS as readonly string[]).includes(name);

/** What only a pack of an API says, and what none says itself (SPEC W7). */
function checkOperationNames({ kind }: Manifest, command: Command, keys: string[]): Finding[] {
  const findings: Finding[] = [];
  if (command.operation_id !== undefined && kind !== 'openapi') {
    findings.push(finding('M028', FILE, [...keys, 'operation_id'], `kind ${kind} has no operations`));
  }
  if (command.request !== undefined) {
    findings.push(finding('M028', FILE, [...keys, 'request'], 'is made from openapi.json', 'Remove it.'));
  }
  return findings;
}

/** `ledger__plan_show` for both `plan.show` and `plan_show`: an agent could not tell them apart (SPEC P5, I2). */
function checkToolNames({ pack_id }: Manifest, surface: Surface): Finding[] {
  const seen = new Map<string, string>();
  const findings: Finding[] = [];
  for (const verb_key of Object.keys(surface.commands)) {
    const tool = mcpToolName(pack_id, verb_key);
    const first = seen.get(tool);
    if (first === undefined) seen.set(tool, verb_key);
    else
      findings.push(
        finding('M013', FILE, ['commands', verb_key], `and ${first} are both the MCP tool ${tool}`, 'Rename one.'),
      );
  }
  return findings;
}
