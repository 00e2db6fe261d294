import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { findTool } from '../process/find-tool.js';

const LOCK_FILE = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
/** What `flock -n` exits with where another has the lock. */
const HELD = 1;

/**
 * A lock on a file that every process which sees the file respects, whatever namespaces it is in. The kernel gives it up
 * with the process, so none is ever stale.
 */
export class FileLock {
  private constructor(private readonly file: FileHandle) {}

  /** Null where another holds it. @throws where the machine or the file system has no such locks */
  static async take(path: string): Promise<FileLock | null> {
    const file = await open(path, LOCK_FILE, 0o600);
    try {
      // Node has no flock(2). It counts for the open file and not for a process, so the tool may take it on ours.
      const code = await flock(file.fd);
      if (code !== 0 && code !== HELD) throw new Error(`flock ended with ${code}`);
      // What was removed meanwhile is locked for nobody.
      if (code === 0 && (await isStill(file, path))) return new FileLock(file);
    } catch (error) {
      await file.close();
      throw error;
    }
    await file.close();
    return null;
  }

  async release(): Promise<void> {
    await this.file.close();
  }
}

async function flock(fd: number): Promise<number | null> {
  const tool = await findTool('flock');
  if (tool === undefined) throw new Error('flock not found: apt-get install util-linux');
  return new Promise((resolve, reject) => {
    const child = spawn(tool, ['-x', '-n', '3'], { env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'ignore', fd] });
    child.once('error', reject);
    child.once('exit', resolve);
  });
}

async function isStill(file: FileHandle, path: string): Promise<boolean> {
  const [ours, there] = await Promise.all([file.stat(), stat(path).catch(() => null)]);
  return there !== null && there.ino === ours.ino && there.dev === ours.dev;
}
