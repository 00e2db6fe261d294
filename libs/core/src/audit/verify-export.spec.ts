import { createHash, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkpointLineText,
  checkpointText,
  coveringNodes,
  eventHash,
  eventLineText,
  foldNodes,
  GrowingTree,
  leafText,
  linesOf,
  noteKeyId,
  openCheckpoint,
  readNoteKey,
  SIGNATURE,
  timedSignature,
  timedText,
  toBase64,
  utf8Bytes,
  verifyExport,
  withheldLineText,
  writeNote,
  writeNoteKey,
  type AuditCrypto,
  type NoteKey,
  type VerifiedExport,
  type VerifyOptions,
} from '../index.js';
import { readNote, verifyNote } from './note.js';

const crypto: AuditCrypto = {
  sha256: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  ed25519: (public_key, signed, signature) => {
    const x = Buffer.from(public_key).toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, signed, key, signature);
  },
};
const { sha256 } = crypto;

interface Signer {
  readonly key: NoteKey;
  readonly secret: KeyObject;
}
function signer(name: string): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { key: { name, public_key: new Uint8Array(Buffer.from(x, 'base64url')) }, secret: privateKey };
}

const AT = new Date('2026-05-04T03:02:01Z');
const LOG = signer('hcp.example.com/audit/one');
const OTHER = { ...LOG, key: { ...LOG.key, name: 'hcp.example.com/audit/two' } };

async function checkpoint(
  { key, secret }: Signer,
  head: { size: number; root: Uint8Array },
  at: Date | null = AT,
): Promise<string> {
  const text = checkpointText({ origin: key.name, ...head });
  const sealed = (bytes: Uint8Array): Uint8Array => new Uint8Array(sign(null, bytes, secret));
  const plain = { key_id: await noteKeyId(sha256, key, SIGNATURE.note), signature: sealed(utf8Bytes(text)) };
  const seconds = (at?.getTime() ?? 0) / 1000;
  const timed = {
    key_id: await noteKeyId(sha256, key, SIGNATURE.timed),
    signature: timedSignature(seconds, sealed(timedText(text, seconds))),
  };
  const signatures = (at === null ? [plain] : [plain, timed]).map((each) => ({ name: key.name, ...each }));
  return writeNote({ text, signatures });
}

const event = (index: number, more: object = {}): Record<string, unknown> => ({
  id: `id-${String(index)}`,
  seq: String(index * 3),
  action: 'exec.decision',
  reason: index % 2 === 0 ? null : 'because "ü"\u2028😀',
  ...more,
});

async function headOf(count: number, of = event): Promise<{ size: number; root: Uint8Array }> {
  const tree = new GrowingTree(sha256);
  for (let index = 0; index < count; index += 1) await tree.add(await eventHash(sha256, of(index)));
  return { size: count, root: await tree.root() };
}

/** A line for each of so many events, a checkpoint behind every fourth, and the one at the end. */
async function exported(count: number, by = LOG, of = event): Promise<string[]> {
  const lines: string[] = [];
  for (let index = 0; index < count; index += 1) {
    lines.push(eventLineText(index, await eventHash(sha256, of(index)), leafText(of(index))));
    if (index % 4 === 3 && index + 1 < count) {
      lines.push(checkpointLineText(await checkpoint(by, await headOf(index + 1, of), null)));
    }
  }
  lines.push(checkpointLineText(await checkpoint(by, await headOf(count, of))));
  return lines;
}

async function* pieces(lines: readonly string[]): AsyncGenerator<string> {
  const text = lines.join('');
  for (let at = 0; at < text.length; at += 100) yield await Promise.resolve(text.slice(at, at + 100));
}
const check = (lines: readonly string[], options: Partial<VerifyOptions> = {}): Promise<VerifiedExport> =>
  verifyExport(linesOf(pieces(lines)), { crypto, key: LOG.key, ...options });

