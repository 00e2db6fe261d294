import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkPack } from '@hcp/core';
import { describe, expect, it } from 'vitest';
import { hcpx, tempDir } from './testing/harness.js';

const NODE = process.execPath;

/** A program that prints these helps, as a script in a folder of its own. */
async function script(name: string, body: string): Promise<string> {
  const path = join(await tempDir(), name);
  await writeFile(path, `#!${NODE}\n${body}`);
  await chmod(path, 0o755);
  return path;
}

const HELP = {
  root: `Usage: tab [options] [command]

Keeps what people owe for coffee.

Commands:
  list            List what is owed
  add <amount>    Put a coffee on the tab
  pay <person>    Pay a person back
  forget          Forget what a person owes
  help [command]  display help for command`,
  list: 'Usage: tab list [options]\n\nOptions:\n  --json  print JSON',
  forget: 'Usage: tab forget <person>\n\nOptions:\n  -y, --yes         do not ask\n  --hook <command>  run it after',
};

/** Prints its help, and that of two of its commands. */
const tab = (): Promise<string> =>
  script(
    'tab',
    `const help = ${JSON.stringify(HELP)};
     const [first, second] = process.argv.slice(2);
     if (first === '--help') console.log(help.root);
     else if (second === '--help' && help[first]) console.log(help[first]);
     else process.exit(1);`,
  );

async function wrap(words: string[], more: { cwd?: string; path?: string } = {}) {
  const cwd = more.cwd ?? (await tempDir());
  const done = await hcpx(['wrap', ...words], {
    home: join(cwd, 'home'),
    cwd,
    user_home: await tempDir(),
    vars: { PATH: more.path ?? process.env['PATH'] ?? '', HCP_TOKEN: 'hcp_id_topsecret' },
  });
  return { ...done, cwd };
}

async function checked(dir: string) {
  const [manifest, surface, policy, skill] = await Promise.all(
    ['manifest.json', 'surface.json', 'policy.json', 'SKILL.md'].map((name) => readFile(join(dir, name), 'utf8')),
  );
  return checkPack({ manifest, surface, policy, skill, paths: ['bin/tab'] });
}

