import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { pinnedLookup } from '@hcp/egress';
import { type Gate, proxyRefusal, type ProxyRefusal } from './gate.js';

/** Of one connection and not of the message (RFC 9110, 7.6.1), or said anew by us. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect', 'host'],
]);

/** Serves one request of plain HTTP in absolute form. */
export async function forward(
  gate: Gate,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const url = targetOf(request.url ?? '');
  if (url === null) return refuse(response, proxyRefusal(400, 'this is a proxy for http:// URLs and CONNECT'));
  const port = url.port === '' ? 80 : Number(url.port);
  const checked = await gate.admit(url.hostname, port, signal);
  if (!checked.ok) return refuse(response, checked);
  const upstream = httpRequest({
    host: checked.host,
    port,
    lookup: pinnedLookup(checked),
    agent: false,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: [...endToEnd(request), 'Host', url.host, 'Connection', 'close', ...framing(request)],
    signal,
  });
  upstream.once('socket', (socket) => {
    socket.once('close', () => {
      if (socket.bytesWritten === 0 && socket.bytesRead === 0) return;
      gate.ledger.contacted(checked.host, port, { sent: socket.bytesWritten, received: socket.bytesRead });
    });
  });
  upstream.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer));
    pipeline(answer, response, (error) => {
      if (error) response.destroy();
    });
  });
  upstream.on('error', () => {
    if (response.headersSent || response.destroyed) return void response.destroy();
    gate.ledger.refused(checked.host, port, 'connect_failed');
    refuse(response, proxyRefusal(502, `${checked.host} cannot be reached`));
  });
  response.once('close', () => upstream.destroy());
  pipeline(request, upstream, () => undefined);
}

function targetOf(text: string): URL | null {
  if (!/^http:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : null;
}

/** Names and values in turn, as they came. */
function endToEnd(message: IncomingMessage): string[] {
  const named = (message.headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  const kept: string[] = [];
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) {
    const name = message.rawHeaders[at] ?? '';
    if (HOP_BY_HOP.has(name.toLowerCase()) || named.includes(name.toLowerCase())) continue;
    kept.push(name, message.rawHeaders[at + 1] ?? '');
  }
  return kept;
}

/** A body without a length must be told to end, whatever the method. */
function framing(request: IncomingMessage): string[] {
  return request.headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked'];
}

function refuse(response: ServerResponse, { status, text }: ProxyRefusal): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(text);
}
