import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileLock } from './file-lock.js';

const dir = mkdtempSync(join(tmpdir(), 'hcp-lock-'));
afterAll(() => rmSync(dir, { recursive: true }));

describe('FileLock', () => {
  it('has one holder at a time, also in one process', async () => {
    const path = join(dir, 'one');
    const lock = await FileLock.take(path);
    expect(lock).not.toBeNull();
    expect(await FileLock.take(path)).toBeNull();
    await lock?.release();
    const next = await FileLock.take(path);
    expect(next).not.toBeNull();
    await next?.release();
  });

  it('is given up with the process that held it, however that ended', async () => {
    const path = join(dir, 'killed');
    const other = spawn('flock', ['-n', path, 'sh', '-c', 'echo held; exec sleep 1000'], { detached: true });
    await once(other.stdout, 'data');
    expect(await FileLock.take(path)).toBeNull();
    const ended = once(other, 'exit');
    process.kill(-Number(other.pid), 'SIGKILL');
    await ended;
    await expect.poll(() => FileLock.take(path)).not.toBeNull();
  });

  it('counts for the file that is there, and follows no link', async () => {
    const path = join(dir, 'moved');
    const lock = await FileLock.take(path);
    renameSync(path, `${path}-away`);
    const second = await FileLock.take(path);
    expect(second).not.toBeNull();
    symlinkSync('moved', join(dir, 'link'));
    await expect(FileLock.take(join(dir, 'link'))).rejects.toThrow(/ELOOP/);
    await lock?.release();
    await second?.release();
  });
});
