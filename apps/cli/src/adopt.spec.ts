import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ACCESS_COMMANDS, denyRules } from './adopt/deny-rules.js';
import { hcpx, tempDir } from './testing/harness.js';
import { diffLines } from './ui/diff.js';

interface Settings {
  env: Record<string, string>;
  permissions: { allow?: string[]; deny: string[] };
}

async function setup(settings?: string) {
  const cwd = await tempDir();
  const user_home = await tempDir();
  const file = join(cwd, '.claude', 'settings.json');
  if (settings !== undefined) {
    await mkdir(join(cwd, '.claude'));
    await writeFile(file, settings);
  }
  const run = (...words: string[]) =>
    hcpx(['adopt', ...words], { home: join(user_home, '.config', 'hcp'), cwd, user_home });
  const read = async () => JSON.parse(await readFile(file, 'utf8')) as Settings;
  return { cwd, user_home, file, run, read };
}

/** Claude Code's matching: `*` is any text, and a ` *` at the end may be missing. */
function denies(rules: readonly string[], command: string): boolean {
  return rules.some((rule) => {
    const pattern = /^Bash\((.*)\)$/.exec(rule)?.[1];
    if (pattern === undefined) return false;
    const escaped = (text: string): string => text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&');
    const source = pattern.endsWith(' *')
      ? `${pattern.slice(0, -2).split('*').map(escaped).join('.*')}( .*)?`
      : pattern.split('*').map(escaped).join('.*');
    return new RegExp(`^${source}$`, 's').test(command);
  });
}

