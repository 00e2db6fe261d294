import { randomUUID } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Caller } from '@hcp/core';
import type { Database } from '@hcp/database';
import { Folder } from './fs/handles.js';
import { Staging, type Staged } from './fs/staging.js';
import {
  IS_FOLDER,
  list,
  look,
  place,
  removable,
  takeAway,
  walk,
  walkMaking,
  type FolderListing,
  type OpenedFile,
  type Owner,
} from './fs/tree.js';
import { usageOf } from './fs/usage.js';
import { DEFAULT_FILE_LIMITS, type FileLimits } from './limits.js';
import { keepLock, releaseLock, takeLock, type Lock } from './locks.js';
import { BUSY, fileRefusal, NO_FILE, type FileRefusal } from './refusal.js';
import { auditFile, targetOf, type FileAct, type Target } from './target.js';
import type { Workspace, Workspaces } from './workspaces.js';

/** Longer than a change takes; what a process that died held is free after it. */
const LEASE_MS = 30_000;

export interface ProjectFilesOptions {
  readonly db: Database;
  readonly workspaces: Workspaces;
  readonly limits?: FileLimits;
}

export interface WrittenFile {
  readonly ok: true;
  /** False where a file was replaced. */
  readonly created: boolean;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/**
 * The files of a project's workspace (SPEC W5). Reading takes membership and `verb.exec.read`, changing `verb.exec.write`,
 * each for the project and for no pack in particular: what lies there is input of any command of the project (SPEC G4).
 * A change holds the workspace's writer lock, as a run does, and is in the audit before it happens.
 */
export class ProjectFiles {
  readonly #db: Database;
  readonly #workspaces: Workspaces;
  readonly #limits: FileLimits;
  readonly #staging: Staging;

  constructor({ db, workspaces, limits = DEFAULT_FILE_LIMITS }: ProjectFilesOptions) {
    this.#db = db;
    this.#workspaces = workspaces;
    this.#limits = limits;
    this.#staging = new Staging(workspaces.root);
  }

  /** A file to read, which the caller closes, or what a folder holds; `path` is '' for the whole workspace. */
  async read(
    caller: Caller,
    project_id: string,
    path: string,
    now: Date,
  ): Promise<OpenedFile | FolderListing | FileRefusal> {
    const target = targetOf(this.#workspaces, caller, { project_id, path, operation: 'read' }, now);
    if ('ok' in target) return target;
    const found = await this.#look(target);
    if (!found.ok || found.kind === 'folder') return found;
    try {
      await this.#db.tenant(caller.tenant_id, (tx) =>
        auditFile(tx, caller, target, { action: 'file.get', details: { size: found.size } }),
      );
      return found;
    } catch (error) {
      await found.handle.close();
      throw error;
    }
  }

