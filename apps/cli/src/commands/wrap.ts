import { realpath, stat } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import {
  checkPack,
  draftApiPack,
  draftPack,
  HCP_CLI_PACK_ID,
  PACK_ID,
  WORKSPACE_MODES,
  type Draft,
  type WorkspaceMode,
} from '@hcp/core';
import { MAX_ARCHIVE_BYTES } from '@hcp/contracts';
import { type Command, Option } from 'commander';
import { shellLine } from '../args/shell.js';
import type { CommonOptions, Context } from '../context.js';
import { Failure, usage } from '../failure.js';
import { readDocument } from '../wrap/api-document.js';
import { findProgram } from '../wrap/find-program.js';
import { programHelp } from '../wrap/program-help.js';
import { refuseFull, writeDraft, type DraftFiles } from '../wrap/write-draft.js';
import { showFindings } from './check.js';
import { leaf, optionsOf } from './leaf.js';

interface WrapOptions extends CommonOptions {
  readonly out?: string;
  readonly packId?: string;
  readonly name?: string;
  readonly copy?: boolean;
  readonly workspace: WorkspaceMode;
  readonly force?: boolean;
}

/** Where the program is, and how the pack names it. */
interface Bin {
  readonly path: string;
  /** `wrap.bin`. */
  readonly bin: string;
  readonly copy: DraftFiles['copy'];
  /** It lies in the pack, or will. */
  readonly own: boolean;
}

/** SPEC P6. */
export function registerWrap(program: Command, context: Context): void {
  leaf(
    program,
    'wrap <bin>',
    'Draft a pack from a program’s --help and its commands’, or from an OpenAPI document (.json)',
  )
    .option('--out <dir>', 'the folder to make (default: one of the pack’s id, here)')
    .option('--pack-id <id>', 'id of the pack (default: from the program’s name)')
    .option('--name <name>', 'what the pack is called (default: the program’s name)')
    .option('--copy', 'copy the program, a single file, into the pack')
    .addOption(
      new Option('--workspace <mode>', 'where its commands run').choices([...WORKSPACE_MODES]).default('workspace'),
    )
    .option('--force', 'write into a folder that is not empty, and replace an earlier draft')
    .addHelpText(
      'after',
      '\nIt runs the program on this machine: with --help alone, in an empty folder, without input.',
    )
    .action(async (bin: string, _options: unknown, command: Command) =>
      wrap(context, bin, optionsOf<WrapOptions>(command)),
    );
}

async function wrap(context: Context, named: string, options: WrapOptions): Promise<void> {
  const { io } = context;
  const document = await readDocument(resolve(io.cwd, named));
  const path =
    document === null ? await findProgram(named, { cwd: io.cwd, path: io.env.path }) : resolve(io.cwd, named);
  const pack_id = options.packId ?? packIdOf(document?.title ?? basename(path));
  if (!PACK_ID.test(pack_id) || pack_id === HCP_CLI_PACK_ID) {
    throw usage(
      'that is no id for a pack',
      'Give --pack-id: 2 to 63 lower-case letters, digits and -, such as ledger.',
    );
  }
  const dir = resolve(io.cwd, options.out ?? pack_id);
  if (options.force !== true) await refuseFull(dir);
  if (document !== null) {
    const draft = draftApiPack({ pack_id, name: options.name ?? document.title, document: document.value });
    return finish(context, draft, { dir, copy: null, bin: null, openapi: document.text }, options);
  }
  const program = basename(path);
  const bin = await placeBin(path, dir, options.copy === true);
  const help = await programHelp({ path, search_path: io.env.path, user_home: io.env.user_home, signal: io.signal });
  if (help.text.trim() === '') {
    throw new Failure(
      `${program} prints no help`,
      'Write the three files by hand; docs/guides/wrap-your-own-cli.md shows how.',
    );
  }
  const name = options.name ?? program;
  const draft = draftPack({ pack_id, name, bin: bin.bin, program, workspace: options.workspace, help });
  await finish(context, draft, { dir, copy: bin.copy, bin, openapi: null }, options);
}

interface Place {
  readonly dir: string;
  readonly copy: DraftFiles['copy'];
  readonly bin: Bin | null;
  /** Of an API: its document. */
  readonly openapi: string | null;
}

