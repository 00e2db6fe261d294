import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../failure.js';

const keysSchema = z.strictObject({ version: z.literal(1), keys: z.record(z.string(), z.string()) });

/** The keys of audit logs that this user has met, by the log's origin: `log-keys.json` in the home of `hcpx`. */
export class LogKeyStore {
  readonly path: string;

  constructor(private readonly dir: string) {
    this.path = join(dir, 'log-keys.json');
  }

  async get(origin: string): Promise<string | undefined> {
    const keys = await this.#read();
    return Object.hasOwn(keys, origin) ? keys[origin] : undefined;
  }

  /**
   * Keeps the key of a log that was not met before.
   * @throws Failure where the log had another key so far: whoever rewrites a log would come with a key of their own
   */
  async keep(origin: string, key: string): Promise<void> {
    const keys = await this.#read();
    if (keys[origin] === key) return;
    if (keys[origin] !== undefined) {
      throw new Failure(
        'the key of this audit log is not the one that was kept here',
        `Ask its operator. Only if they changed it, remove the log from ${this.path}.`,
      );
    }
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${String(process.pid)}`;
    await writeFile(draft, `${JSON.stringify({ version: 1, keys: { ...keys, [origin]: key } }, null, 2)}\n`, {
      mode: 0o600,
    });
    await rename(draft, this.path);
  }

  async #read(): Promise<Record<string, string>> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw new Failure(`cannot read ${this.path}`, 'Make it readable for you, or set HCP_HOME.');
    }
    const parsed = keysSchema.safeParse(jsonOf(text));
    if (parsed.success) return parsed.data.keys;
    throw new Failure(`${this.path} is damaged`, 'Remove it; hcpx audit key keeps the key anew.');
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
