import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AT, DIGEST, hcpx, ID, me, problem, startApi, tempDir, type Handlers } from './testing/harness.js';

const FILES = `/v1/projects/${ID}/files`;
const listing = {
  items: [
    { name: 'a\u001b[2Jb', kind: 'file', size: 3, modified_at: AT, addressable: false },
    { name: 'docs', kind: 'folder', size: null, modified_at: AT, addressable: true },
  ],
  next_cursor: null,
  truncated: true,
};

async function at(handlers: Handlers) {
  const home = await tempDir();
  const { url, calls } = await startApi(handlers);
  const go = (argv: string[], terminal = false) =>
    hcpx(argv, { home, terminal, vars: { HCP_URL: url, HCP_TOKEN: 'hcp_key' } });
  return { home, calls, go };
}

describe('hcpx files', () => {
  it('lists a folder, with names made safe', async () => {
    const { go } = await at({ [`GET ${FILES}/docs`]: () => ({ json: listing }) });
    const { code, out, err } = await go(['files', 'list', 'docs', '--project', ID], true);
    expect([code, out.includes('\u001b[2J')]).toEqual([0, false]);
    expect(out).toContain('docs');
    expect(err).toContain('more');
  });

  it('puts bytes under an address that is escaped, and takes the only project', async () => {
    const written = { path: 'in/a b?.txt', size: 2, sha256: '0'.repeat(64), created: true };
    const project = { id: ID, name: 'Main', created_at: AT };
    const { home, go, calls } = await at({
      'GET /v1/me': () => ({ json: me() }),
      'GET /v1/projects': () => ({ json: { items: [project], next_cursor: null } }),
      [`PUT ${FILES}/in/a%20b%3F.txt`]: () => ({ json: written }),
    });
    await writeFile(join(home, 'local'), Buffer.from([0, 255]));
    const { code, out } = await go(['files', 'put', join(home, 'local'), 'in/a b?.txt', '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, written]);
    const sent = calls.at(-1);
    expect(sent?.headers['content-type']).toBe('application/octet-stream');
    expect(sent?.body).toEqual(Buffer.from([0, 255]));
  });

  it.each(['../x', 'a/../../b', './a', '..'])('never sends the path %s', async (path) => {
    const { go, calls } = await at({});
    const { code } = await go(['files', 'rm', path, '--project', ID]);
    expect([code, calls]).toEqual([2, []]);
  });

  it('asks which project where there are several', async () => {
    const projects = ['Main', 'Other'].map((name) => ({ id: ID, name, created_at: AT }));
    const { go } = await at({
      'GET /v1/me': () => ({ json: me() }),
      'GET /v1/projects': () => ({ json: { items: projects, next_cursor: null } }),
    });
    expect(await go(['files', 'list'])).toMatchObject({ code: 2, err: expect.stringContaining('--project') as string });
  });

  it('puts a folder with -r, and says so where it is missing', async () => {
    const { home, go, calls } = await at({
      [`PUT ${FILES}/in/a`]: () => ({ json: { path: 'in/a', size: 1, sha256: '0'.repeat(64), created: true } }),
      [`PUT ${FILES}/in/sub/b`]: () => ({ json: { path: 'in/sub/b', size: 1, sha256: '0'.repeat(64), created: true } }),
    });
    const dir = join(home, 'dir');
    await mkdir(join(dir, 'sub'), { recursive: true });
    await writeFile(join(dir, 'a'), 'a');
    await writeFile(join(dir, 'sub', 'b'), 'b');
    const refused = await go(['files', 'put', dir, 'in', '--project', ID]);
    expect([refused.code, refused.err.includes('is a folder'), refused.err.includes('-r')]).toEqual([2, true, true]);
    const { code, err } = await go(['files', 'put', '-r', dir, 'in/', '--project', ID]);
    expect([code, err]).toEqual([0, 'in/a: 1 bytes, new\nin/sub/b: 1 bytes, new\n']);
    expect(calls.map(({ body }) => String(body))).toEqual(['a', 'b']);
  });

  it('names -r where a folder is not empty, and nothing of the kind for other conflicts', async () => {
    const { go } = await at({
      [`DELETE ${FILES}/full`]: () =>
        problem(409, 'conflict', { detail: 'the folder is not empty; ask for recursive=1' }),
      [`DELETE ${FILES}/link`]: () => problem(409, 'conflict', { detail: 'there is a link' }),
    });
    expect((await go(['files', 'rm', 'full', '--project', ID])).err).toContain('Give -r');
    expect((await go(['files', 'rm', 'link', '--project', ID])).err).toBe('error: there is a link\n');
  });

  it('says that there is no project', async () => {
    const { go } = await at({
      'GET /v1/me': () => ({ json: me() }),
      'GET /v1/projects': () => ({ json: { items: [], next_cursor: null } }),
    });
    expect((await go(['files', 'list'])).err).toContain('there is no project');
  });

  it('says when to try a busy workspace again', async () => {
    const { go } = await at({
      [`DELETE ${FILES}/a`]: () => problem(409, 'workspace_busy', { retry_after_ms: 1000 }),
    });
    const { code, err } = await go(['files', 'rm', 'a', '--project', ID]);
    expect([code, err.includes('Try again in 1 s.')]).toEqual([1, true]);
  });

  it('does not take a folder for a file', async () => {
    const { home, go } = await at({ [`GET ${FILES}/docs`]: () => ({ json: listing }) });
    const { code } = await go(['files', 'get', 'docs', join(home, 'x'), '--project', ID]);
    expect(code).toBe(1);
    await expect(readFile(join(home, 'x'))).rejects.toThrow('ENOENT');
  });
});

describe('hcpx pack', () => {
  const pack = {
    ...{ pack_id: 'ledger', name: 'Ledger', description: 'Books.', kind: 'wrap', platform: true, commands: [] },
    ...{ stopped: false, command_count: 0, needs_binding: false, provider: null },
    versions: ['2.0.0', '1.0.0'].map((version) => ({
      ...{ version, digest: DIGEST, created_at: AT, created_by: null, created_by_name: null },
    })),
    activations: [
      { project_id: null, version: '1.0.0', activated_at: AT, activated_by: null, activated_by_name: null },
    ],
    version: '1.0.0',
  };

  it('versions shows each and where it is active', async () => {
    const { go } = await at({ 'GET /v1/packs/ledger': () => ({ json: pack }) });
    const { code, out } = await go(['pack', 'versions', 'ledger']);
    expect([code, out]).toEqual([0, `2.0.0\t-\t${AT}\t${DIGEST}\n1.0.0\ttenant\t${AT}\t${DIGEST}\n`]);
  });

  it('rollback goes back, from the version that was seen', async () => {
    const active = { pack_id: 'ledger', version: '1.0.0', digest: DIGEST, project_id: null, activated_at: AT };
    const { go, calls } = await at({ 'POST /v1/packs/ledger/activation/rollback': () => ({ json: active }) });
    const { code, err } = await go(['pack', 'rollback', 'ledger', '--from', '2.0.0']);
    expect([code, err]).toEqual([0, 'ledger 1.0.0 is active again in the tenant\n']);
    expect(JSON.parse(calls[0]?.body.toString() ?? '')).toEqual({ from_version: '2.0.0' });
  });
});
