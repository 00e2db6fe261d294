import { readFile, writeFile } from 'node:fs/promises';
import { HcpError, items } from '@hcp/sdk';
import { MAX_FILE_BYTES, type Project, type WrittenFile } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { Failure, usage } from '../failure.js';
import { readPackDir } from '../pack/read-dir.js';
import { projectId } from './names.js';
import { leaf, optionsOf } from './leaf.js';

interface FilesOptions extends CommonOptions {
  readonly project?: string;
  readonly force?: boolean;
  readonly recursive?: boolean;
}

export function registerFiles(program: Command, context: Context): void {
  const files = program.command('files').description("The files of a project's workspace");
  const inProject = (spec: string, description: string): Command =>
    leaf(files, spec, description).option(
      '--project <id>',
      "the project, by id or name (default: the session's, or the only one)",
    );

  inProject('list [path]', 'List a folder').action(
    async (path: string | undefined, _options: unknown, command: Command) =>
      list(context, path ?? '', optionsOf<FilesOptions>(command)),
  );

  inProject('get <path> [file]', 'Fetch a file into a file of this machine, or text to standard output')
    .option('--force', 'replace the file of this machine')
    .action(async (path: string, file: string | undefined, _options: unknown, command: Command) =>
      get(context, path, file, optionsOf<FilesOptions>(command)),
    );

  inProject('put <file> <path>', 'Put a file of this machine there, in place of the one there')
    .option('-r, --recursive', 'a folder with all that is in it, without names that begin with a dot')
    .action(async (file: string, path: string, _options: unknown, command: Command) =>
      put(context, file, path, optionsOf<FilesOptions>(command)),
    );

  inProject('rm <path>', 'Remove a file or an empty folder')
    .option('-r, --recursive', 'a folder with all that is in it')
    .action(async (path: string, _options: unknown, command: Command) =>
      remove(context, path, optionsOf<FilesOptions>(command)),
    );
}

async function list(context: Context, path: string, options: FilesOptions): Promise<void> {
  const { ui } = context;
  const { api } = await context.hcp(options);
  const folder = await api.files.list(await projectOf(context, options), path);
  if (options.json === true) {
    ui.json(folder);
    return;
  }
  ui.table(
    ['NAME', 'KIND', 'BYTES', 'CHANGED'],
    folder.items.map(({ name, kind, size, modified_at }) => [name, kind, String(size ?? '-'), modified_at]),
  );
  if (folder.truncated) ui.note('There are more; a listing tells no more than these.');
}

async function get(context: Context, path: string, file: string | undefined, options: FilesOptions): Promise<void> {
  const { ui } = context;
  const { api } = await context.hcp(options);
  const content = await api.files.get(await projectOf(context, options), path);
  if (file === undefined) {
    const text = textOf(content);
    if (options.json === true) ui.json({ path, size: content.length, text });
    else ui.raw(text);
    return;
  }
  await writeFile(file, content, { flag: options.force === true ? 'w' : 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw usage(`${file} is there already`, 'Name another file, or give --force.');
      throw new Failure(`${file} cannot be written (${error.code ?? 'unknown'})`, 'Name another file.');
    },
  );
  if (options.json === true) ui.json({ path, size: content.length, file });
  else ui.note(`${ui.safe(file)}: ${content.length} bytes`);
}

async function put(context: Context, file: string, path: string, options: FilesOptions): Promise<void> {
  const { ui } = context;
  const sources = await sourcesOf(file, path, options.recursive === true);
  const { api } = await context.hcp(options);
  const project = await projectOf(context, options);
  const all: WrittenFile[] = [];
  for (const source of sources) {
    const written = await api.files.put(project, source.path, source.content);
    all.push(written);
    if (options.json !== true) {
      ui.note(`${ui.safe(written.path)}: ${written.size} bytes, ${written.created ? 'new' : 'replaced'}`);
    }
  }
  if (options.json === true) ui.json(options.recursive === true ? all : all[0]);
}

/** What goes where; read whole before anything is sent, so that a file that cannot be read leaves nothing half done. */
async function sourcesOf(file: string, path: string, recursive: boolean): Promise<{ path: string; content: Buffer }[]> {
  if (recursive) {
    const base = path.replace(/\/+$/, '');
    const files = await readPackDir(file);
    if (files.length === 0) throw usage(`${file} has no files`, 'Names that begin with a dot are left out.');
    return files.map((each) => ({
      path: `${base}/${each.path}`.replace(/^\.?\//, ''),
      content: fits(each.path, each.content),
    }));
  }
  const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EISDIR') throw usage(`${file} is a folder`, 'Give -r to put all that is in it.');
    throw usage(`${file} cannot be read (${error.code ?? 'unknown'})`, 'Check the name.');
  });
  return [{ path, content: fits(file, content) }];
}

function fits(name: string, content: Buffer): Buffer {
  if (content.length > MAX_FILE_BYTES) throw usage(`${name} has over ${MAX_FILE_BYTES} bytes`, 'Make it smaller.');
  return content;
}

async function remove(context: Context, path: string, options: FilesOptions): Promise<void> {
  const { api } = await context.hcp(options);
  const query = options.recursive === true ? { recursive: '1' as const } : {};
  await api.files.delete(await projectOf(context, options), path, query).catch((error: unknown) => {
    const folder = error instanceof HcpError && error.code === 'conflict' && options.recursive !== true;
    if (!folder || !error.message.includes('folder is not empty')) throw error;
    throw new Failure('the folder is not empty', 'Give -r to remove it with all that is in it.');
  });
  if (options.json === true) context.ui.json({ ok: true, path });
  else context.ui.note(`${context.ui.safe(path)} is removed`);
}

async function projectOf(context: Context, options: FilesOptions): Promise<string> {
  const hcp = await context.hcp(options);
  if (options.project !== undefined) return projectId(hcp, options.project);
  const { api } = hcp;
  const { session } = await api.auth.me();
  if (session.project_id !== null) return session.project_id;
  const projects: Project[] = [];
  for await (const project of items((query) => api.projects.list(query))) projects.push(project);
  const [only, ...more] = projects;
  if (only !== undefined && more.length === 0) return only.id;
  if (only === undefined) {
    throw new Failure(
      'there is no project that you are a member of',
      'Make one with hcpx projects create NAME, or ask to be made a member of one.',
    );
  }
  const details = projects.map(({ id, name }) => `${id}  ${context.ui.safe(name)}`);
  throw new Failure(
    'which project?',
    'Name one with --project: its id or name.',
    usage('').exit_code,
    'usage',
    details,
  );
}

function textOf(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw usage('the file is no text', 'Name a file of this machine to put it in.');
  }
}