const bad = (kind: string, index: number | null, last = index): object => ({
  ok: false,
  problem: { kind, index, last },
});
/** Where the line of an event is among those of `exported`. */
const lineOf = (index: number): number => index + Math.floor(index / 4);

describe('an export', () => {
  it('holds at each length', async () => {
    for (let count = 0; count <= 20; count += 1) {
      expect(await check(await exported(count))).toMatchObject({
        ok: true,
        checkpoint: { origin: LOG.key.name, size: count, signed_at: AT },
        shown: count,
        withheld: 0,
      });
    }
  });

  it('names the event that was changed, in any of its bytes', async () => {
    const lines = await exported(11);
    await fc.assert(
      fc.asyncProperty(fc.nat(10), fc.constantFrom('id', 'seq', 'action', 'more'), async (index, field) => {
        const at = lineOf(index);
        const line = JSON.parse(lines[at] ?? '') as { event: Record<string, unknown> };
        line.event[field] = 'forged';
        const result = await check(lines.with(at, `${JSON.stringify(line)}\n`));
        expect(result).toMatchObject(bad('changed', index));
      }),
    );
    const spelled = (lines[lineOf(6)] ?? '').replace('{"action":', '{"reason":null,"action":');
    expect(await check(lines.with(lineOf(6), spelled))).toMatchObject(bad('changed', 6));
    const twice = (lines[lineOf(6)] ?? '').replace('{"action":', '{"action":"a","action":');
    expect(await check(lines.with(lineOf(6), twice))).toMatchObject(bad('unreadable', 6));
  });

  it('names where events were changed together with their hashes, as near as the log is signed', async () => {
    const lines = await exported(11);
    const forged = event(5, { action: 'forged' });
    const line = eventLineText(5, await eventHash(sha256, forged), leafText(forged));
    expect(await check(lines.with(lineOf(5), line))).toMatchObject(bad('not_signed', 4, 7));
    const all = await exported(11, LOG, (index) => event(index, index === 9 ? { action: 'forged' } : {}));
    const signed = [...all.slice(0, -1), ...lines.slice(-1)];
    expect(await check(signed)).toMatchObject(bad('not_signed', 8, 10));
  });

  it('names the event that was taken out', async () => {
    const lines = await exported(11);
    for (let index = 0; index < 11; index += 1) {
      // The last one before a checkpoint is missed by that.
      const kind = index % 4 === 3 || index === 10 ? 'fewer' : 'missing';
      expect(await check(lines.toSpliced(lineOf(index), 1)), String(index)).toMatchObject(bad(kind, index));
    }
    // And counted anew, so that there seems to be no gap.
    const renumbered = lines.toSpliced(lineOf(5), 1).map((line) => {
      const [, index = '', rest = ''] = /^\{"index":(\d+)(.*)$/s.exec(line) ?? [];
      return Number(index) > 5 ? `{"index":${String(Number(index) - 1)}${rest}` : line;
    });
    expect(await check(renumbered)).toMatchObject(bad('fewer', 7));
  });

  it('names the first event that is not where it was', async () => {
    const lines = await exported(11);
    const [a = '', b = ''] = [lines[lineOf(5)], lines[lineOf(6)]];
    expect(await check(lines.with(lineOf(5), b).with(lineOf(6), a))).toMatchObject(bad('missing', 5));
    expect(await check(lines.toSpliced(lineOf(6), 0, a))).toMatchObject(bad('out_of_place', 5));
  });

  it('names the event that was put in', async () => {
    const lines = await exported(11);
    const forged = event(99);
    const put = (index: number): Promise<string> =>
      (async () => eventLineText(index, await eventHash(sha256, forged), leafText(forged)))();
    expect(await check(lines.toSpliced(lineOf(5), 0, await put(5)))).toMatchObject(bad('out_of_place', 5));
    expect(await check(lines.toSpliced(-1, 0, await put(11)))).toMatchObject(bad('added', 11));
    expect(await check([...lines, await put(11)])).toMatchObject(bad('cut_off', 12));
  });

  it('names the first event that was cut off', async () => {
    const lines = await exported(11);
    for (let kept = 0; kept < lines.length; kept += 1) {
      const left = lines.slice(0, kept).filter((line) => line.startsWith('{"index"')).length;
      expect(await check(lines.slice(0, kept)), String(kept)).toMatchObject(bad('cut_off', left));
    }
    const broken = [...lines.slice(0, lineOf(9)), (lines[lineOf(9)] ?? '').slice(0, 30)];
    expect(await check(broken)).toMatchObject(bad('unreadable', 9));
    // A checkpoint from amid the log does not make an end of it.
    expect(await check(lines.slice(0, lineOf(8)))).toMatchObject(bad('cut_off', 8));
    expect(await check([...lines.slice(0, lineOf(8)), ...lines.slice(-1)])).toMatchObject(bad('fewer', 8));
  });

  it('is refused with a checkpoint that this key did not sign', async () => {
    const lines = await exported(6);
    const head = await headOf(6);
    const end = async (note: Promise<string>): Promise<string[]> => [
      ...lines.slice(0, -1),
      checkpointLineText(await note),
    ];
    const stranger = { ...signer(LOG.key.name) };
    // By another key of the same name: nobody's signature, as far as this key goes.
    expect(await check(await end(checkpoint(stranger, head)))).toMatchObject({
      problem: { kind: 'checkpoint', index: 6 },
    });
    const forged = { key: LOG.key, secret: stranger.secret };
    expect(await check(await end(checkpoint(forged, head)))).toMatchObject({ problem: { kind: 'checkpoint' } });
    const note = (await checkpoint(LOG, head)).replace('\n6\n', '\n5\n');
    expect(await check([...lines.slice(0, -1), checkpointLineText(note)])).toMatchObject({
      problem: { kind: 'checkpoint' },
    });
    const all = await exported(6, OTHER);
    expect(await check(all)).toMatchObject({
      problem: { kind: 'checkpoint', message: expect.stringContaining('another tenant') as string },
    });
    expect(await check(all, { key: OTHER.key })).toMatchObject({ ok: true });
  });

  it('is held to an older checkpoint', async () => {
    const lines = await exported(11);
    for (const size of [0, 1, 4, 7, 11]) {
      const against = await checkpoint(LOG, await headOf(size));
      expect(await check(lines, { against }), String(size)).toMatchObject({ ok: true, older: { size } });
    }
    const later = await checkpoint(LOG, await headOf(13));
    expect(await check(lines, { against: later })).toMatchObject(bad('rolled_back', 11));
    const rewritten = await checkpoint(LOG, await headOf(7, (index) => event(index, { action: 'before' })));
    expect(await check(lines, { against: rewritten })).toMatchObject(bad('rewritten', null));
    const others = await checkpoint(OTHER, await headOf(7));
    expect(await check(lines, { against: others })).toMatchObject(bad('older_checkpoint', null));
    expect(await check(lines, { against: 'nothing' })).toMatchObject(bad('older_checkpoint', null));
  });
});

describe('an export of a part', () => {
  /** Shows the events from `from` to `to` of a log, with hashes for the others. */
  async function part(count: number, from: number, to: number): Promise<string[]> {
    const hashes = await Promise.all(
      Array.from({ length: count }, async (_, index) => eventHash(sha256, event(index))),
    );
    const hidden = async (start: number, end: number): Promise<string[]> => {
      if (start === end) return [];
      const nodes = coveringNodes({ from: start, to: end }).map(({ level, index }) =>
        foldNodes(sha256, hashes.slice(index * 2 ** level, (index + 1) * 2 ** level)),
      );
      return [withheldLineText(start, end, await Promise.all(nodes))];
    };
    const shown = hashes.slice(from, to).map((hash, at) => eventLineText(from + at, hash, leafText(event(from + at))));
    const end = checkpointLineText(await checkpoint(LOG, await headOf(count)));
    return [...(await hidden(0, from)), ...shown, ...(await hidden(to, count)), end];
  }

  it('holds against the whole log’s checkpoint, where a part is wanted', async () => {
    // foldNodes goes from right to left, so it makes a subtree of its leaves only where those are one or two.
    for (const [from, to] of [
      [2, 9],
      [1, 10],
      [0, 10],
      [3, 11],
    ] as const) {
      const lines = await part(11, from, to);
      expect(await check(lines, { partial: true }), `${String(from)} ${String(to)}`).toMatchObject({
        ok: true,
        shown: to - from,
        withheld: 11 - to + from,
      });
      expect(await check(lines)).toMatchObject({ problem: { kind: 'withheld' } });
    }
  });

  it('does not hide a change, nor an event', async () => {
    const lines = await part(11, 2, 9);
    const forged = event(5, { action: 'forged' });
    const line = eventLineText(5, await eventHash(sha256, forged), leafText(forged));
    expect(await check(lines.with(4, line), { partial: true })).toMatchObject(bad('not_signed', 0, 10));
    expect(await check(lines.toSpliced(4, 1), { partial: true })).toMatchObject(bad('missing', 5));
    expect(await check([withheldLineText(0, 2, []), ...lines.slice(1)], { partial: true })).toMatchObject(
      bad('hashes', 0, 1),
    );
    expect(await check([withheldLineText(0, 0, []), ...lines], { partial: true })).toMatchObject({ ok: false });
    const against = await checkpoint(LOG, await headOf(1));
    expect(await check(lines, { partial: true, against })).toMatchObject(bad('not_comparable', null));
  });
});

describe('signed notes', () => {
  const KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
  const NOTE =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

  it('are read as others write them', async () => {
    const key = await readNoteKey(sha256, KEY);
    const note = readNote(NOTE);
    if (!key || !note) throw new Error('unreadable');
    expect(await writeNoteKey(sha256, key)).toBe(KEY);
    expect(writeNote(note)).toBe(NOTE);
    expect(await verifyNote(crypto, note, key)).toEqual({ signed_at: null });
    expect(await verifyNote(crypto, { ...note, text: note.text.replace('answer', 'Answer') }, key)).toBeNull();
  });

  it('are refused where a line is none', () => {
    for (const note of [
      '',
      '\n\n',
      'text\n',
      NOTE.slice(0, -1),
      NOTE.replace('— ', '- '),
      NOTE.replace('x08', 'x-8'),
    ]) {
      expect(readNote(note), note).toBeNull();
    }
    expect(readNote(NOTE.replace('If', 'I\rf'))).toBeNull();
  });

  it('are of no key whose text was changed', async () => {
    for (const text of ['', 'a+b+c', KEY.replace('c7', 'c8'), KEY.replace('Peter', 'Paul'), `${KEY}A`]) {
      expect(await readNoteKey(sha256, text), text).toBeNull();
    }
  });

  it('say when, as long as that is signed', async () => {
    const note = await checkpoint(LOG, await headOf(3));
    expect(await openCheckpoint(crypto, note, LOG.key)).toMatchObject({ ok: true, checkpoint: { signed_at: AT } });
    const [plain = '', timed = ''] = note.split('\n').slice(-3, -1);
    const bytes = Buffer.from(timed.split(' ')[2] ?? '', 'base64');
    bytes.writeUInt8(1, 11);
    const moved = note.replace(timed, `— ${LOG.key.name} ${toBase64(bytes)}`);
    expect(await openCheckpoint(crypto, moved, LOG.key)).toEqual({ ok: false, problem: 'bad_signature' });
    // The time alone is no checkpoint of the log.
    expect(await openCheckpoint(crypto, note.replace(`${plain}\n`, ''), LOG.key)).toMatchObject({ ok: false });
    const more = note.replace('\n\n', '\nmore\n\n');
    expect(await openCheckpoint(crypto, more, LOG.key)).toEqual({ ok: false, problem: 'unreadable' });
  });
});