  /** Puts a file in place of the one there, or where there is none, as a whole or not at all. Missing folders are made. */
  async write(
    caller: Caller,
    project_id: string,
    path: string,
    source: Readable | null,
    now: Date,
  ): Promise<WrittenFile | FileRefusal> {
    const target = targetOf(this.#workspaces, caller, { project_id, path, operation: 'write' }, now);
    if ('ok' in target) return target;
    if (target.name === null) return IS_FOLDER;
    const staged = await this.#staging.receive(source, this.#limits.file_bytes);
    if (!staged) return fileRefusal('too_large', `a file may have ${this.#limits.file_bytes} bytes`);
    try {
      await this.#workspaces.create(target.workspace);
      return await this.#locked(caller, target, (lock) => this.#put(caller, { ...target, staged }, lock));
    } finally {
      await this.#staging.discard(staged.path);
    }
  }

  /** Removes a file, a link as such, or with `recursive` a folder and all in it; an empty folder goes without. */
  async remove(
    caller: Caller,
    project_id: string,
    path: string,
    options: { readonly recursive: boolean },
    now: Date,
  ): Promise<{ readonly ok: true } | FileRefusal> {
    const target = targetOf(this.#workspaces, caller, { project_id, path, operation: 'write' }, now);
    if ('ok' in target) return target;
    if (target.name === null) return fileRefusal('conflict', 'the workspace itself stays');
    const trash = await this.#staging.fresh();
    const done = await this.#locked(caller, target, (lock) => this.#take(caller, target, { ...options, trash }, lock));
    if (!done.ok) return done;
    if (done.folder) await this.#staging.removeFolder(trash);
    return { ok: true };
  }

  /** Removes what processes that died left beside the workspaces. Call at start and now and then. */
  async sweep(now: Date): Promise<void> {
    await this.#staging.sweep(now);
  }

  async #look({ workspace, folders, name }: Target): Promise<OpenedFile | FolderListing | FileRefusal> {
    return inside(workspace, async (top) => {
      // Before the first run and the first file there is no folder.
      if (top === null) return name === null ? { ok: true, kind: 'folder', entries: [], truncated: false } : NO_FILE;
      if (name === null) return list(top);
      return within(top, await walk(top, folders), (parent) => look(parent, name));
    });
  }

  async #put(
    caller: Caller,
    target: Target & { readonly staged: Staged },
    lock: Lock,
  ): Promise<WrittenFile | FileRefusal> {
    const { workspace, folders, name, staged } = target;
    if (name === null) return IS_FOLDER;
    return inside(workspace, async (top) => {
      if (top === null) return NO_FILE;
      const owner = await ownerIn(top);
      const used = await usageOf(top, this.#limits);
      if (used === null) return QUOTA;
      const before = await this.#sizeAt(top, folders, name);
      const created = before === null;
      const entries = used.entries + (created ? folders.length + 1 : 0);
      if (used.bytes - (before ?? 0) + staged.size > this.#limits.total_bytes || entries > this.#limits.entries) {
        return QUOTA;
      }
      await this.#staging.finish(staged, owner);
      return within(top, await walkMaking(top, folders, owner), async (parent) => {
        const { size, sha256 } = staged;
        if (!(await this.#commit(caller, target, { action: 'file.put', details: { size, sha256 } }, lock))) return BUSY;
        const placed = await place(staged.path, parent, name);
        return placed.ok ? { ok: true, created, size, sha256 } : placed;
      });
    });
  }

  async #take(
    caller: Caller,
    target: Target,
    options: { readonly recursive: boolean; readonly trash: string },
    lock: Lock,
  ): Promise<{ readonly ok: true; readonly folder: boolean } | FileRefusal> {
    const { workspace, folders, name } = target;
    if (name === null) return NO_FILE;
    return inside(workspace, async (top) => {
      if (top === null) return NO_FILE;
      return within(top, await walk(top, folders), async (parent) => {
        const { recursive, trash } = options;
        const found = await removable(parent, name, recursive);
        if (!found.ok) return found;
        const { folder } = found;
        if (!(await this.#commit(caller, target, { action: 'file.delete', details: { folder } }, lock))) return BUSY;
        return takeAway(parent, name, { folder, trash });
      });
    });
  }

  /** The bytes of the file that would be replaced; null where there is nothing. */
  async #sizeAt(top: Folder, folders: readonly string[], name: string): Promise<number | null> {
    const found = await within(top, await walk(top, folders), async (parent) => {
      const info = await lstat(parent.at(name)).catch(() => null);
      return info && { ok: true as const, size: info.isFile() ? info.size : 0 };
    });
    return found?.ok ? found.size : null;
  }

  /** The last look before the change: the lock is still this change's, and the audit has it. */
  async #commit(caller: Caller, target: Target, act: FileAct, lock: Lock): Promise<boolean> {
    return this.#db.tenant(caller.tenant_id, async (tx) => {
      if (!(await keepLock(tx, lock))) return false;
      await auditFile(tx, caller, target, act);
      return true;
    });
  }

  async #locked<T extends { readonly ok: boolean }>(
    { tenant_id }: Caller,
    { workspace }: Target,
    change: (lock: Lock) => Promise<T | FileRefusal>,
  ): Promise<T | FileRefusal> {
    const lock: Lock = {
      tenant_id,
      workspace: workspace.key,
      holder: randomUUID(),
      run_id: null,
      lease_ms: LEASE_MS,
    };
    if (!(await this.#db.tenant(tenant_id, (tx) => takeLock(tx, lock)))) return BUSY;
    try {
      return await change(lock);
    } finally {
      await this.#db.tenant(tenant_id, (tx) => releaseLock(tx, lock));
    }
  }
}

const QUOTA = fileRefusal('quota_exceeded', "the project's workspace is full; remove files first");

async function inside<T>({ dir }: Workspace, use: (top: Folder | null) => Promise<T>): Promise<T> {
  const top = await Folder.trusted(dir);
  try {
    return await use(top);
  } finally {
    await top?.close();
  }
}

async function within<T>(
  top: Folder,
  found: Folder | FileRefusal,
  use: (parent: Folder) => Promise<T>,
): Promise<T | FileRefusal> {
  if (!(found instanceof Folder)) return found;
  try {
    return await use(found);
  } finally {
    if (found !== top) await found.close();
  }
}

/**
 * Root gives what it puts in to whoever owns the workspace: the sandbox hands a workspace over to a run's user only when
 * its top is another's, and that user must be able to write what lies in it. Any other user owns it all by itself.
 */
async function ownerIn(top: Folder): Promise<Owner> {
  return process.getuid?.() === 0 ? top.stat() : null;
}
