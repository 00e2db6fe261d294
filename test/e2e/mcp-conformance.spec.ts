import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withToken } from '../support/mcp-proxy.js';
import { packArchive } from '../support/packs.js';
import { startNode } from '../support/process.js';
import { install, startStack, tenantWithOwner, type Stack } from '../support/stack.js';

/** The protocol's own trials of a server (SPEC I2). Those that are left out are listed in docs/guides/mcp.md too. */

const CONFORMANCE = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);

const APPLY = [
  'dns-rebinding-protection',
  'json-schema-2020-12',
  'ping',
  'server-initialize',
  'tools-call-error',
  'tools-call-with-progress',
  'tools-list',
];

const NO_PROMPTS = 'prompts are not offered';
const NO_RESOURCES = 'resources are not offered';
const NO_ASKING = 'a call never asks its client back: a person answers over the approval, not through the agent';
const NO_STREAM = 'requests are stateless: no session and no stream to come back to';
const OWN_RESULT = 'a tool answers the result envelope, and no content of the trial’s choice';

/** Every other scenario, and why it says nothing about this server. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'completion-complete': 'completions are not offered',
  'elicitation-sep1034-defaults': NO_ASKING,
  'elicitation-sep1330-enums': NO_ASKING,
  'logging-set-level': 'log messages are not offered',
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
  'prompts-list': NO_PROMPTS,
  'resources-list': NO_RESOURCES,
  'resources-read-binary': NO_RESOURCES,
  'resources-read-text': NO_RESOURCES,
  'resources-subscribe': NO_RESOURCES,
  'resources-templates-read': NO_RESOURCES,
  'resources-unsubscribe': NO_RESOURCES,
  'server-sse-multiple-streams': NO_STREAM,
  'server-sse-polling': NO_STREAM,
  'tools-call-audio': OWN_RESULT,
  'tools-call-elicitation': NO_ASKING,
  'tools-call-embedded-resource': OWN_RESULT,
  'tools-call-image': OWN_RESULT,
  'tools-call-mixed-content': OWN_RESULT,
  'tools-call-sampling': NO_ASKING,
  'tools-call-simple-text': OWN_RESULT,
  'tools-call-with-logging': 'log messages are not offered',
};

/** The trials call tools by these names. */
const NAMES = {
  test_error_handling: 'trial__fail',
  test_tool_with_progress: 'trial__wait',
  json_schema_2020_12_tool: 'trial__schema',
};

const BIN = '#!/bin/sh\n[ "$1" = fail ] && { echo no >&2; exit 1; }\n[ "$1" = wait ] && sleep 7\necho "{}"\n';

let stack: Stack;
let proxy: Awaited<ReturnType<typeof withToken>>;
let results: string;
beforeAll(async () => {
  stack = await startStack();
  const { owner } = await tenantWithOwner(stack);
  const args = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  } as const;
  const commands = {
    fail: { description: 'Fails.', cli: ['trial', 'fail'] },
    wait: { description: 'Waits.', cli: ['trial', 'wait'] },
    schema: { description: 'Takes an address.', cli: ['trial', 'schema'], args },
  };
  await install(stack, owner.token, await packArchive({ pack_id: 'trial', bin: BIN, commands }));
  proxy = await withToken(stack.urls[0], owner.token, NAMES);
  results = await mkdtemp(join(tmpdir(), 'conformance-'));
}, 120_000);
afterAll(async () => {
  await proxy.stop();
  await stack.stop();
  await rm(results, { recursive: true });
});

async function conformance(...words: string[]): Promise<string> {
  const run = startNode(CONFORMANCE, {}, words);
  await run.exited;
  return run.output();
}

describe('the scenarios of the conformance suite', () => {
  it('are each tried or left out for a reason', async () => {
    const listed = (await conformance('list', '--server')).split('Client scenarios')[0] ?? '';
    const known = [...listed.matchAll(/^ +- (\S+)/gm)].map(([, name]) => name);
    expect(known.length).toBeGreaterThan(0);
    expect(known.sort()).toEqual([...APPLY, ...Object.keys(LEFT_OUT)].sort());
  });

  it.each(APPLY)('pass: %s', async (scenario) => {
    const said = await conformance('server', '--url', `${proxy.url}/mcp`, '--scenario', scenario, '-o', results);
    const folder = (await readdir(results)).find((name) => name.startsWith(`server-${scenario}-`));
    const checks = JSON.parse(await readFile(join(results, String(folder), 'checks.json'), 'utf8')) as {
      id: string;
      status: string;
      errorMessage?: string;
    }[];
    const tried = checks.filter(({ status }) => status !== 'INFO');
    expect(tried.length, said).toBeGreaterThan(0);
    expect(tried.filter(({ status }) => status !== 'SUCCESS')).toEqual([]);
  });
});