describe('hcpx wrap', () => {
  it('drafts a pack that is fit to install', async () => {
    const { code, cwd, err } = await wrap([await tab()]);
    expect({ code, err }).toMatchObject({ code: 0 });
    const { findings, pack } = await checked(join(cwd, 'tab'));
    expect(findings).toEqual([]);
    expect(pack?.manifest).toMatchObject({ pack_id: 'tab', wrap: { bin: 'tab' } });
    expect(pack?.surface.commands['forget']?.cli).toEqual(['tab', 'forget', '{{person}}', '--yes']);
  });

  it.each([
    ['git', ['log', 'status', 'commit', 'push']],
    ['npm', ['ls', 'install', 'publish']],
    ['node', ['run']],
  ])('drafts %s as it is on this machine', { timeout: 120_000 }, async (name, verbs) => {
    const path = [dirname(NODE), process.env['PATH']].join(':');
    const { code, cwd, err } = await wrap([name], { path });
    expect({ code, err }).toMatchObject({ code: 0 });
    const { findings, pack } = await checked(join(cwd, name));
    expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
    expect(Object.keys(pack?.surface.commands ?? {})).toEqual(expect.arrayContaining(verbs));
    expect(pack?.policy.commands['push']?.confirm ?? true).toBe(true);
  });

  it('says what it made, what to look at, and how to go on', async () => {
    const program = await tab();
    const done = await wrap([program, '--out', 'made here', '--pack-id', 'coffee', '--name', 'Coffee']);
    expect(done.out).toBe(
      'list\tread\t-\tList what is owed\nadd\twrite\t-\tPut a coffee on the tab\n' +
        'pay\twrite\talways\tPay a person back\nforget\twrite\tyes\tForget what a person owes\n',
    );
    expect(done.err).toContain('note: forget: without --hook: they run other programs or load code\n');
    expect(done.err).toContain(`HCP_ALLOWED_BINS=tab=${program}`);
    expect(done.err).toContain("Then: hcpx check 'made here'\n      hcpx pack push 'made here' --activate\n");
    const { pack } = await checked(join(done.cwd, 'made here'));
    expect(pack?.manifest).toMatchObject({ pack_id: 'coffee', name: 'Coffee' });
    const json = await wrap([program, '--json', '--workspace', 'project']);
    expect(JSON.parse(json.out)).toMatchObject({
      ok: true,
      pack_id: 'tab',
      files: ['manifest.json', 'surface.json', 'policy.json', 'SKILL.md'],
    });
    expect((await checked(join(json.cwd, 'tab'))).pack?.policy.commands['list']?.privacy.land).toBe('local');
  });

  it('names a folder that is elsewhere by its whole path', async () => {
    const elsewhere = join(await tempDir(), 'tab');
    const { err } = await wrap([await tab(), '--out', elsewhere]);
    expect(err).toContain(` in ${elsewhere}: `);
    expect(err).toContain(`hcpx check ${elsewhere}\n`);
  });

  it('copies a program into the pack where asked, and finds one that is there', async () => {
    const program = await tab();
    const { cwd, err } = await wrap([program, '--copy']);
    expect(err).not.toContain('HCP_ALLOWED_BINS');
    expect((await stat(join(cwd, 'tab/bin/tab'))).mode & 0o777).toBe(0o755);
    expect((await checked(join(cwd, 'tab'))).pack?.manifest.wrap?.bin).toBe('bin/tab');
    const again = await wrap(['tab/bin/tab', '--out', 'tab', '--force'], { cwd });
    expect(again.code).toBe(0);
    expect((await checked(join(cwd, 'tab'))).pack?.manifest.wrap?.bin).toBe('bin/tab');
  });

  it('writes into no folder that holds anything, unless told to, and loses no other file', async () => {
    const cwd = await tempDir();
    await mkdir(join(cwd, 'tab'));
    await writeFile(join(cwd, 'tab', 'mine.txt'), 'x');
    const program = await tab();
    const refused = await wrap([program], { cwd });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('is not empty');
    expect(await readdir(join(cwd, 'tab'))).toEqual(['mine.txt']);
    expect((await wrap([program, '--force'], { cwd })).code).toBe(0);
    expect(await readFile(join(cwd, 'tab', 'mine.txt'), 'utf8')).toBe('x');
  });

  it.each([
    ['nothing of the name', ['no-such-program-here'], 2, 'not on PATH'],
    ['a path to nothing', ['./nothing'], 2, 'right to execute'],
    ['a bad id', ['node', '--pack-id', 'No'], 2, '--pack-id'],
    ['the id of hcp-cli', ['node', '--pack-id', 'hcp-cli'], 2, '--pack-id'],
    ['a shell', ['sh'], 1, 'M008'],
  ])('refuses %s and writes nothing', async (_, words, code, said) => {
    const done = await wrap(words);
    expect(done.code).toBe(code);
    expect(done.out + done.err).toContain(said);
    expect(await readdir(done.cwd)).toEqual([]);
  });

  it('writes through no link that is in the folder', async () => {
    const program = await tab();
    const [cwd, away] = [await tempDir(), await tempDir()];
    await writeFile(join(away, 'precious'), 'mine');
    await mkdir(join(cwd, 'tab'));
    await symlink(join(away, 'precious'), join(cwd, 'tab/SKILL.md'));
    await symlink(away, join(cwd, 'tab/bin'));
    const out = await wrap([program, '--force', '--copy'], { cwd });
    expect(out).toMatchObject({ code: 1 });
    expect(out.err).toContain('leads out of');
    expect((await wrap([program, '--force'], { cwd })).code).toBe(0);
    expect(await readdir(away)).toEqual(['precious']);
    expect(await readFile(join(away, 'precious'), 'utf8')).toBe('mine');
    expect(await readFile(join(cwd, 'tab/SKILL.md'), 'utf8')).toContain('#');
  });

  it('runs the program with help alone, in an empty folder, without input, terminal or our variables', async () => {
    const seen = await script(
      'seen',
      `const fs = require('node:fs');
       const report = { argv: process.argv.slice(2), files: fs.readdirSync('.'), stdin: fs.readFileSync(0, 'utf8'),
         tty: process.stdout.isTTY === true, hcp: Object.keys(process.env).filter((name) => name.startsWith('HCP_')), pager: process.env.PAGER };
       console.log('Usage: seen [options]\\n\\nOptions:\\n  --it  ' + JSON.stringify(report));`,
    );
    const { code, cwd } = await wrap([seen]);
    expect(code).toBe(0);
    const surface = await readFile(join(cwd, 'seen', 'surface.json'), 'utf8');
    const commands = (
      JSON.parse(surface) as { commands: { run: { args: { properties: { it: { description: string } } } } } }
    ).commands;
    expect(JSON.parse(commands.run.args.properties.it.description)).toEqual({
      ...{ argv: ['--help'], files: [], stdin: '', tty: false, hcp: [], pager: 'cat' },
    });
  });

  it('takes the short help where the long one says nothing', async () => {
    const program = await script(
      'short',
      `const [first, second] = process.argv.slice(2);
       if (first === '--help') console.log('Commands:\\n  paint  Paint it');
       else if (second === '-h') { console.error('usage: short paint <colour>'); process.exit(129); }
       else console.log('SHORT-PAINT(1)\\n\\nNAME\\n   short-paint');`,
    );
    const { cwd } = await wrap([program]);
    expect((await checked(join(cwd, 'short'))).pack?.surface.commands['paint']?.cli).toEqual([
      'short',
      'paint',
      '{{colour}}',
    ]);
  });

  it('says so where a program prints no help, and ends one that prints without end', async () => {
    const silent = await wrap([await script('silent', '')]);
    expect(silent).toMatchObject({ code: 1 });
    expect(silent.err).toContain('prints no help');
    const endless = await script(
      'endless',
      `process.stdout.write('Usage: endless [options]\\n\\n'); const more = () => process.stdout.write('x'.repeat(65536), more); more();`,
    );
    expect((await wrap([endless])).code).toBe(0);
  });
});
