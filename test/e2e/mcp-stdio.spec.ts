import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HCPX, terminal, type Terminal } from '../support/hcpx.js';
import { callTool, mcpClient, protocolError, toolNames } from '../support/mcp.js';
import { archiveOf } from '../support/packs.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** `hcpx mcp`: the API's tools over standard input and output, by the official client (SPEC I2, I3). */

const PACKS = ['ledger', 'transit'].map((name) =>
  fileURLToPath(new URL(`../../examples/packs/${name}`, import.meta.url)),
);

let stack: Stack;
let owner: Person;
let home: Terminal;
beforeAll(async () => {
  stack = await startStack();
  ({ owner } = await tenantWithOwner(stack));
  for (const pack of PACKS) await install(stack, owner.token, await archiveOf(pack));
  home = await terminal();
  const login = ['login', '--url', stack.urls[0], '--email', owner.email, '--password-stdin'];
  expect((await home.hcpx(login, { stdin: owner.password })).code).toBe(0);
}, 120_000);
afterAll(() => stack.stop());

/** Everything that is no message of the protocol on its standard output fails the test. */
async function started(mode: 'legacy' | 'auto', env: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  client.onerror = (error) => {
    throw error;
  };
  const args = { command: process.execPath, args: [HCPX, 'mcp'], stderr: 'inherit' as const };
  await client.connect(
    new StdioClientTransport({ ...args, env: { PATH: process.env.PATH ?? '', HCP_HOME: home.home, ...env } }),
  );
  return client;
}

describe.each(['legacy', 'auto'] as const)('hcpx mcp for a client that speaks as %s', (mode) => {
  let client: Client;
  beforeAll(async () => {
    client = await started(mode);
  });
  afterAll(() => client.close());

  it('has the tools of the API, and what it says of itself', async () => {
    const direct = await mcpClient(stack.urls[0], { token: owner.token });
    expect((await client.listTools()).tools).toEqual((await direct.listTools()).tools);
    expect(client.getInstructions()).toBe(direct.getInstructions());
    expect(client.getServerVersion()).toMatchObject({ name: 'hcp' });
    await direct.close();
  });

  it('runs a command, and passes refusals on', async () => {
    const ran = await callTool(client, 'transit__plan', { from: 'A', to: 'B' });
    expect(ran).toMatchObject({ failed: false, document: { ok: true, result: { verb: 'plan' } } });
    const wrong = await callTool(client, 'transit__plan', { from: 'A' });
    expect(wrong).toMatchObject({ failed: true, document: { code: 'invalid_args' } });
    const unknown = await protocolError(callTool(client, 'nothing__here'));
    expect(unknown).toMatchObject({ code: -32602, message: 'unknown tool', data: { code: 'unknown_pack' } });
    const prompts = client.request({ method: 'prompts/list', params: {} });
    expect(await protocolError(prompts)).toMatchObject({ code: -32601 });
  });

  it('asks, also where a person has signed in: an agent is at the other end', async () => {
    const pay = { amount: '2.80', payee: 'demo-transit', memo: mode, confirm: true };
    const asked = await callTool(client, 'ledger__transfer', pay);
    expect(asked).toMatchObject({ failed: true, document: { code: 'confirm_required' } });
    const id = String(asked.document.approval_id);
    const yes = await home.hcpx(['approve', id]);
    expect(yes, yes.stderr).toMatchObject({ code: 0 });
    expect(await callTool(client, 'ledger__transfer', pay)).toMatchObject({ failed: false, document: { ok: true } });
  });
});

describe('hcpx mcp', () => {
  it('takes a key from its environment', async () => {
    const client = await started('auto', { HCP_HOME: '/nonexistent', HCP_URL: stack.urls[0], HCP_TOKEN: owner.token });
    expect(await toolNames(client)).toContain('transit__plan');
    await client.close();
  });

  it('says on standard error alone why it cannot start', async () => {
    const nobody = await terminal({ HCP_URL: stack.urls[0] });
    const ended = await nobody.hcpx(['mcp']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('hcpx login');
  });

  it('ends with its input', async () => {
    expect(await home.hcpx(['mcp'])).toMatchObject({ code: 0, stdout: '' });
  });
});
