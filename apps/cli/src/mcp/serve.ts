import type { Client } from '@modelcontextprotocol/client';
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Readable, Writable } from 'node:stream';

/** Longer than a call may wait for its run (SPEC E6). */
const CALL_TIMEOUT_MS = 150_000;

interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * The API's tools over standard input and output, until the input ends or `signal` aborts. Nothing is decided or kept
 * here: each request is one to the API.
 * @param tell what a person at the machine should hear
 */
export async function serveTools(
  upstream: Client,
  { input, output }: Streams,
  signal: AbortSignal,
  tell: (text: string) => void,
): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const handle = serveStdio(() => toolsOf(upstream, tell), {
    transport: new StdioServerTransport(input, output),
    // The API announces nothing, so there is nothing to subscribe to.
    maxSubscriptions: 0,
    onerror: () => tell('a message could not be read'),
  });
  await ended;
  await handle.close();
}

function toolsOf(upstream: Client, tell: (text: string) => void): Server {
  const info = upstream.getServerVersion() ?? { name: 'hcp', version: '1.0.0' };
  const instructions = upstream.getInstructions();
  const server = new Server(info, { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) });
  server.setRequestHandler('tools/list', ({ params }, { mcpReq }) =>
    passedOn(tell, () =>
      upstream.request(
        { method: 'tools/list', params: params?.cursor === undefined ? {} : { cursor: params.cursor } },
        { signal: mcpReq.signal },
      ),
    ),
  );
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    passedOn(tell, () => {
      const { progressToken, ...meta } = ctx.mcpReq._meta ?? {};
      const request = { name: params.name, arguments: params.arguments, _meta: meta };
      return upstream.request(
        { method: 'tools/call', params: request },
        {
          signal: ctx.mcpReq.signal,
          timeout: CALL_TIMEOUT_MS,
          ...(progressToken !== undefined && { onprogress: telling(ctx, progressToken) }),
        },
      );
    }),
  );
  return server;
}

const telling =
  ({ mcpReq }: ServerContext, progressToken: string | number) =>
  (params: { readonly progress: number; readonly message?: string | undefined }): void => {
    // Whoever hung up hears nothing.
    mcpReq.notify({ method: 'notifications/progress', params: { ...params, progressToken } }).catch(() => undefined);
  };

/** An error of the protocol as the API said it; of any other, only that there was one: its message may hold anything. */
async function passedOn<T>(tell: (text: string) => void, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { code, message, data } = error as { code?: unknown; message: string; data?: unknown };
    if (typeof code === 'number' && Number.isInteger(code)) throw new ProtocolError(code, message, data);
    tell('the API did not answer as it should; hcpx doctor looks closer');
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'the API did not answer as it should');
  }
}
