import { placeholdersOf } from '../argv/template.js';
import type { Family, WorkspaceMode, Manifest } from './manifest.js';
import type { Pack } from './pack.js';
import type { PolicyRow } from './policy.js';
import type { Command } from './surface.js';

/** The command's surface entry; null where there is none. Inherited names such as `constructor` are no commands. */
export function findCommand(pack: Pick<Pack, 'surface'>, verb_key: string): Command | null {
  const { commands } = pack.surface;
  return Object.hasOwn(commands, verb_key) ? (commands[verb_key] ?? null) : null;
}

/** The command's policy row, or null. */
export function findPolicyRow(pack: Pick<Pack, 'policy'>, verb_key: string): PolicyRow | null {
  const { commands } = pack.policy;
  return Object.hasOwn(commands, verb_key) ? (commands[verb_key] ?? null) : null;
}

/** Whose credential the command runs with: the policy row's word, else the manifest's (SPEC P4, B1). */
export function commandFamily(pack: Pick<Pack, 'manifest' | 'policy'>, verb_key: string): Family {
  return findPolicyRow(pack, verb_key)?.binding ?? pack.manifest.binding.family;
}

/** Where the pack's commands run; the read-only pack directory unless the manifest says otherwise (SPEC W5). */
export function workspaceMode(manifest: Manifest): WorkspaceMode {
  return manifest.wrap?.workspace?.mode ?? 'pack';
}

/** Whether the command's JSON Schema declares an argument of this name. */
export function declaresArg(command: Command, name: string): boolean {
  const properties = command.args?.properties;
  return properties !== undefined && Object.hasOwn(properties, name);
}

/** The schema of one declared argument, or null. */
export function argSchema(command: Command, name: string): Readonly<Record<string, unknown>> | null {
  const properties = command.args?.properties;
  return properties !== undefined && Object.hasOwn(properties, name) ? (properties[name] ?? null) : null;
}

/**
 * Every name that a call may give the command: what its schema declares and what its template names. The manifest's
 * `argv_template` counts where the command has no `cli[]`; its `{{verb}}` is the runtime's own.
 */
export function argumentNames(manifest: Manifest, command: Command): ReadonlySet<string> {
  const template = command.cli ?? ['', ...(manifest.wrap?.argv_template ?? [])];
  const names = new Set([...Object.keys(command.args?.properties ?? {}), ...placeholdersOf(template)]);
  if (command.cli === undefined && !declaresArg(command, 'verb')) names.delete('verb');
  return names;
}
