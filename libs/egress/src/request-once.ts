import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pinnedLookup } from './connect.js';
import { type CheckedHost, type EgressRefusal, refusal } from './resolve.js';
import type { Target } from './target.js';

export interface Once {
  method: string;
  headers: Headers;
  body: Uint8Array | null;
  max_bytes: number;
  ca: string | undefined;
  signal: AbortSignal;
}

export interface Answered {
  ok: true;
  status: number;
  headers: Headers;
  body: Buffer;
}

/** One request to one checked host, without redirects. Never throws. */
export async function requestOnce(target: Target, checked: CheckedHost, once: Once): Promise<Answered | EgressRefusal> {
  const { url } = target;
  const secure = url.protocol === 'https:';
  const options: RequestOptions & { ca?: string; rejectUnauthorized: boolean } = {
    method: once.method,
    headers: { ...Object.fromEntries(once.headers), host: url.host, 'accept-encoding': 'identity' },
    // An agent of its own: no pooled connection of someone else, no proxy from the environment.
    agent: false,
    lookup: pinnedLookup(checked),
    // Whatever the environment says.
    rejectUnauthorized: true,
    ...(once.ca !== undefined && { ca: once.ca }),
    signal: once.signal,
  };
  return new Promise((resolve) => {
    // Once the connection is secure the request may be on its way: what breaks then is no matter of certificates.
    let secured = false;
    let answered = false;
    const fail = (error: unknown): void => resolve(refusedFor(error, checked.host, once.signal, secured));
    try {
      const request = (secure ? httpsRequest : httpRequest)(url, options);
      request.once('error', fail);
      request.once('socket', (socket) => socket.once('secureConnect', () => (secured = true)));
      // An answer that nobody asked for, after which there would be no other, nor an error.
      request.once('upgrade', (_response, socket) => {
        socket.destroy();
        resolve(refusal('bad_response', `${checked.host} did not answer with HTTP`));
      });
      request.once('close', () => {
        if (!answered) fail(null);
      });
      request.once('response', (response) => {
        answered = true;
        collect(response, once.max_bytes).then((body) => {
          const headers = toHeaders(response);
          const encoding = headers.get('content-encoding') ?? 'identity';
          if (body === null) resolve(refusal('too_large', `${checked.host} answered with more than the limit`));
          else if (encoding !== 'identity') resolve(refusal('bad_response', `${checked.host} answered compressed`));
          else resolve({ ok: true, status: response.statusCode ?? 0, headers, body });
        }, fail);
      });
      request.end(once.body ?? undefined);
    } catch {
      // Node refuses methods and headers that would break the protocol.
      resolve(refusal('bad_request', 'the request has a bad method or header'));
    }
  });
}

/** The whole body; null, and the connection is closed, once it is longer than `most`. */
async function collect(response: IncomingMessage, most: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) {
      response.destroy();
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function toHeaders(response: IncomingMessage): Headers {
  const headers = new Headers();
  const raw = response.rawHeaders;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    try {
      headers.append(raw[at] ?? '', raw[at + 1] ?? '');
    } catch {
      // A header that the standard type does not take is nothing that we read.
    }
  }
  return headers;
}

function refusedFor(error: unknown, host: string, signal: AbortSignal, secured: boolean): EgressRefusal {
  if (signal.aborted) {
    const late = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
    return late
      ? refusal('timeout', `${host} did not answer in time`)
      : refusal('cancelled', `the request to ${host} was given up`);
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!secured && /CERT|^ERR_(TLS|SSL)|SELF_SIGNED|SIGNATURE|HOSTNAME|^EPROTO/.test(code)) {
    return refusal('tls_failed', `${host} has no certificate for this name that is trusted here`);
  }
  if (code.startsWith('HPE_')) return refusal('bad_response', `${host} did not answer with HTTP`);
  return refusal('connect_failed', `${host} cannot be reached`);
}
