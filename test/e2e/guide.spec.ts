import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeAgent, makeGrant } from '@hcp/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keyFor, startStack, tenantWithOwner, type Stack } from '../support/stack.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GUIDE = join(ROOT, 'docs/guides/wrap-your-own-cli.md');
const END = '-- end of block --';

interface Step {
  readonly heading: string;
  readonly commands: string;
  /** Lines that the guide shows; `…` stands for anything. */
  readonly shown: readonly string[];
}

/** The guide's `sh` blocks, each with the `text` block behind it. */
function steps(markdown: string): Step[] {
  const found: Step[] = [];
  let heading = '';
  for (const [, title, language, body = ''] of markdown.matchAll(/^## (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title;
    else if (language === 'sh') found.push({ heading, commands: body, shown: [] });
    else if (language === 'text') {
      const last = found.pop();
      if (last) found.push({ ...last, shown: body.split('\n').filter(Boolean) });
    }
  }
  return found;
}

let stack: Stack;
let home: string;
/** What the guide says of the demo, and what it is in this test. */
let instead: readonly (readonly [string, string])[];

beforeAll(async () => {
  stack = await startStack();
  const { tenant_id, owner } = await tenantWithOwner(stack);
  const agent = await makeAgent(stack.database.db, tenant_id, { acts_for: owner.id });
  await makeGrant(stack.database.db, tenant_id, agent.id, 'verb.exec.read');
  const { key } = await keyFor(stack, tenant_id, agent.id);
  home = await mkdtemp(join(tmpdir(), 'guide-'));
  const dev_json = join(home, 'dev.json');
  await writeFile(
    dev_json,
    JSON.stringify({ owner: { email: owner.email, password: owner.password }, agent: { api_key: key } }),
  );
  instead = [
    ['http://127.0.0.1:3000', stack.urls[0]],
    ['./.hcp/dev.json', dev_json],
    ['owner@demo.example', owner.email],
  ];
}, 120_000);

afterAll(async () => {
  await stack.stop();
  await rm(home, { recursive: true, force: true });
});

it('names schemas that are there', async () => {
  const named = (await readFile(GUIDE, 'utf8')).matchAll(/"\$schema": "http:\/\/127\.0\.0\.1:3000(\/[^"]+)"/g);
  const paths = [...named].map(([, path = '']) => path);
  expect(paths).toEqual(['manifest', 'surface', 'policy'].map((name) => `/docs/schemas/${name}.json`));
  for (const path of paths) {
    const { status, body, headers } = await stack.call('GET', path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/schema+json');
    const name = path.split('/').at(-1) ?? '';
    expect(body).toEqual(JSON.parse(await readFile(join(ROOT, 'docs/reference/schemas', name), 'utf8')));
  }
});

const here = (text: string): string => instead.reduce((all, [from, to]) => all.replaceAll(from, to), text);

/** Runs all blocks in one shell, as a reader does; gives each one's output, both streams together. */
async function follow(all: readonly Step[]): Promise<string[]> {
  const script = all.map(({ commands }) => `${here(commands)}\necho '${END}'`).join('\n');
  const PATH = [dirname(process.execPath), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: ROOT,
    env: { PATH, HOME: home, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return output.split(`${END}\n`).slice(0, all.length);
}

/** Whether the pieces between the `…` stand in the output in this order, in one line or over several. */
function isShown(line: string, output: string): boolean {
  let at = 0;
  for (const piece of line.trim().split('…')) {
    const next = output.indexOf(piece, at);
    if (next === -1) return false;
    at = next + piece.length;
  }
  return true;
}

it('does what it says, command by command', { timeout: 180_000 }, async () => {
  const all = steps(await readFile(GUIDE, 'utf8'));
  expect(all.length).toBeGreaterThan(15);
  const outputs = await follow(all);
  expect(outputs).toHaveLength(all.length);
  const missing = all.flatMap(({ heading, shown }, index) =>
    shown
      .filter((line) => !isShown(here(line), outputs[index] ?? ''))
      .map((line) => `${heading}: ${line}\n--- but got ---\n${outputs[index] ?? ''}`),
  );
  expect(missing.join('\n')).toBe('');
});
