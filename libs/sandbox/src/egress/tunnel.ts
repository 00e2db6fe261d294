import type { IncomingMessage } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import { connectChecked, parsePort } from '@hcp/egress';
import { type Gate, proxyRefusal, type ProxyRefusal } from './gate.js';

const PHRASES = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway', 504: 'Gateway Timeout' };

/** Serves one CONNECT: bytes both ways until both sides are done. */
export async function tunnel(
  gate: Gate,
  request: IncomingMessage,
  { client, head, signal }: { client: Duplex; head: Buffer; signal: AbortSignal },
): Promise<void> {
  client.on('error', () => client.destroy());
  const [, host, digits] = /^(\[[^\]]*\]|[^:[\]]*):([0-9]+)$/.exec(request.url ?? '') ?? [];
  const port = parsePort(digits ?? '');
  if (host === undefined || port === null) {
    return refuse(client, proxyRefusal(400, 'CONNECT takes a host and a port'));
  }
  const checked = await gate.admit(host, port, signal);
  if (!checked.ok) return refuse(client, checked);
  const connected = await connectChecked(checked, port, { signal });
  if (!connected.ok) {
    gate.ledger.refused(checked.host, port, connected.code);
    return refuse(client, proxyRefusal(connected.code === 'timeout' ? 504 : 502, `${checked.host} cannot be reached`));
  }
  const upstream = connected.socket;
  const destroy = (): void => {
    upstream.destroy();
    client.destroy();
  };
  signal.addEventListener('abort', destroy, { once: true });
  upstream.once('close', () => {
    signal.removeEventListener('abort', destroy);
    gate.ledger.contacted(checked.host, port, { sent: upstream.bytesWritten, received: upstream.bytesRead });
  });
  const ended = (error: unknown): void => {
    if (error) destroy();
  };
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) upstream.write(head);
  pipeline(client, upstream, ended);
  pipeline(upstream, client, ended);
  if (client.destroyed || signal.aborted) destroy();
}

function refuse(client: Duplex, { status, text }: ProxyRefusal): void {
  const head = `HTTP/1.1 ${status} ${PHRASES[status]}\r\nContent-Type: text/plain\r\nConnection: close\r\n`;
  client.end(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}
