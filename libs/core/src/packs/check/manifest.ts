import { hasMalformedPlaceholder, parseToken } from '../../argv/template.js';
import { binOwner, refuseEnvironment } from '../environment.js';
import { isWrapped, type Manifest } from '../manifest.js';
import type { Finding } from '../pack.js';
import { finding } from './findings.js';

const FILE = 'manifest.json';

/** Shells, and programs whose arguments are another program to run: an allow-list of bins would mean nothing. */
const SHELLS: ReadonlySet<string> = new Set(
  (
    'sh bash dash ash zsh ksh mksh fish csh tcsh rbash busybox toybox cmd powershell pwsh env xargs sudo su doas setpriv ' +
    'nohup setsid timeout nice ionice stdbuf script unshare nsenter chroot bwrap strace gdb parallel watch expect ssh'
  ).split(' '),
);

/** Findings in the manifest alone (SPEC P2, P5). */
export function checkManifest(manifest: Manifest, paths: readonly string[], platform: boolean): Finding[] {
  const { binding, kind, wrap } = manifest;
  const findings: Finding[] = [];
  if (isWrapped(manifest) && wrap === undefined)
    findings.push(finding('M006', FILE, [], `kind ${kind} needs "wrap" with its bin`));
  if (!isWrapped(manifest) && wrap !== undefined)
    findings.push(finding('M006', FILE, ['wrap'], `kind ${kind} has no wrap`));
  if (kind !== 'openapi' && manifest.openapi !== undefined)
    findings.push(finding('M006', FILE, ['openapi'], `kind ${kind} has no openapi`));
  if (binding.family === 'mock') {
    findings.push(
      finding('M014', FILE, ['binding', 'family'], 'mock is what a caller asks for, never what a pack declares'),
    );
  }
  if (binding.family === 'mothership' && !platform) {
    findings.push(finding('M015', FILE, ['binding', 'family'], 'only packs of the platform may use its credential'));
  }
  if (binding.family === 'user' && wrap?.workspace?.mode === 'project') {
    findings.push(
      finding(
        'M016',
        FILE,
        ['wrap', 'workspace', 'mode'],
        "a project's members share the workspace, so one could poison what runs with another's credential",
        'Use workspace.mode "workspace" or family "local".',
      ),
    );
  }
  if (wrap !== undefined) findings.push(...checkBin(wrap.bin, paths));
  return [...findings, ...checkEnv(manifest)];
}

function checkBin(bin: string, paths: readonly string[]): Finding[] {
  const where = ['wrap', 'bin'];
  const findings: Finding[] = [];
  const parts = bin.split('/');
  const escapes = bin.startsWith('/') || bin.startsWith('~') || parts.includes('..') || /[\\:\p{Cc}]/u.test(bin);
  if (escapes)
    findings.push(
      finding(
        'M007',
        FILE,
        where,
        'must be a file of the pack, or the plain name of a program',
        'For example "bin/tool".',
      ),
    );
  const name = (parts.at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
  if (SHELLS.has(name))
    findings.push(finding('M008', FILE, where, `${name} runs whatever it is told to`, 'Wrap the program itself.'));
  const path = parts.filter((part) => part !== '' && part !== '.').join('/');
  if (!escapes && bin.includes('/') && !paths.includes(path)) {
    findings.push(finding('M009', FILE, where, 'is no file of the pack'));
  }
  return findings;
}

function checkEnv(manifest: Manifest): Finding[] {
  const { binding, wrap } = manifest;
  const findings: Finding[] = [];
  const maps = [
    { keys: ['binding', 'env'], env: binding.env ?? {} },
    { keys: ['wrap', 'agent_env'], env: wrap?.agent_env ?? {} },
  ];
  const owner = binOwner(manifest);
  for (const { keys, env } of maps) {
    for (const [name, value] of Object.entries(env)) {
      // The words of the sandbox and of whoever binds, so that no pack is installed that can never run.
      const refused = refuseEnvironment({ [name]: value }, owner);
      if (refused !== null) findings.push(finding('M027', FILE, [...keys, name], refused));
      else if (/[\r\n]/.test(value)) findings.push(finding('M027', FILE, [...keys, name], 'holds a line break'));
      if (keys[0] === 'binding' && hasMalformedPlaceholder(parseToken(value))) {
        findings.push(finding('M012', FILE, [...keys, name], 'has braces that are no {{field}}'));
      }
    }
  }
  return findings;
}
