import { gzipSync } from 'node:zlib';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pack as tarPack } from 'tar-stream';
import type { JsonSchema, Manifest, Policy, Surface } from '@hcp/core';

export type Files = Record<string, string | { readonly content: string | Buffer; readonly executable: true }>;

/** A tar.gz of these files. */
export async function archive(files: Files): Promise<Buffer> {
  const tar = tarPack();
  for (const [name, file] of Object.entries(files)) {
    const executable = typeof file !== 'string';
    const content = executable ? file.content : file;
    tar.entry({ name, mode: executable ? 0o755 : 0o644, mtime: new Date(0) }, Buffer.from(content));
  }
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
}

/** A tar.gz of a directory. */
export async function archiveOf(directory: string): Promise<Buffer> {
  const files: Files = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    const executable = ((await stat(path)).mode & 0o100) !== 0;
    files[path.slice(directory.length + 1)] = executable ? { content, executable: true } : content.toString();
  }
  return archive(files);
}

type Command = Omit<Surface['commands'][string], 'args' | 'cli'> & {
  readonly args?: JsonSchema;
  readonly cli?: readonly string[];
  readonly policy?: Partial<Policy['commands'][string]>;
};

export interface PackDraft {
  readonly pack_id: string;
  readonly version?: string;
  readonly kind?: 'wrap' | 'sense_only';
  readonly binding?: Manifest['binding'];
  readonly wrap?: Partial<NonNullable<Manifest['wrap']>>;
  readonly commands: Record<string, Command>;
  /** `bin/<pack_id>`. */
  readonly bin: string | Buffer;
}

/** Its three documents. */
export interface DraftedPack {
  readonly manifest: Manifest;
  readonly surface: Surface;
  readonly policy: Policy;
}

/** A pack for a test: a wrap (or a source of events) whose commands are public reads unless they say otherwise. */
export function draftedPack({
  pack_id,
  version = '1.0.0',
  kind = 'wrap',
  binding,
  wrap,
  commands,
}: PackDraft): DraftedPack {
  const surface: Record<string, Command> = {};
  const policy: Record<string, Policy['commands'][string]> = {};
  for (const [verb_key, { policy: row, ...command }] of Object.entries(commands)) {
    surface[verb_key] = command;
    policy[verb_key] = { operation: 'read', confirm: false, privacy: { land: 'public' }, ...row };
  }
  const manifest: Manifest = {
    pack_id,
    name: pack_id,
    version,
    description: `The ${pack_id} pack of a test.`,
    kind,
    binding: binding ?? { family: 'public' },
    wrap: { bin: `bin/${pack_id}`, json_flag: false, ...wrap },
  };
  return { manifest, surface: { commands: surface as Surface['commands'] }, policy: { commands: policy } };
}

/** The same as an archive. */
export function packArchive(draft: PackDraft): Promise<Buffer> {
  const { manifest, surface, policy } = draftedPack(draft);
  const { pack_id, bin } = draft;
  return archive({
    'manifest.json': JSON.stringify(manifest),
    'surface.json': JSON.stringify(surface),
    'policy.json': JSON.stringify(policy),
    'SKILL.md': `# ${pack_id}\n\nFor tests.\n\n## More\n\nNothing.\n`,
    [`bin/${pack_id}`]: { content: bin, executable: true },
  });
}
