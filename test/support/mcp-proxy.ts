import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * A way to an API for a program that cannot sign in and calls tools by names of its own: what it sends goes on, Host and
 * Origin as they are, with this token; names are changed on the way there and back.
 */
export async function withToken(
  base: string,
  token: string,
  names: Readonly<Record<string, string>> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const { hostname, port } = new URL(base);
  const renamed = async (message: IncomingMessage, back: boolean): Promise<Buffer> => {
    let text = (await buffer(message)).toString();
    for (const [theirs, ours] of Object.entries(names)) {
      text = back ? text.replaceAll(`"${ours}"`, `"${theirs}"`) : text.replaceAll(`"${theirs}"`, `"${ours}"`);
    }
    return Buffer.from(text);
  };
  const server = createServer((asked, answer) => {
    void renamed(asked, false).then((body) => {
      const { method, url: path } = asked;
      const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
      const { 'transfer-encoding': _chunked, ...kept } = asked.headers;
      const headers = { ...kept, ...length, authorization: `Bearer ${token}` };
      const on = request({ hostname, port, method, path, headers }, (response) => {
        void renamed(response, true).then((text) => {
          const { 'content-length': _length, 'transfer-encoding': _encoding, ...said } = response.headers;
          answer.writeHead(response.statusCode ?? 502, said).end(text);
        });
      });
      on.on('error', () => answer.destroy());
      on.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
