import { createSocket, type Socket } from 'node:dgram';
import { afterEach, expect, it } from 'vitest';
import { resolveChecked } from './resolve.js';
import { nameServers } from './system-resolve.js';

const QUERIES: Record<string, { type: number; data: number[] }[]> = {
  'both.test': [
    { type: 1, data: [93, 184, 215, 14] },
    { type: 28, data: [0x26, 0x06, 0x47, 0, ...Array.from({ length: 11 }, () => 0), 1] },
  ],
  'four.test': [{ type: 1, data: [93, 184, 215, 14] }],
  'inner.test': [{ type: 1, data: [10, 0, 0, 1] }],
};

let server: Socket | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

/** A name server that knows the table above, or says nothing at all. */
async function start(silent = false): Promise<{ servers: string[]; asked: string[] }> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  server = socket;
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
      labels.push(query.subarray(at + 1, at + 1 + size).toString());
      at += 1 + size;
    }
    const type = query.readUInt16BE(at + 1);
    asked.push(labels.join('.'));
    if (silent) return;
    const known = QUERIES[labels.join('.').toLowerCase()];
    const records = (known ?? []).filter((record) => record.type === type);
    const head = Buffer.from(query.subarray(0, 12));
    // An answer, recursion available; name error for names that nobody knows.
    head.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
    [1, records.length, 0, 0].forEach((count, index) => head.writeUInt16BE(count, 4 + 2 * index));
    const answers = records.map(({ data }) =>
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]),
    );
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...answers]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { servers: [`127.0.0.1:${socket.address().port}`], asked };
}

it('asks for addresses of both kinds, and is content with one', async () => {
  const { servers } = await start();
  const resolve = nameServers(servers);
  const both = ['93.184.215.14', '2606:4700::1'];
  expect(await resolveChecked('both.test', { resolve })).toEqual({ ok: true, host: 'both.test', addresses: both });
  expect(await resolveChecked('four.test', { resolve })).toMatchObject({ addresses: ['93.184.215.14'] });
  expect(await resolveChecked('inner.test', { resolve })).toMatchObject({ ok: false, code: 'private_address' });
  expect(await resolveChecked('unknown.test', { resolve })).toMatchObject({ ok: false, code: 'unresolvable' });
});

it('asks name servers for a name as it is, and never for those that the operator lists', async () => {
  const { servers, asked } = await start();
  const resolve = nameServers(servers);
  await resolveChecked('four.test', { resolve });
  expect(asked.map((name) => name.toLowerCase())).toEqual(['four.test', 'four.test']);
  const local = await resolveChecked('localhost', { resolve, allow_private: ['localhost'] });
  expect(local.ok && local.addresses.every((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true);
  expect(asked).toHaveLength(2);
});

it('lets go of a name server that says nothing', async () => {
  const { servers, asked } = await start(true);
  const stop = new AbortController();
  const waiting = resolveChecked('four.test', { resolve: nameServers(servers), signal: stop.signal });
  while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  expect(await waiting).toMatchObject({ ok: false, code: 'unresolvable' });
});
