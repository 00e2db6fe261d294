import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNode } from '../support/process.js';
import { Callers, LOOK, type Hands } from './support/callers.js';

/** CASES 11: a narrow key lists the same commands over REST, by hcpx and on either replica. */

const HCPX = fileURLToPath(new URL('../../apps/cli/bin/hcpx.js', import.meta.url));

let at: Callers;
let home: string;
beforeAll(async () => {
  at = await Callers.start();
  home = await mkdtemp(join(tmpdir(), 'hcpx-'));
}, 120_000);
afterAll(async () => {
  await at.stack.stop();
  await rm(home, { recursive: true });
});

interface Row {
  readonly pack_id: string;
  readonly verb_key: string;
  readonly access: string;
}
const names = (rows: readonly Row[]): string[] =>
  rows.map(({ pack_id, verb_key, access }) => `${pack_id}.${verb_key} ${access}`).sort();

async function byHcpx(hands: Hands, ...words: string[]): Promise<{ code: number | null; out: string }> {
  const env = { HCP_URL: at.stack.urls[hands.replica ?? 0] ?? '', HCP_TOKEN: hands.token, HCP_HOME: home };
  const run = startNode(
    HCPX,
    { ...env, ...(hands.headers?.['hcp-session'] && { HCP_SESSION: hands.headers['hcp-session'] }) },
    words,
  );
  const code = await run.exited;
  return { code, out: run.output() };
}

async function listed(hands: Hands): Promise<{ rest: string[]; cli: string[] }> {
  const { body } = await at.ask<{ items: Row[] }>(hands, 'GET', '/v1/commands?limit=200');
  const { code, out } = await byHcpx(hands, 'commands', '--json');
  expect(code, out).toBe(0);
  return { rest: names(body.items), cli: names(JSON.parse(out) as Row[]) };
}

describe('the commands of a key', () => {
  it('are the same over REST and by hcpx, on either replica, and no more than its grants reach', async () => {
    const wide = await listed(await at.key(at.owner.id, [{ capability: 'verb.exec.read' }]));
    const hands = await at.key(at.owner.id);
    const narrow = await listed(hands);
    expect(narrow.cli).toEqual(narrow.rest);
    expect(await listed({ ...hands, replica: 1 })).toEqual(narrow);
    expect(wide.cli).toEqual(wide.rest);
    const allowed = (rows: readonly string[]): string[] =>
      rows.filter((row) => !row.startsWith('hcp-cli.') && !row.endsWith(' deny')).map((row) => row.split(' ')[0] ?? '');
    expect(allowed(narrow.rest)).toEqual(['first.look']);
    expect(allowed(wide.rest)).toEqual(['first.look', 'first.peek', 'second.look', 'second.peek']);
    expect(narrow.rest.some((row) => row.startsWith('second.'))).toBe(false);
  });

  it('in a session narrower than the key are the same too', async () => {
    const hands = await at.key(at.owner.id, [{ capability: 'verb.exec.read' }]);
    const { body } = await at.ask<{ id: string }>(hands, 'POST', '/v1/sessions', { packs: ['second'] });
    const { rest, cli } = await listed({ ...hands, headers: { 'hcp-session': body.id } });
    expect(cli).toEqual(rest);
    expect(rest.some((row) => row.startsWith('first.'))).toBe(false);
    expect(rest.some((row) => row.startsWith('second.'))).toBe(true);
  });

  it('run by hcpx no further than over REST', async () => {
    const hands = await at.key(at.owner.id, [LOOK]);
    expect((await byHcpx(hands, 'first', 'look')).code).toBe(0);
    const refused = await byHcpx(hands, 'exec', 'second', 'look', '--json');
    expect(refused.code).toBe(4);
    expect(refused.out).toContain('missing_capability');
  });
});
