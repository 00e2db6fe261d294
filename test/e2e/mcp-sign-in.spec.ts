import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, CALLBACK } from '../support/oauth-browser.js';
import { callTool } from '../support/mcp.js';
import { startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** SPEC I2, T2: the official client signs a person in by itself, from the 401 to a call, on two API replicas. */
let stack: Stack;
let owner: Person;
beforeAll(async () => {
  stack = await startStack({ apis: 2, workers: 0 });
  ({ owner } = await tenantWithOwner(stack));
}, 120_000);
afterAll(() => stack.stop());

/** What a host of MCP servers keeps, and a person at a browser who says yes. */
class Host implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: 'The official client', redirect_uris: [CALLBACK] };
  client: StoredOAuthClientInformation | undefined;
  stored: StoredOAuthTokens | undefined;
  came_back: URL | undefined;
  discovered: OAuthDiscoveryState | undefined;
  #verifier = '';

  constructor(private readonly person: Person) {}

  clientInformation = () => this.client;
  saveClientInformation = (client: StoredOAuthClientInformation) => void (this.client = client);
  tokens = () => this.stored;
  saveTokens = (tokens: StoredOAuthTokens) => void (this.stored = tokens);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
  discoveryState = () => this.discovered;
  saveDiscoveryState = (state: OAuthDiscoveryState) => void (this.discovered = state);

  async redirectToAuthorization(url: URL): Promise<void> {
    const { email, password } = this.person;
    const browser = new Browser();
    const login = await browser.get(url.href);
    const asked = await browser.post(new URL('login', url).href, { ...login.fields, email, password });
    const answered = await browser.post(new URL('consent', url).href, { ...asked.fields, answer: 'yes' });
    this.came_back = new URL(answered.headers.get('location') ?? '');
  }
}

async function connected(host: Host): Promise<Client> {
  const address = new URL('/mcp', stack.urls[0]);
  const client = () => new Client({ name: 'test', version: '1.0.0' });
  const first = new StreamableHTTPClientTransport(address, { authProvider: host });
  await expect(client().connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
  if (!host.came_back) throw new Error('nobody was asked');
  await first.finishAuth(host.came_back.searchParams);
  const again = client();
  await again.connect(new StreamableHTTPClientTransport(address, { authProvider: host }));
  return again;
}

describe('the official client', () => {
  it('registers, sends the person to sign in, and calls as an agent of theirs', async () => {
    const host = new Host(owner);
    const client = await connected(host);
    expect(host.stored).toMatchObject({ token_type: 'Bearer', scope: 'mcp' });
    const { document } = await callTool<{ items: unknown[] }>(client, 'hcp_commands');
    expect(document.items.length).toBeGreaterThan(0);
    await client.close();
    const token = host.stored?.access_token ?? '';
    expect((await stack.call('GET', '/v1/me', { token })).status).toBe(401);
  });

  it('renews its tokens by itself, until the person ends its session', async () => {
    const host = new Host(owner);
    const client = await connected(host);
    const old = host.stored;
    if (!old) throw new Error('no tokens');
    host.stored = { ...old, access_token: 'no longer good' };
    await client.ping();
    expect(host.stored.refresh_token).not.toBe(old.refresh_token);
    const sessions = await stack.call<{ items: { id: string; client: { name: string } | null }[] }>(
      'GET',
      '/v1/sessions',
      { token: owner.token },
    );
    for (const { id, client: of } of sessions.body.items) {
      if (of?.name !== 'The official client') continue;
      expect((await stack.call('DELETE', `/v1/sessions/${id}`, { token: owner.token })).status).toBe(204);
    }
    for (const base of stack.urls) {
      const headers = { authorization: `Bearer ${host.stored.access_token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      const answer = await fetch(`${base}/mcp`, { method: 'POST', headers, body });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp');
    }
    await client.close();
  });
});
