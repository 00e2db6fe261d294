import { MAX_UNPACKED_BYTES } from '@hcp/contracts';

/** What a pack that was checked says of itself, as its files have it. */
export interface Contents {
  readonly name: string;
  readonly description: string;
  readonly kind: string;
  readonly commands: readonly string[];
  /** Those of them that do more than read. */
  readonly writes: readonly string[];
  /** Null: it runs no program of its own. */
  readonly bin: string | null;
  readonly hosts: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

/** Reads the archive that is to be installed, and nothing else. Null: it tells nothing that could be shown. */
export async function contentsOf(archive: Uint8Array): Promise<Contents | null> {
  try {
    const { unpackTar } = await import('modern-tar');
    const entries = await unpackTar(await unzipped(archive));
    const files = new Map<string, Uint8Array>();
    for (const { header, data } of entries) {
      if (header.type === 'file') files.set(header.name.replace(/^\.\//, ''), data ?? new Uint8Array());
    }
    return summary(files);
  } catch {
    // The check says what is wrong with it; this is there to be read.
    return null;
  }
}

/** Not further than a pack may be. */
async function unzipped(archive: Uint8Array): Promise<ReadableStream<Uint8Array>> {
  const plain = new Blob([new Uint8Array(archive)]).stream().pipeThrough(new DecompressionStream('gzip'));
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = plain.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(chunks).stream();
    size += value.length;
    if (size > 2 * MAX_UNPACKED_BYTES) throw new Error('too much');
    chunks.push(value);
  }
}

function summary(files: ReadonlyMap<string, Uint8Array>): Contents | null {
  const read = (file: string): Record<string, unknown> => {
    const content = files.get(file);
    return content === undefined ? {} : of(JSON.parse(new TextDecoder().decode(content)));
  };
  const { name, description, kind, wrap } = read('manifest.json');
  if (typeof name !== 'string' || typeof description !== 'string') return null;
  const { bin, network } = of(wrap);
  const policy = of(read('policy.json')['commands']);
  const commands = Object.keys(of(read('surface.json')['commands'])).sort();
  return {
    name,
    description,
    kind: String(kind),
    commands,
    writes: commands.filter((command) => of(policy[command])['operation'] !== 'read'),
    bin: typeof bin === 'string' ? bin : null,
    hosts: Array.isArray(network) ? network.map(String) : serversOf(read('openapi.json')['servers']),
    files: files.size,
    bytes: [...files.values()].reduce((sum, { length }) => sum + length, 0),
  };
}

const of = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const serversOf = (servers: unknown): string[] =>
  Array.isArray(servers)
    ? servers.map((server: unknown) => of(server)['url']).filter((url) => typeof url === 'string')
    : [];
