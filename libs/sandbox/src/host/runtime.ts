import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readlink,
  realpath,
  rename,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The user that a program sees itself as; which uid of the host that is, is the slot's. */
export const INSIDE_UID = 1000;

const GENERATED: Record<string, string> = {
  passwd: `root:x:0:0:root:/:/usr/sbin/nologin\nsandbox:x:${INSIDE_UID}:${INSIDE_UID}:sandbox:/tmp/home:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n`,
  group: `root:x:0:\nsandbox:x:${INSIDE_UID}:\nnogroup:x:65534:\n`,
  'nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nservices: files\nprotocols: files\n',
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  hostname: 'sandbox\n',
};
/** Parts of the host's /etc that programs need and that say nothing about the host. */
const COPIED = [
  'ld.so.cache',
  'localtime',
  'alternatives',
  'protocols',
  'services',
  'mime.types',
  'ssl/certs',
  'ssl/openssl.cnf',
  'pki/tls/certs',
  'pki/ca-trust/extracted',
];

/** Makes a folder that others may enter, whatever the umask. */
export async function openFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
  return path;
}

/**
 * Copies Node to where every uid can run it, once for each binary: it may live below a folder that others cannot enter.
 * The copy appears by one rename, so that two workers may do it at the same time.
 */
export async function publishNode(node_bin: string, runtime_dir: string, label: string): Promise<string> {
  const source = await realpath(node_bin);
  const info = await stat(source, { bigint: true });
  const hash = createHash('sha256').update(`${source}\0${info.size}\0${info.mtimeNs}`).digest('hex').slice(0, 32);
  await openFolder(join(runtime_dir, hash));
  const target = join(await openFolder(join(runtime_dir, hash, 'bin')), 'node');
  const present = await stat(target, { bigint: true }).catch(() => null);
  if (present?.size === info.size) return target;
  const draft = `${target}.${label}`;
  await copyFile(source, draft, constants.COPYFILE_FICLONE);
  await chmod(draft, 0o755);
  await rename(draft, target);
  return target;
}

/** Builds the sandbox's /etc: a few generated files and copies of what is harmless. Private keys are never among them. */
export async function buildEtc(target: string): Promise<string> {
  await openFolder(target);
  for (const [name, text] of Object.entries(GENERATED)) {
    await writeFile(join(target, name), text);
    await chmod(join(target, name), 0o644);
  }
  for (const name of COPIED) {
    // Folders on the way are made only for what is there.
    if ((await lstat(join('/etc', name)).catch(() => null)) === null) continue;
    if (dirname(name) !== '.') await openParents(target, dirname(name));
    await copyPublic(join('/etc', name), join(target, name));
  }
  return target;
}

async function openParents(target: string, path: string): Promise<void> {
  let at = target;
  for (const part of path.split('/')) at = await openFolder(join(at, part));
}

/** Copies what everybody may read; links stay links. */
async function copyPublic(source: string, target: string): Promise<void> {
  const info = await lstat(source);
  if (info.isSymbolicLink()) await symlink(await readlink(source), target);
  else if (info.isDirectory()) {
    await openFolder(target);
    for (const name of await readdir(source)) await copyPublic(join(source, name), join(target, name));
  } else if (info.isFile() && (info.mode & 0o004) !== 0) {
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    await chmod(target, 0o644);
  }
}
