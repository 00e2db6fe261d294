import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitStreams } from './streams.js';

const frame = (type: number, bytes: Buffer): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = type;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
};
const collect = async (stream: NodeJS.ReadableStream): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

describe('splitStreams', () => {
  it('gives each stream its bytes, wherever the connection cuts them', async () => {
    const frames = fc.array(fc.tuple(fc.constantFrom(0, 1, 2), fc.uint8Array({ maxLength: 40 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(frames, fc.integer({ min: 1, max: 17 }), async (parts, size) => {
        const connection = new PassThrough();
        const { stdout, stderr } = splitStreams(connection);
        const all = Buffer.concat(parts.map(([type, bytes]) => frame(type, Buffer.from(bytes))));
        for (let at = 0; at < all.length; at += size) connection.write(all.subarray(at, at + size));
        connection.end();
        const of = (type: number): Buffer =>
          Buffer.concat(parts.filter(([each]) => each === type).map(([, bytes]) => Buffer.from(bytes)));
        expect(await Promise.all([collect(stdout), collect(stderr)])).toEqual([of(1), of(2)]);
      }),
    );
  });

  it('holds the daemon back while nobody reads, and goes on when a reader gives up', async () => {
    const connection = new PassThrough();
    const { stdout, stderr } = splitStreams(connection);
    connection.write(frame(1, Buffer.alloc(200_000, 'a')));
    await new Promise((resolve) => setImmediate(resolve));
    expect(connection.isPaused()).toBe(true);
    connection.write(frame(2, Buffer.from('after')));
    connection.end();
    stdout.destroy();
    expect((await collect(stderr)).toString()).toBe('after');
  });
});
