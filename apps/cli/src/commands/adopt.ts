import { chmod, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { denyRules } from '../adopt/deny-rules.js';
import { mergeServers, mergeSettings, type Merged } from '../adopt/merge.js';
import type { CommonOptions, Context } from '../context.js';
import { Failure, usage } from '../failure.js';
import { diffLines } from '../ui/diff.js';
import { findProgram } from '../wrap/find-program.js';
import { leaf, optionsOf } from './leaf.js';

interface ClaudeOptions extends CommonOptions {
  readonly user?: boolean;
  readonly mcp?: boolean;
  readonly dryRun?: boolean;
}

/** A file, as it is and as it should be. */
interface Change {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

const CODEX = `# For ~/.codex/config.toml. Whatever Codex runs in its shell then counts as an agent's.
# Where include_only is set, it needs "HCP_AGENT" too.
[shell_environment_policy]
set = { HCP_AGENT = "1" }
`;

const CODEX_MCP = `
[mcp_servers.hcp]
command = "hcpx"
args = ["mcp"]
`;

/** SPEC I3: makes what another program runs count as an agent's. */
export function registerAdopt(program: Command, context: Context): void {
  const adopt = program.command('adopt').description('Let what a coding agent runs count as an agent’s');

  leaf(adopt, 'claude', 'Set HCP_AGENT for Claude Code here, and deny its tools the access commands')
    .option('--user', 'in ~/.claude, for all projects, instead of .claude of this folder')
    .option('--mcp', 'also register hcpx mcp in .mcp.json of this folder')
    .option('--dry-run', 'show what would change, and write nothing')
    .action(async (_options: unknown, command: Command) => claude(context, optionsOf<ClaudeOptions>(command)));

  leaf(adopt, 'codex', 'Print what sets HCP_AGENT for Codex; nothing is written')
    .option('--mcp', 'also what registers hcpx mcp')
    .action((_options: unknown, command: Command) => {
      const options = optionsOf<CommonOptions & { mcp?: boolean }>(command);
      const toml = options.mcp === true ? `${CODEX}${CODEX_MCP}` : CODEX;
      if (options.json === true) context.ui.json({ toml });
      else context.ui.block(toml);
    });
}

async function claude(context: Context, options: ClaudeOptions): Promise<void> {
  const { io, ui } = context;
  if (options.user === true && options.mcp === true) {
    throw usage('--mcp registers the server of one project', 'Leave out --user.');
  }
  const { user_home, home } = io.env;
  const settings = join(options.user === true ? user_home : io.cwd, '.claude', 'settings.json');
  const rules = denyRules(resolve(io.cwd, home), user_home);
  // All is worked out before anything is written.
  const changes = [
    await plan(settings, (text) => mergeSettings(text, rules)),
    ...(options.mcp === true ? [await plan(join(io.cwd, '.mcp.json'), mergeServers)] : []),
  ];
  if (options.mcp === true) await warnUnlessOnPath(context);
  const wanted = changes.filter(({ before, after }) => before !== after);
  const write = options.dryRun !== true;
  if (write) for (const change of wanted) await save(change);
  if (options.json === true) {
    ui.json({
      ok: true,
      written: write,
      files: changes.map(({ path, before, after }) => ({ path, changed: before !== after, content: after })),
    });
    return;
  }
  for (const { path, before, after } of wanted) {
    ui.line(ui.style('bold', ui.safe(path)));
    for (const line of diffLines(before ?? '', after)) ui.line(ui.safe(line));
  }
  if (wanted.length === 0) ui.note('nothing to change: it is adopted already');
  else if (write) ui.note(`${ui.style('green', '✓', 'err')} written; it counts for sessions that begin from now on`);
  else ui.note('nothing is written (--dry-run)');
}

/** The server is started by its name, as everyone who shares the file has it. */
async function warnUnlessOnPath({ io, ui }: Context): Promise<void> {
  const found = await findProgram('hcpx', { cwd: io.cwd, path: io.env.path }).catch(() => null);
  if (found !== null) return;
  ui.note(
    `${ui.style('yellow', 'warning:', 'err')} hcpx is not on PATH here; Claude Code starts the server by that name`,
  );
}

async function plan(path: string, merge: (text: string | null) => Merged): Promise<Change> {
  const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Failure(`${path} cannot be read (${error.code ?? 'unknown'})`, 'Nothing was written.');
  });
  const merged = merge(before);
  if (!merged.ok) throw new Failure(`${path} ${merged.why}`, 'Nothing was written. Mend the file, then run it again.');
  return { path, before, after: merged.text };
}

/** Whole or not at all, and through a link to where the file really is. */
async function save({ path, before, after }: Change): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const target = before === null ? path : await realpath(path);
    const part = `${target}.${process.pid}.part`;
    // Whoever could not read it, with the tokens that may stand in it, cannot read it afterwards, nor the part meanwhile.
    const mode = before === null ? null : (await stat(target)).mode & 0o777;
    await writeFile(part, after, { flag: 'wx', ...(mode !== null && { mode: 0o600 }) });
    if (mode !== null) await chmod(part, mode);
    await rename(part, target);
  } catch (error) {
    throw new Failure(
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      'Check the rights.',
    );
  }
}
