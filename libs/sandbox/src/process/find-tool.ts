import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

const SEARCHED = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The path of a small program of the host, wherever distributions put it; PATH is never asked. */
export async function findTool(name: string): Promise<string | undefined> {
  for (const folder of SEARCHED) {
    const path = join(folder, name);
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  return undefined;
}
