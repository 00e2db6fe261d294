import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Capture } from './capture.js';
import { Secrets } from './redact/redactor.js';

const SECRET = 'canary-12345678-ü-abcdefgh';

async function capture(chunks: (string | Buffer)[], max_bytes = 1000) {
  const stream = new PassThrough();
  const shown: string[] = [];
  let limits = 0;
  const captured = new Capture(
    stream,
    max_bytes,
    (text) => shown.push(text),
    () => (limits += 1),
    new Secrets([SECRET]),
  );
  for (const chunk of chunks) {
    stream.write(chunk);
    await turn();
  }
  return { text: captured.finish(), shown, limits, truncated: captured.truncated };
}

describe('Capture', () => {
  it('shows and keeps the same text, secrets hidden, however the bytes are cut', async () => {
    const bytes = Buffer.from(`before ${SECRET} after`);
    const single = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));
    const { text, shown } = await capture(single);
    expect(text).toBe('before [redacted] after');
    expect(shown.join('')).toBe(text);
    expect(shown.length).toBeGreaterThan(10);
  });

  it('hides what the limit leaves of a secret', async () => {
    const { text, shown, limits, truncated } = await capture([`before ${SECRET} after`], 22);
    expect(text).toBe('before [redacted]');
    expect(shown.join('')).toBe(text);
    expect({ limits, truncated }).toEqual({ limits: 1, truncated: true });
  });
});
