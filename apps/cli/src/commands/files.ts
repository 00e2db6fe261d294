import { readFile, writeFile } from 'node:fs/promises';
import { items } from '@hcp/sdk';
import { MAX_FILE_BYTES, type Project } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { Failure, usage } from '../failure.js';
import { leaf, optionsOf } from './leaf.js';

interface FilesOptions extends CommonOptions {
  readonly project?: string;
  readonly force?: boolean;
  readonly recursive?: boolean;
}

export function registerFiles(program: Command, context: Context): void {
  const files = program.command('files').description("The files of a project's workspace");
  const inProject = (spec: string, description: string): Command =>
    leaf(files, spec, description).option('--project <id>', "the project (default: the session's, or the only one)");

  inProject('list [path]', 'List a folder').action(
    async (path: string | undefined, _options: unknown, command: Command) =>
      list(context, path ?? '', optionsOf<FilesOptions>(command)),
  );

  inProject('get <path> [file]', 'Fetch a file into a file of this machine, or text to standard output')
    .option('--force', 'replace the file of this machine')
    .action(async (path: string, file: string | undefined, _options: unknown, command: Command) =>
      get(context, path, file, optionsOf<FilesOptions>(command)),
    );

  inProject('put <file> <path>', 'Put a file of this machine there, in place of the one there').action(
    async (file: string, path: string, _options: unknown, command: Command) =>
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
  const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw usage(`${file} cannot be read (${error.code ?? 'unknown'})`, 'Check the name.');
  });
  if (content.length > MAX_FILE_BYTES) throw usage(`${file} has over ${MAX_FILE_BYTES} bytes`, 'Make it smaller.');
  const { api } = await context.hcp(options);
  const written = await api.files.put(await projectOf(context, options), path, content);
  if (options.json === true) ui.json(written);
  else ui.note(`${ui.safe(written.path)}: ${written.size} bytes, ${written.created ? 'new' : 'replaced'}`);
}

async function remove(context: Context, path: string, options: FilesOptions): Promise<void> {
  const { api } = await context.hcp(options);
  const query = options.recursive === true ? { recursive: '1' as const } : {};
  await api.files.delete(await projectOf(context, options), path, query);
  if (options.json === true) context.ui.json({ ok: true, path });
  else context.ui.note(`${context.ui.safe(path)} is removed`);
}

async function projectOf(context: Context, options: FilesOptions): Promise<string> {
  if (options.project !== undefined) return options.project;
  const { api } = await context.hcp(options);
  const { session } = await api.auth.me();
  if (session.project_id !== null) return session.project_id;
  const projects: Project[] = [];
  for await (const project of items((query) => api.projects.list(query))) projects.push(project);
  const [only, ...more] = projects;
  if (only !== undefined && more.length === 0) return only.id;
  const details = projects.map(({ id, name }) => `${id}  ${context.ui.safe(name)}`);
  throw new Failure('which project?', 'Name one with --project ID.', usage('').exit_code, 'usage', details);
}

function textOf(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw usage('the file is no text', 'Name a file of this machine to put it in.');
  }
}
