import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ResultEnvelope } from '@hcp/core';

/** Who calls, and with which headers besides. */
export interface McpHands {
  readonly token: string;
  readonly headers?: Record<string, string>;
}

/** The official client, connected to an API over HTTP. */
export async function mcpClient(base: string, { token, headers = {} }: McpHands): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { ...headers, authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', base), { requestInit }));
  return client;
}

/** Calls a tool; `document` is what it answers. */
export async function callTool<T = ResultEnvelope>(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  meta?: Record<string, unknown>,
): Promise<{ readonly failed: boolean; readonly document: T; readonly text: string }> {
  const params = { name, arguments: args, ...(meta && { _meta: meta }) };
  const { isError, structuredContent, content } = await client.callTool(params);
  const [first] = content;
  return {
    failed: isError === true,
    document: structuredContent as T,
    text: first?.type === 'text' ? first.text : '',
  };
}

/** The names of all tools, over all pages. */
export async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** The error that a call ends with, as the protocol has it. */
export async function protocolError(
  call: Promise<unknown>,
): Promise<{ code: number; message: string; data?: unknown }> {
  return call.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => {
      const { code, message, data } = error as { code: number; message: string; data?: unknown };
      return { code, message, data };
    },
  );
}
