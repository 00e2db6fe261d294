import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApprovalMark, ApprovalRecord, ApprovalRecords, MarkName } from '../approvals/records.js';
import { PRIVATE_DIR, PRIVATE_FILE } from './files.js';

const NAME = /^[A-Za-z0-9-]{1,100}$/;

/**
 * One file a request and one a mark, in a folder of the user's own. A mark is written aside and linked into place, which
 * succeeds once: so of many processes one uses a yes, and nobody reads half of one.
 */
export class ApprovalFiles implements ApprovalRecords {
  constructor(private readonly dir: string) {}

  async add(record: ApprovalRecord): Promise<void> {
    await this.#write(record.id, 'json', record);
  }

  async get(id: string): Promise<ApprovalRecord | null> {
    const found = await this.#read(id, 'json');
    return found === undefined ? null : (found as ApprovalRecord | null);
  }

  async list(): Promise<readonly ApprovalRecord[]> {
    const names = await readdir(this.dir).catch(() => []);
    const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
    const records = await Promise.all(ids.map((id) => this.get(id)));
    return records.filter((record) => record !== null);
  }

  async remove(id: string): Promise<void> {
    // The request first: marks alone let nothing run.
    for (const kind of ['json', 'yes', 'end']) await rm(this.#path(id, kind), { force: true });
  }

  async marks(id: string): ReturnType<ApprovalRecords['marks']> {
    const [yes, end] = await Promise.all([this.#read(id, 'yes'), this.#read(id, 'end')]);
    const spent: ApprovalMark = { kind: 'consumed', at: new Date().toISOString(), by: null };
    return {
      yes: (yes as ApprovalMark | null | undefined) ?? null,
      // What is there and cannot be read is an end all the same.
      end: end === undefined ? null : ((end as ApprovalMark | null) ?? spent),
    };
  }

  async mark(id: string, name: MarkName, mark: ApprovalMark): Promise<boolean> {
    return this.#write(id, name, mark);
  }

  async unmark(id: string, name: MarkName): Promise<void> {
    await rm(this.#path(id, name), { force: true });
  }

  #path(id: string, kind: string): string {
    if (!NAME.test(id)) throw new Error('no name of a request');
    return join(this.dir, `${id}.${kind}`);
  }

  /** @returns undefined where there is none, null where it cannot be read */
  async #read(id: string, kind: string): Promise<unknown> {
    if (!NAME.test(id)) return undefined;
    try {
      return JSON.parse(await readFile(this.#path(id, kind), 'utf8')) as unknown;
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : null;
    }
  }

  async #write(id: string, kind: string, value: object): Promise<boolean> {
    const path = this.#path(id, kind);
    await mkdir(this.dir, { recursive: true, mode: PRIVATE_DIR });
    const aside = join(this.dir, `.${crypto.randomUUID()}`);
    await writeFile(aside, JSON.stringify(value), { mode: PRIVATE_FILE, flag: 'wx', flush: true });
    try {
      await link(aside, path);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(aside, { force: true });
    }
  }
}
