import { items } from '@hcp/sdk';
import type { PackSummary } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { archivePack } from '../pack/archive.js';
import { type PackFile, readPackDir } from '../pack/read-dir.js';
import { showFindings } from './check.js';
import { type Client, given } from './group.js';
import { optionalProject } from './names.js';
import { leaf, optionsOf } from './leaf.js';

interface PackOptions extends CommonOptions {
  readonly activate?: boolean;
  readonly project?: string;
  readonly version?: string;
}

interface RollbackOptions extends CommonOptions {
  readonly from?: string;
  readonly project?: string;
}

export function registerPack(program: Command, context: Context): void {
  const pack = program.command('pack').description('Install and activate packs');

  leaf(pack, 'push <dir>', 'Install a version of a pack from a folder; names that begin with a dot stay out')
    .option('--activate', 'activate it at once')
    .option('--project <id>', 'activate it in this project alone: name or id')
    .action(async (dir: string, _options: unknown, command: Command) =>
      push(context, dir, optionsOf<PackOptions>(command)),
    );

  leaf(pack, 'list', 'List installed packs').action(async (_options: unknown, command: Command) =>
    list(context, optionsOf(command)),
  );

  leaf(pack, 'activate <pack>', 'Activate an installed version, also an older one')
    .option('--version <version>', 'which one (default: the newest)')
    .option('--project <id>', 'in this project alone: name or id')
    .action(async (pack_id: string, _options: unknown, command: Command) => {
      const options = optionsOf<PackOptions>(command);
      const { ui } = context;
      const hcp = await context.hcp(options);
      const active = await hcp.api.packs.activate(pack_id, await activation(hcp, options, options.version));
      if (options.json === true) ui.json(active);
      else ui.note(`${ui.safe(active.pack_id)} ${active.version} is active ${where(active.project_id)}`);
    });

  leaf(pack, 'versions <pack>', 'List the versions of a pack, newest first, and where each is active').action(
    async (pack_id: string, _options: unknown, command: Command) => versions(context, pack_id, optionsOf(command)),
  );

  leaf(pack, 'rollback <pack>', 'Go back to the version that was active before')
    .option('--from <version>', 'refuse unless this version is active by now')
    .option('--project <id>', 'in this project alone: name or id')
    .action(async (pack_id: string, _options: unknown, command: Command) =>
      rollback(context, pack_id, optionsOf<RollbackOptions>(command)),
    );

  leaf(pack, 'deactivate <pack>', 'Stop new runs of a pack at once')
    .option('--project <id>', 'in this project alone: name or id')
    .action(async (pack_id: string, _options: unknown, command: Command) => {
      const options = optionsOf<PackOptions>(command);
      const hcp = await context.hcp(options);
      const project_id = await optionalProject(hcp, options.project);
      await hcp.api.packs.deactivate(pack_id, given({ project_id }));
      if (options.json === true) context.ui.json({ ok: true, pack_id });
      else context.ui.note(`${context.ui.safe(pack_id)} is no longer active ${where(project_id ?? null)}`);
    });
}

async function push(context: Context, dir: string, options: PackOptions): Promise<void> {
  const { ui } = context;
  const files = await readPackDir(dir);
  const archive = await archivePack(files);
  const hcp = await context.hcp(options);
  const { api } = hcp;
  // Looked up first: a misspelt project installs nothing.
  const wanted = await activation(hcp, options, undefined);
  const installed = await api.packs.install(archive);
  const activated =
    options.activate === true || options.project !== undefined
      ? await api.packs.activate(installed.pack_id, { ...wanted, version: installed.version })
      : null;
  if (options.json === true) {
    ui.json({ ...installed, activated: activated !== null });
    return;
  }
  if (installed.findings.length > 0) showFindings(context, installed.findings);
  ui.note(
    `${ui.style('green', '✓', 'err')} installed ${installed.pack_id} ${installed.version} ${ui.dim(installed.digest, 'err')}`,
  );
  warnOfBin(context, files);
  if (activated === null)
    ui.note(`  activate it with: hcpx pack activate ${installed.pack_id} --version ${installed.version}`);
  else ui.note(`  active ${where(activated.project_id)}`);
}

/** A program that the pack does not bring runs only where the operator of the API allows it; which, only they know. */
function warnOfBin({ ui }: Context, files: readonly PackFile[]): void {
  const text = files.find(({ path }) => path === 'manifest.json')?.content.toString('utf8') ?? '{}';
  const bin = (JSON.parse(text) as { wrap?: { bin?: string } }).wrap?.bin;
  if (bin === undefined || files.some(({ path }) => path === bin.replace(/^\.\//, ''))) return;
  ui.note(
    `${ui.style('yellow', 'warning:', 'err')} ${ui.safe(bin)} is no file of the pack: its commands run only where the operator of the API allows that program`,
  );
}

async function versions(context: Context, pack_id: string, options: CommonOptions): Promise<void> {
  const pack = await (await context.hcp(options)).api.packs.get(pack_id);
  const active = (version: string): string =>
    pack.activations
      .filter((one) => one.version === version)
      .map(({ project_id }) => project_id ?? 'tenant')
      .join(' ') || '-';
  if (options.json === true) {
    context.ui.json({ pack_id, platform: pack.platform, versions: pack.versions, activations: pack.activations });
    return;
  }
  context.ui.table(
    ['VERSION', 'ACTIVE IN', 'INSTALLED', 'DIGEST'],
    pack.versions.map(({ version, digest, created_at }) => [version, active(version), created_at, digest]),
  );
}

async function rollback(context: Context, pack_id: string, options: RollbackOptions): Promise<void> {
  const hcp = await context.hcp(options);
  const project_id = await optionalProject(hcp, options.project);
  const active = await hcp.api.packs.rollback(pack_id, given({ from_version: options.from, project_id }));
  if (options.json === true) context.ui.json(active);
  else
    context.ui.note(`${context.ui.safe(active.pack_id)} ${active.version} is active again ${where(active.project_id)}`);
}

async function list(context: Context, options: CommonOptions): Promise<void> {
  const { api } = await context.hcp(options);
  const all: PackSummary[] = [];
  for await (const each of items((query) => api.packs.list(query))) all.push(each);
  if (options.json === true) {
    context.ui.json(all);
    return;
  }
  context.ui.table(
    ['PACK', 'KIND', 'FROM', 'ACTIVE', 'VERSIONS', 'DESCRIPTION'],
    all.map((each) => [
      each.pack_id,
      each.kind,
      each.platform ? 'platform' : 'tenant',
      each.activations.map((one) => `${one.version}${one.project_id === null ? '' : `@${one.project_id}`}`).join(' ') ||
        '-',
      each.versions.map((one) => one.version).join(' ') || '-',
      each.description,
    ]),
  );
}

const activation = async (
  hcp: Client,
  options: PackOptions,
  version: string | undefined,
): Promise<{ version?: string; project_id?: string }> =>
  given({ version, project_id: await optionalProject(hcp, options.project) });

const where = (project_id: string | null): string =>
  project_id === null ? 'in the tenant' : `in project ${project_id}`;
