import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handOver } from './workspace.js';

/** Whom nobody is, so that the walk has to be made. It is never let finish where the test's user may not give files away. */
const UID = 200_000;
const patient = (): { signal: AbortSignal; timeout_ms: number } => ({
  signal: new AbortController().signal,
  timeout_ms: 60_000,
});

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hcp-hand-over-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe('handOver', () => {
  it('does not even begin for who cancelled, and leaves the workspace with its owner', async () => {
    writeFileSync(join(dir, 'a'), '');
    const before = lstatSync(dir).uid;
    const stop = new AbortController();
    stop.abort();
    expect(await handOver(dir, UID, { ...patient(), signal: stop.signal })).toMatchObject({
      ok: false,
      cancelled: true,
    });
    expect(lstatSync(join(dir, 'a')).uid).toBe(before);
    expect(lstatSync(dir).uid).toBe(before);
  });

  it.runIf(process.getuid?.() === 0)(
    'counts entries at all depths and refuses beyond the limit, by number',
    async () => {
      mkdirSync(join(dir, 'b/c'), { recursive: true });
      writeFileSync(join(dir, 'b/c/d'), '');
      expect(await handOver(dir, UID, { ...patient(), max_entries: 2 })).toEqual({
        ok: false,
        cancelled: false,
        reason: 'the workspace has more than 2 files and folders; remove some of them',
      });
      expect(lstatSync(dir).uid).toBe(0);
      expect(await handOver(dir, UID, { ...patient(), max_entries: 3 })).toEqual({ ok: true });
      for (const path of ['.', 'b', 'b/c', 'b/c/d']) expect(lstatSync(join(dir, path)).uid).toBe(UID);
    },
  );

  it.runIf(process.getuid?.() === 0)('stops in the middle, cancelled or out of time', async () => {
    for (let i = 0; i < 5000; i += 1) writeFileSync(join(dir, String(i)), '');
    const stop = new AbortController();
    const handed = handOver(dir, UID, { ...patient(), signal: stop.signal });
    setImmediate(() => stop.abort());
    expect(await handed).toMatchObject({ ok: false, cancelled: true });
    expect(await handOver(dir, UID, { ...patient(), timeout_ms: 1 })).toMatchObject({
      ok: false,
      cancelled: false,
      reason: 'the workspace could not be handed over within the time of the run',
    });
    expect(lstatSync(dir).uid).toBe(0);
    expect(await handOver(dir, UID, patient())).toEqual({ ok: true });
  });

  it.runIf(process.getuid?.() === 0)('hands over names that are no text', async () => {
    const name = Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0x41])]);
    writeFileSync(name, '');
    expect(await handOver(dir, UID, patient())).toEqual({ ok: true });
    expect(lstatSync(name).uid).toBe(UID);
  });
});
