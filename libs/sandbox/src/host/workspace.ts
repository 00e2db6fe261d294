import { constants } from 'node:fs';
import { chmod, lchown, lstat, open, opendir, type FileHandle } from 'node:fs/promises';
import type { SandboxOutcome, SandboxSpec } from '../port.js';
import { notRun } from '../process/outcome.js';

/** Deeper than anything honest; each level holds one open folder while it is walked. */
const MAX_DEPTH = 256;
/** Files and folders together: a walk over more would keep a slot of the worker for long. */
export const MAX_ENTRIES = 100_000;
const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export type Handover = { ok: true } | { ok: false; cancelled: boolean; reason: string };

export interface HandoverOptions {
  /** Ends the walk as cancelled. */
  signal: AbortSignal;
  /** Ends the walk as refused, in milliseconds from now. */
  timeout_ms: number;
  max_entries?: number;
}

/**
 * Makes `uid` own the workspace, so that the run's uid may write what an earlier run under another uid left. Walks only
 * when the top belongs to someone else, and changes the top last: an interrupted walk starts again. Each step goes through
 * an open folder without following links, so a link planted in the workspace hands over nothing outside. What a program
 * left there bounds neither time nor size, so the walk does.
 */
export async function handOver(
  folder: string,
  uid: number,
  { signal, timeout_ms, max_entries = MAX_ENTRIES }: HandoverOptions,
): Promise<Handover> {
  const info = await lstat(folder).catch(() => null);
  if (!info?.isDirectory()) return refuse('the workspace is no folder');
  if (info.uid === uid) return { ok: true };
  const walk = new Walk(uid, AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]), max_entries);
  let top: FileHandle | undefined;
  try {
    top = await open(folder, OPEN_FOLDER);
    const stopped = await walk.into(top, 0);
    if (signal.aborted) return { ok: false, cancelled: true, reason: 'cancelled' };
    if (stopped !== null) return refuse(stopped);
    await top.chown(uid, uid);
    await chmod(folder, 0o700);
    return { ok: true };
  } catch (error) {
    return refuse(`the workspace cannot be handed to the sandbox (${codeOf(error)})`);
  } finally {
    await top?.close();
  }
}

/** Gives a kept workspace to the user of a run; null when that is done, else how the run ended without it. */
export async function handedOver(
  { workspace: { dir }, limits }: Pick<SandboxSpec, 'workspace' | 'limits'>,
  signal: AbortSignal,
  uid: number | null,
): Promise<SandboxOutcome | null> {
  if (dir === null) return notRun('failed_to_start', 'sandbox: the workspace is missing');
  if (uid === null) return null;
  const handed = await handOver(dir, uid, { signal, timeout_ms: limits.timeout_ms });
  if (handed.ok) return null;
  return handed.cancelled ? notRun('cancelled') : notRun('failed_to_start', `sandbox: ${handed.reason}`);
}

class Walk {
  #entries = 0;

  constructor(
    private readonly uid: number,
    private readonly signal: AbortSignal,
    private readonly max_entries: number,
  ) {}

  /** Null when all of the folder is handed over, else why it stopped. */
  async into(folder: FileHandle, depth: number): Promise<string | null> {
    if (depth > MAX_DEPTH) return 'the workspace is nested too deeply';
    const base = `/proc/self/fd/${folder.fd}/`;
    // One by one: a listing of the whole folder would be as long as its program liked. Latin-1 keeps each byte of a name.
    for await (const entry of await opendir(base, { encoding: 'latin1' })) {
      if (this.signal.aborted) return 'the workspace could not be handed over within the time of the run';
      this.#entries += 1;
      if (this.#entries > this.max_entries) {
        return `the workspace has more than ${this.max_entries} files and folders; remove some of them`;
      }
      const path = Buffer.concat([Buffer.from(base), Buffer.from(entry.name, 'latin1')]);
      if (entry.isDirectory()) {
        const child = await open(path, OPEN_FOLDER);
        try {
          const stopped = await this.into(child, depth + 1);
          if (stopped !== null) return stopped;
        } finally {
          await child.close();
        }
      }
      await lchown(path, this.uid, this.uid);
    }
    return null;
  }
}

const refuse = (reason: string): Handover => ({ ok: false, cancelled: false, reason });

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
