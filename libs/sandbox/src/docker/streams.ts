import { PassThrough, type Duplex, type Readable } from 'node:stream';

const HEADER = 8;

/**
 * Takes the daemon's one stream apart: frames of `type 0 0 0 length(4, big-endian) bytes`, type 1 stdout, 2 stderr. Reading
 * waits for whoever reads the two, so a program that prints faster than we read is held back.
 */
export function splitStreams(connection: Duplex): { stdout: Readable; stderr: Readable } {
  const outputs = { 1: new PassThrough(), 2: new PassThrough() } as const;
  let head = Buffer.alloc(0);
  let left = 0;
  let output: PassThrough | null = null;
  connection.on('data', (chunk: Buffer) => {
    let at = 0;
    while (at < chunk.length) {
      if (left === 0) {
        const take = Math.min(HEADER - head.length, chunk.length - at);
        head = Buffer.concat([head, chunk.subarray(at, at + take)]);
        at += take;
        if (head.length < HEADER) return;
        left = head.readUInt32BE(4);
        output = outputs[head[0] as 1 | 2] ?? null;
        head = Buffer.alloc(0);
        continue;
      }
      const part = chunk.subarray(at, at + left);
      at += part.length;
      left -= part.length;
      // An output that its reader gave up is dropped.
      if (output === null || output.destroyed || output.write(part)) continue;
      connection.pause();
      output.once('drain', () => connection.resume()).once('close', () => connection.resume());
    }
  });
  const end = (): void => {
    for (const each of Object.values(outputs)) each.end();
  };
  connection.once('end', end).once('close', end).once('error', end);
  for (const each of Object.values(outputs)) each.on('error', () => undefined);
  return { stdout: outputs[1], stderr: outputs[2] };
}
