import type { Finding } from '@hcp/core';
import { checkPack, EXIT, type PackFiles } from '@hcp/core';
import type { Command } from 'commander';
import type { Context } from '../context.js';
import { type PackFile, readPackDir } from '../pack/read-dir.js';
import { leaf, optionsOf } from './leaf.js';

export function registerCheck(program: Command, context: Context): void {
  leaf(program, 'check <dir>', 'Check a pack, without the API').action(
    async (dir: string, _options: unknown, command: Command) => {
      const { findings, pack } = checkPack(packFiles(await readPackDir(dir)));
      context.exit_code = pack === null ? EXIT.failure : EXIT.ok;
      if (optionsOf(command).json === true) {
        const ref = pack === null ? null : { pack_id: pack.manifest.pack_id, version: pack.manifest.version };
        context.ui.json({ ok: pack !== null, findings, pack: ref });
        return;
      }
      showFindings(context, findings);
      if (pack !== null) context.ui.note(`${pack.manifest.pack_id} ${pack.manifest.version} is fit to install`);
    },
  );
}

const TEXTS = {
  manifest: 'manifest.json',
  surface: 'surface.json',
  policy: 'policy.json',
  skill: 'SKILL.md',
  openapi: 'openapi.json',
};

function packFiles(files: readonly PackFile[]): PackFiles {
  const texts = Object.entries(TEXTS).flatMap(([name, path]) => {
    const file = files.find((each) => each.path === path);
    return file === undefined ? [] : [[name, file.content.toString('utf8')]];
  });
  return { ...(Object.fromEntries(texts) as Omit<PackFiles, 'paths'>), paths: files.map((file) => file.path) };
}

/** Findings with the way to mend them; a summary on standard error. */
export function showFindings({ ui }: Context, findings: readonly Finding[]): void {
  for (const finding of findings) {
    const level = ui.style(finding.level === 'error' ? 'red' : 'yellow', finding.level.padEnd(7));
    ui.line(`${level}  ${ui.safe(finding.code)}  ${ui.safe(finding.path)}`);
    ui.line(`         ${ui.safe(finding.message)}`);
    if (finding.fix !== undefined) ui.block(indent(`fix: ${finding.fix}`));
  }
  const errors = findings.filter((finding) => finding.level === 'error').length;
  ui.note(`${errors} errors, ${findings.length - errors} warnings`);
}

const indent = (text: string): string =>
  text
    .split('\n')
    .map((line) => `         ${line}`)
    .join('\n');
