import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt, run } from '../run.mjs';
import { Stop } from '../progress.mjs';

/** A shell and the usual tools; perl-base runs the launcher; libstdc++6 is for the worker's node, which is mounted. */
export const BASE = [
  ...['bash', 'coreutils', 'dash', 'debianutils', 'diffutils', 'findutils', 'grep', 'gzip', 'hostname', 'libc-bin'],
  ...['libc6', 'libgcc-s1', 'libstdc++6', 'mawk', 'perl-base', 'sed', 'tar', 'tzdata', 'util-linux'],
];

/** What no program needs to run, and what belongs to the machine and not to a program. */
const LEFT_OUT =
  /^\/usr\/(share\/(doc|man|info|locale|lintian|bash-completion|bug|menu|pixmaps|applications|zsh|icons)|lib\/(systemd|tmpfiles\.d|sysusers\.d)|sbin)(\/|$)/;
/** Below /etc only what this names: the rest is the machine's configuration. */
const OF_ETC = /^\/etc\/(ssl\/openssl\.cnf|mime\.types|protocols|services)$/;
/** Not listed by its package: made when it is installed. */
const MADE = { 'ca-certificates': ['/etc/ssl/certs/ca-certificates.crt'], mawk: ['/usr/bin/awk'] };

/**
 * Files of installed Debian packages with the shared libraries that their programs load.
 * @param {readonly string[]} packages
 * @returns {Promise<Map<string, { from: string } | { link: string }>>} path inside to a file of the machine or a link
 */
export async function collect(packages) {
  const files = new Map();
  const add = (path) => {
    // On a merged system /bin/x and /usr/bin/x are one file.
    const at = join(realpathSync(dirname(path)), basename(path));
    if (files.has(at)) return;
    const info = lstatSync(at);
    if (info.isSymbolicLink()) {
      const link = readlinkSync(at);
      files.set(at, { link: link.startsWith('/etc/alternatives/') ? realpathSync(at) : link });
      add(realpathSync(at));
    } else if (info.isFile()) files.set(at, { from: at });
  };
  for (const name of packages) {
    const listed = await attempt('dpkg', ['-L', name]);
    if (!listed.ok) throw new Stop(`the package ${name} is not installed: apt-get install ${name}`);
    for (const path of [...listed.output.split('\n'), ...(MADE[name] ?? [])]) {
      if (!wanted(path)) continue;
      const info = lstatSync(path, { throwIfNoEntry: false });
      if (info?.isFile() || info?.isSymbolicLink()) addIfThere(add, path);
    }
  }
  const programs = [...files.values()].flatMap((file) => ('from' in file ? [file.from] : [])).filter(mayLoad);
  for (let at = 0; at < programs.length; at += 200) {
    const { output } = await attempt('ldd', programs.slice(at, at + 200));
    for (const [, library] of output.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)) add(library);
  }
  return files;
}

/** Links that lead nowhere are left out: their target is configuration of the machine, or of another package. */
function addIfThere(add, path) {
  try {
    add(path);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

const wanted = (path) =>
  path.startsWith('/etc/')
    ? OF_ETC.test(path) || path.endsWith('ca-certificates.crt')
    : path.startsWith('/') && !LEFT_OUT.test(path);
const mayLoad = (path) => (lstatSync(path).mode & 0o111) !== 0 || /\.so(\.|$)/.test(path);

/** Versions of the packages, as one line each. */
export async function versions(packages) {
  const text = await run('dpkg-query', ['-W', '-f', '${Package} ${Version} ${Architecture}\n', ...packages]);
  return text.trim().split('\n').sort();
}
