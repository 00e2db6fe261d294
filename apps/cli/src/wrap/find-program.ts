import { access, constants, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { usage } from '../failure.js';

/** The absolute path of a program that is named as in a shell: a path, or a name to look for on PATH. */
export async function findProgram(named: string, { cwd, path }: { cwd: string; path: string }): Promise<string> {
  const places = named.includes('/')
    ? [resolve(cwd, named)]
    : path.split(delimiter).flatMap((dir) => (dir === '' ? [] : [resolve(cwd, dir, named)]));
  for (const place of places) if (await isProgram(place)) return place;
  throw usage(
    `${named} is no program that can be started`,
    named.includes('/')
      ? 'It has to be a file with the right to execute.'
      : 'It is not on PATH; name it with its path.',
  );
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
