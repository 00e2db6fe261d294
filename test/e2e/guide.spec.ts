import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeAgent, makeGrant } from '@hcp/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allowedBins } from '../../scripts/lib/programs.mjs';
import { keyFor, startStack, tenantWithOwner, type Stack } from '../support/stack.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GUIDES = join(ROOT, 'docs/guides');
const WRAP = join(GUIDES, 'wrap-your-own-cli.md');
/** Not to be followed here: one shows forms to fill in, the other sets up the machine. */
const READ_ONLY = ['access.md', 'gvisor.md', 'keys.md', 'mcp.md'];
const FOLLOWED = [
  'a-pack-with-a-secret.md',
  'audit.md',
  'compose-commands.md',
  'connect-an-oauth-service.md',
  'git-and-jq-on-your-files.md',
  'sdk.md',
  'sense.md',
  'webhooks.md',
  'wrap-an-http-api.md',
  'wrap-your-own-cli.md',
];
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
let homes: string;

beforeAll(async () => {
  stack = await startStack({
    // A guide's own receiver listens on this machine.
    env: { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' },
    worker_env: { HCP_ALLOWED_BINS: allowedBins() },
  });
  homes = await mkdtemp(join(tmpdir(), 'guides-'));
}, 120_000);

afterAll(async () => {
  await stack.stop();
  await rm(homes, { recursive: true, force: true });
});

/** A demo of this guide's own, in a new home: the folder that holds its dev.json. */
async function demo(name: string): Promise<string> {
  const { db } = stack.database;
  const { tenant_id, owner } = await tenantWithOwner(stack);
  const agent = await makeAgent(db, tenant_id, { acts_for: owner.id });
  await makeGrant(db, tenant_id, agent.id, 'verb.exec.read');
  const { key } = await keyFor(stack, tenant_id, agent.id);
  const project = await stack.call<{ id: string }>('POST', '/v1/projects', {
    token: owner.token,
    body: { name: 'demo' },
  });
  await stack.call('PUT', `/v1/projects/${project.body.id}/members/${owner.id}`, { token: owner.token });
  const dev = {
    url: stack.urls[0],
    project_id: project.body.id,
    owner: { email: owner.email, password: owner.password },
    agent: { api_key: key },
  };
  const home = join(homes, name);
  await mkdir(home);
  await writeFile(join(home, 'dev.json'), JSON.stringify(dev));
  return home;
}

it('names schemas that are there', async () => {
  const named = (await readFile(WRAP, 'utf8')).matchAll(/"\$schema": "http:\/\/127\.0\.0\.1:3000(\/[^"]+)"/g);
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

/** Runs all blocks in one shell, as a reader does; gives each one's output, both streams together. */
async function follow(all: readonly Step[], home: string): Promise<string[]> {
  const script = all.map(({ commands }) => `${commands}\necho '${END}'`).join('\n');
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: ROOT,
    env: { PATH, HOME: home, HCP_STATE_DIR: home, LANG: 'C.UTF-8' },
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

it('are all followed but for those named here', async () => {
  const followed = [];
  for (const name of await readdir(GUIDES)) {
    const text = await readFile(join(GUIDES, name), 'utf8');
    if (/A test runs every\s+command below/.test(text)) followed.push(name);
    else expect(READ_ONLY).toContain(name);
  }
  expect(followed.sort()).toEqual(FOLLOWED);
});

it.each(FOLLOWED)('%s does what it says, command by command', { timeout: 180_000 }, async (name) => {
  const all = steps(await readFile(join(GUIDES, name), 'utf8'));
  expect(all.length).toBeGreaterThan(3);
  const outputs = await follow(all, await demo(name));
  expect(outputs).toHaveLength(all.length);
  const missing = all.flatMap(({ heading, shown }, index) =>
    shown
      .filter((line) => !isShown(line, outputs[index] ?? ''))
      .map((line) => `${heading}: ${line}\n--- but got ---\n${outputs[index] ?? ''}`),
  );
  expect(missing.join('\n')).toBe('');
});