/** Checks the draft, writes it and says what is next. */
async function finish(
  context: Context,
  draft: Draft,
  { dir, copy, bin, openapi }: Place,
  options: WrapOptions,
): Promise<void> {
  const { io, ui } = context;
  const files = filesOf(draft, copy, openapi);
  const { findings, pack } = checkPack({
    manifest: files.texts['manifest.json'] ?? '',
    surface: files.texts['surface.json'] ?? '',
    policy: files.texts['policy.json'] ?? '',
    skill: files.texts['SKILL.md'] ?? '',
    ...(openapi !== null && { openapi }),
    paths: [...Object.keys(files.texts), ...(bin?.own === true ? [bin.bin] : [])],
  });
  if (pack === null || Object.keys(draft.surface.commands).length === 0) {
    showFindings(context, findings);
    throw new Failure('no pack can be made of it as it is', 'Nothing was written. The findings above say why.');
  }
  await writeDraft(dir, files);
  if (options.json === true) {
    const written = [...Object.keys(files.texts), ...(files.copy === null ? [] : [files.copy.to])];
    ui.json({
      ok: true,
      dir,
      pack_id: draft.manifest.pack_id,
      ...(bin !== null && { bin: bin.bin }),
      files: written,
      policy: draft.policy.commands,
      notes: draft.notes,
      findings,
    });
    return;
  }
  show(context, draft, { bin, files: Object.keys(files.texts), dir: shownDir(io.cwd, dir) });
}

/** As one would type it from here; whole where it is elsewhere. */
function shownDir(cwd: string, dir: string): string {
  const below = relative(cwd, dir);
  return below.startsWith('..') ? dir : below || '.';
}

/** In the pack by a path; as a plain name it is the operator's to allow. */
async function placeBin(path: string, dir: string, copy: boolean): Promise<Bin> {
  const name = basename(path);
  const inside = relative(dir, path);
  if (!inside.startsWith('..') && inside !== '')
    return { path, bin: inside.split(sep).join('/'), copy: null, own: true };
  if (!copy) return { path, bin: name, copy: null, own: false };
  const from = await realpath(path);
  if ((await stat(from)).size > MAX_ARCHIVE_BYTES) {
    throw new Failure(
      `${name} is larger than a pack may be`,
      'Leave out --copy, and ask the operator to allow the program.',
    );
  }
  return { path, bin: `bin/${name}`, copy: { from, to: `bin/${name}` }, own: true };
}

function packIdOf(program: string): string {
  const plain = program
    .toLowerCase()
    .replace(/\.[a-z0-9]{1,5}$/, '')
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  return (plain.length === 1 ? `${plain}-cli` : plain).slice(0, 63);
}

function filesOf(
  { manifest, surface, policy, skill }: Draft,
  copy: DraftFiles['copy'],
  openapi: string | null,
): DraftFiles {
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  return {
    texts: {
      'manifest.json': json(manifest),
      'surface.json': json(surface),
      'policy.json': json(policy),
      'SKILL.md': skill,
      ...(openapi !== null && { 'openapi.json': openapi }),
    },
    copy,
  };
}

function show(
  { ui }: Context,
  draft: Draft,
  { dir, bin, files }: { dir: string; bin: Bin | null; files: readonly string[] },
): void {
  ui.table(
    ['COMMAND', 'OPERATION', 'ASKS', 'WHAT'],
    Object.entries(draft.policy.commands).map(([verb_key, { operation, confirm }]) => [
      verb_key,
      operation,
      confirm === false ? '-' : confirm === true ? 'yes' : confirm,
      draft.surface.commands[verb_key]?.description ?? '',
    ]),
  );
  for (const note of draft.notes) ui.note(`note: ${ui.safe(note)}`);
  ui.note(`${ui.style('green', '✓', 'err')} drafted ${draft.manifest.pack_id} in ${ui.safe(dir)}: ${files.join(', ')}`);
  ui.note('Look it over: what reads, what asks and which arguments there are is a guess from names.');
  if (bin?.own === false) {
    ui.note(
      `${ui.safe(bin.bin)} is not in the pack: the operator of the API allows it with HCP_ALLOWED_BINS=${ui.safe(`${bin.bin}=${bin.path}`)} (its path there).`,
    );
  }
  const [check, push] = [
    ['hcpx', 'check', dir],
    ['hcpx', 'pack', 'push', dir, '--activate'],
  ].map(shellLine);
  ui.note(`Then: ${ui.safe(check ?? '')}`);
  ui.note(`      ${ui.safe(push ?? '')}`);
}
