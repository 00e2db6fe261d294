import { request } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One request whose path goes out byte for byte: `fetch` would resolve `..` and `%2e%2e` before it sends. */
export function rawCall(
  base: string,
  method: string,
  path: string,
  {
    token,
    body,
    type = 'application/json',
    headers: others = {},
  }: { token?: string; body?: string | Buffer; type?: string; headers?: Record<string, string> } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  const headers = {
    // A server closes at once after its answer otherwise, whatever of the body is still on its way.
    connection: 'keep-alive',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
    ...others,
  };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        sent.destroy();
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
