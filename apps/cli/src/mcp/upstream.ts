import type { Hcp, RemoteRuntime } from '@hcp/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/**
 * A client of the API's `/mcp`. Its requests go out by the SDK, with the stored sign-in, session and mode of every other
 * command: the token is renewed where it ran out, and what a refusal says comes back as it is.
 */
export async function connectUpstream(hcp: Hcp<RemoteRuntime>, url: string, signal: AbortSignal): Promise<Client> {
  const send: typeof fetch = async (_input, init) => {
    // The API announces nothing, so there is no stream to open and no session to end.
    if (init?.method !== 'POST' || typeof init.body !== 'string') return new Response(null, { status: 405 });
    const headers = Object.fromEntries(new Headers(init.headers));
    return hcp.api.mcp.send(JSON.parse(init.body), { headers, ...(init.signal && { signal: init.signal }) });
  };
  const client = new Client({ name: 'hcpx', version: '0.1.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { fetch: send }), { signal });
  return client;
}