describe('hcpx adopt claude', () => {
  it('makes the settings of the project', async () => {
    const { run, read, file } = await setup();
    const done = await run('claude');
    expect(done).toMatchObject({ code: 0 });
    expect(done.out.split('\n')[0]).toBe(file);
    expect(done.out).toContain('+     "HCP_AGENT": "1"');
    const { env, permissions } = await read();
    expect(env).toEqual({ HCP_AGENT: '1' });
    expect(permissions.deny).toContain('Edit(~/.config/hcp/**)');
  });

  it('keeps what is there, and does nothing the second time', async () => {
    const before = {
      model: 'x',
      env: { A: 'b', HCP_AGENT: '0' },
      permissions: { allow: ['Bash(ls *)'], deny: ['Read(.env)', 'Bash(hcpx approve *)'] },
      hooks: { PreToolUse: [{ matcher: 'Bash' }] },
    };
    const { run, read, file } = await setup(JSON.stringify(before, null, 4));
    await run('claude');
    const after = await read();
    expect(after).toMatchObject({ ...before, env: { A: 'b', HCP_AGENT: '1' }, permissions: { allow: ['Bash(ls *)'] } });
    expect(after.permissions.deny.slice(0, 2)).toEqual(before.permissions.deny);
    expect(new Set(after.permissions.deny).size).toBe(after.permissions.deny.length);
    const text = await readFile(file, 'utf8');
    expect(text).toContain('\n    "model"');
    expect(await run('claude')).toEqual({ code: 0, out: '', err: 'nothing to change: it is adopted already\n' });
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it.each([
    ['no JSON', '{ // mine\n}'],
    ['a name twice', '{"env":{"A":"1"},"env":{}}'],
    ['a list', '[]'],
    ['another env', '{"env":[]}'],
    ['other permissions', '{"permissions":"none"}'],
    ['another deny', '{"permissions":{"deny":"Bash"}}'],
    ['a number that would change', '{"n":12345678901234567890}'],
  ])('leaves %s alone, and writes nothing', async (_, text) => {
    const { cwd, run, file } = await setup(text);
    const done = await run('claude', '--mcp');
    expect(done.code).toBe(1);
    expect(done.err).toContain('Nothing was written.');
    expect(done.err.split('\n')[0]?.replace('error: ', '')).not.toContain(': ');
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(await readdir(cwd)).toEqual(['.claude']);
  });

  it('writes nothing with --dry-run', async () => {
    const { cwd, run } = await setup();
    expect((await run('claude', '--dry-run')).out).toContain('HCP_AGENT');
    expect(await readdir(cwd)).toEqual([]);
  });

  it('serves all projects with --user, through a link', async () => {
    const { cwd, user_home, run } = await setup();
    const real = join(user_home, 'dotfiles.json');
    await writeFile(real, '{"model":"x"}');
    await mkdir(join(user_home, '.claude'));
    await symlink(real, join(user_home, '.claude', 'settings.json'));
    expect((await run('claude', '--user')).code).toBe(0);
    expect(JSON.parse(await readFile(real, 'utf8'))).toMatchObject({ model: 'x', env: { HCP_AGENT: '1' } });
    expect(await readdir(cwd)).toEqual([]);
    expect((await run('claude', '--user', '--mcp')).code).toBe(2);
  });

  it('leaves a file to those alone who could read it', async () => {
    const { run, file } = await setup('{"env":{"TOKEN":"t"}}');
    await chmod(file, 0o600);
    expect((await run('claude')).code).toBe(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('registers the MCP server where asked, and leaves others', async () => {
    const { cwd, run } = await setup();
    const file = join(cwd, '.mcp.json');
    await writeFile(file, '{"mcpServers":{"other":{"command":"x"}}}');
    // In these tests there is no PATH.
    expect((await run('claude', '--mcp')).err).toContain('warning: hcpx is not on PATH here');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      mcpServers: { other: { command: 'x' }, hcp: { command: 'hcpx', args: ['mcp'], env: { HCP_AGENT: '1' } } },
    });
  });
});

describe('the rules', () => {
  const rules = denyRules('/home/ann/.config/hcp', '/home/ann');

  it.each(ACCESS_COMMANDS)('deny hcpx %s however it is called', (words) => {
    for (const start of [
      'hcpx',
      'npx hcpx',
      'npx -y hcpx',
      '/usr/local/bin/hcpx',
      './node_modules/.bin/hcpx',
      'node apps/cli/bin/hcpx.js',
      'A=1 hcpx',
      'hcpx --json',
      'hcpx --url https://x',
      'cd x && hcpx',
    ]) {
      expect(denies(rules, `${start} ${words} x`), start).toBe(true);
    }
    expect(denies(rules, `hcpx ${words}`)).toBe(true);
    expect(denies(rules, `bash -c "hcpx ${words} x"`)).toBe(true);
  });

  it('deny taking the variable away, and what touches the store', () => {
    for (const command of [
      'HCP_AGENT=0 hcpx exec a b',
      'env -u HCP_AGENT hcpx exec a b',
      'unset HCP_AGENT',
      'cat ~/.config/hcp/hosts.json',
    ]) {
      expect(denies(rules, command), command).toBe(true);
    }
  });

  it('let an agent work', () => {
    for (const command of [
      'hcpx commands',
      'hcpx exec ledger transfer -- amount=2.80',
      'hcpx access',
      'hcpx approvals',
      'hcpx rules',
      'hcpx preview a b',
      'git commit -m "approve"',
    ]) {
      expect(denies(rules, command), command).toBe(false);
    }
  });

  it('name a store outside the home by its whole path', () => {
    expect(denyRules('/srv/hcp', '/home/ann').slice(-3)).toEqual([
      'Edit(//srv/hcp/**)',
      'Read(//srv/hcp/**)',
      'Bash(*/srv/hcp*)',
    ]);
  });
});

describe('hcpx adopt codex', () => {
  it('prints, and writes nothing', async () => {
    const { cwd, user_home, run } = await setup();
    const { code, out } = await run('codex', '--mcp');
    expect(code).toBe(0);
    expect(out).toContain('[shell_environment_policy]\nset = { HCP_AGENT = "1" }\n');
    expect(out).toContain('[mcp_servers.hcp]\ncommand = "hcpx"\nargs = ["mcp"]\n');
    expect([...(await readdir(cwd)), ...(await readdir(user_home))]).toEqual([]);
  });
});

describe('diffLines', () => {
  it('shows what goes and what comes', () => {
    expect(diffLines('a\nb\nc\n', 'a\nx\nc\nd\n')).toEqual(['+ x', '- b', '+ d']);
    expect(diffLines('', 'a\n')).toEqual(['+ a']);
    expect(diffLines('a\n', 'a\n')).toEqual([]);
  });
});
