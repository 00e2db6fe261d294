import { suggestPreview } from '../check/suggest-preview.js';
import { mcpToolName } from '../../mcp/name.js';
import type { Manifest, WorkspaceMode } from '../manifest.js';
import type { Policy } from '../policy.js';
import type { Command, Surface } from '../surface.js';
import { classify } from './classify.js';
import { cleanLines, prose } from './clean.js';
import { commandOf, type Sketch } from './draft-command.js';
import { draftSkill } from './draft-skill.js';
import type { ProgramHelp } from './help-page.js';
import { verbKeyOf } from './names.js';
import { parseHelp } from './parse-help.js';
import { planCommands } from './plan.js';

/** Commands of one pack: a person has to look them all over. */
export const MAX_DRAFTED = 100;

export interface DraftRequest {
  readonly pack_id: string;
  readonly name: string;
  /** `wrap.bin` of the manifest. */
  readonly bin: string;
  /** The program's own name, first of each command line. */
  readonly program: string;
  readonly workspace: WorkspaceMode;
  readonly help: ProgramHelp;
}

/** A pack to look over, and what to look at. */
export interface Draft {
  readonly manifest: Manifest;
  readonly surface: Surface;
  readonly policy: Policy;
  readonly skill: string;
  /** What was left out or guessed, in words. */
  readonly notes: readonly string[];
}

interface Drafted {
  readonly verb_key: string;
  readonly words: readonly string[];
  readonly start: readonly string[];
  readonly sketch: Sketch;
}

/**
 * Drafts a pack from a program's help (SPEC P6). Everything in it is a guess from names: what is not known to read writes,
 * and what is not known to be harmless asks. The draft passes the check without errors.
 */
export function draftPack(request: DraftRequest): Draft {
  const { pack_id, name, bin, program, workspace, help } = request;
  const root = parseHelp(help.text);
  const { plans, notes } = planCommands(program, root, help);
  const { drafted, dropped } = uniquely(
    pack_id,
    plans.map((plan) => ({ ...plan, verb_key: verbKeyOf(plan.words) })),
  );
  const shared = root.commands.length > 0 && root.options.some(isJsonSwitch);
  const json_everywhere = drafted.length > 0 && drafted.every(({ sketch }) => sketch.json === '--json');
  const manifest: Manifest = {
    pack_id,
    name,
    version: '0.1.0',
    description: prose(root.summary, 500) || `Runs ${program}.`,
    kind: 'wrap',
    binding: { family: 'local' },
    wrap: { bin, json_flag: json_everywhere ? '--json' : false, workspace: { mode: workspace } },
  };
  const commands: Record<string, Command> = {};
  const rows: Policy['commands'] = {};
  for (const { verb_key, start, sketch } of drafted) {
    const guess = classify(verb_key, sketch.consent.length > 0);
    const asks = guess.confirm !== false;
    const literals = [
      ...(sketch.json !== null && !json_everywhere ? [sketch.json] : []),
      ...sketch.fixed,
      // The gate asks in its place.
      ...(asks ? sketch.consent.slice(0, 1) : []),
    ];
    const first = shared && sketch.json === null ? ['--json', ...start] : start;
    const command = commandOf(program, first, sketch, literals);
    commands[verb_key] = {
      ...command,
      ...(asks ? { preview: suggestPreview(manifest, verb_key, command) } : {}),
      ...(guess.operation === 'read' ? { idempotent: true } : {}),
    };
    rows[verb_key] = { ...guess, privacy: { land: workspace === 'project' ? 'local' : 'personal' } };
  }
  const surface: Surface = { commands };
  const policy: Policy = { commands: rows };
  const left = drafted.flatMap(({ verb_key, sketch }) =>
    [...sketch.left_out].map(([why, flags]) => `${verb_key}: without ${flags.join(', ')}: ${why}`),
  );
  return {
    manifest,
    surface,
    policy,
    skill: draftSkill(name, manifest.description, surface, policy),
    notes: [...notes, ...dropped, ...left],
  };
}

/** What the program lists as its commands, for whoever asks each for its help. */
export const listedCommands = (text: string): string[] => parseHelp(text).commands.map(({ name }) => name);

/** Whether a text says nothing of use, or is the page of a manual, which `-h` may say shorter. */
export function isPoorHelp(text: string): boolean {
  const { usages, options, commands } = parseHelp(text);
  const manual = /^[A-Z0-9_-]+\(\d\w*\)/.test(cleanLines(text).find((line) => line !== '') ?? '');
  return manual || usages.length + options.length + commands.length === 0;
}

const isJsonSwitch = ({ names, value }: { names: readonly string[]; value: string | null }): boolean =>
  value === null && names.includes('--json');

/** One command for each name that a caller and an agent can tell apart. */
function uniquely(pack_id: string, all: readonly Drafted[]): { drafted: Drafted[]; dropped: string[] } {
  const seen = new Set<string>();
  const drafted: Drafted[] = [];
  const dropped: string[] = [];
  for (const each of all) {
    const tool = mcpToolName(pack_id, each.verb_key);
    if (seen.has(tool)) dropped.push(`${each.words.join(' ')}: left out, its name is that of another command`);
    else if (drafted.length === MAX_DRAFTED)
      dropped.push(`${each.verb_key}: left out, a draft has ${MAX_DRAFTED} commands`);
    else drafted.push(each);
    seen.add(tool);
  }
  return { drafted, dropped };
}
