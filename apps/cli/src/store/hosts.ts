import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import { z } from 'zod';
import { Failure } from '../failure.js';

const credentialSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('tokens'),
    access_token: z.string(),
    refresh_token: z.string(),
    /** RFC 3339; when the access token ends. */
    expires_at: z.string(),
    email: z.string(),
  }),
  z.strictObject({ kind: z.literal('api_key'), key: z.string() }),
]);
export type Credential = z.infer<typeof credentialSchema>;

const hostsSchema = z.strictObject({
  version: z.literal(1),
  /** Address used where neither --url nor HCP_URL names one. */
  current: z.string().nullable(),
  hosts: z.record(z.string(), credentialSchema),
});
export type Hosts = z.infer<typeof hostsSchema>;

/** Credentials by address, in `hosts.json` (0600) of a directory of the user's own (0700). */
export class HostStore {
  readonly path: string;
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
    this.path = join(dir, 'hosts.json');
  }

  async read(): Promise<Hosts> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return { version: 1, current: null, hosts: {} };
      throw new Failure(`cannot read ${this.path}`, 'Make it readable for you, or set HCP_HOME.');
    }
    const parsed = hostsSchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new Failure(`${this.path} is damaged`, 'Remove it, then run hcpx login.');
  }

  /**
   * Reads, changes and writes while no other `hcpx` does: a refresh token is single use, and two processes that spend the
   * same one would end the session.
   */
  async locked<T>(work: (hosts: Hosts, save: (hosts: Hosts) => Promise<void>) => Promise<T>): Promise<T> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const release = await lockfile
      .lock(this.#dir, {
        lockfilePath: join(this.#dir, 'hosts.lock'),
        retries: { retries: 60, factor: 1.2, minTimeout: 25, maxTimeout: 500 },
        // Only after a long freeze of this process; the write itself is atomic, so the store stays whole.
        onCompromised: () => undefined,
      })
      .catch(() => {
        throw new Failure(
          `${this.#dir} is locked by another hcpx`,
          'Wait for it, or remove hosts.lock there if none runs.',
        );
      });
    try {
      return await work(await this.read(), (hosts) => this.#write(hosts));
    } finally {
      await release().catch(() => undefined);
    }
  }

  /** True where others may read the file. */
  async isExposed(): Promise<boolean> {
    try {
      return ((await stat(this.path)).mode & 0o077) !== 0;
    } catch {
      return false;
    }
  }

  /** Whole or not at all, and never readable by others, not even for a moment. */
  async #write(hosts: Hosts): Promise<void> {
    const draft = join(this.#dir, `.hosts.${randomUUID()}`);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(hosts, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await chmod(draft, 0o600);
      await rename(draft, this.path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
