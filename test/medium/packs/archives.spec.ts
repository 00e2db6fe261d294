import { gzipSync } from 'node:zlib';
import { packDigest, readArchive, type ArchiveFiles } from '@hcp/packs';
import { describe, expect, it } from 'vitest';
import { END, gnuLongName, pax, rawTar, tarEntry, tarGz, zeroBomb, type RawEntry } from './support/raw-tar.js';

const MANIFEST: RawEntry = { name: 'manifest.json', content: '{}' };
const MiB = 2 ** 20;

async function refusal(archive: Buffer): Promise<{ entry: string; why: string }> {
  const read = await readArchive(archive);
  if (read.ok) throw new Error(`accepted: ${[...read.files.keys()].join(', ')}`);
  return { entry: read.entry, why: read.why };
}

async function files(entries: readonly RawEntry[]): Promise<ArchiveFiles> {
  const read = await readArchive(tarGz(entries));
  if (!read.ok) throw new Error(`${read.entry} ${read.why}`);
  return read.files;
}

describe('a pack archive is read', () => {
  it('with what tar -C dir . writes: ./ in front, directories, any mode', async () => {
    const found = await files([
      { name: './', type: '5', mode: 0o755 },
      { name: './manifest.json', content: '{}', mode: 0o600 },
      { name: './bin/', type: '5', mode: 0o755 },
      { name: './bin/tool', content: '#!/bin/true', mode: 0o4711 },
    ]);
    expect([...found.keys()]).toEqual(['manifest.json', 'bin/tool']);
    expect(found.get('manifest.json')).toEqual({ content: Buffer.from('{}'), executable: false });
    expect(found.get('bin/tool')).toMatchObject({ executable: true });
  });

  it('with long names by PAX and by GNU', async () => {
    const long = `docs/${'a'.repeat(150)}.md`;
    const longer = `docs/${'b'.repeat(150)}.md`;
    const found = await files([
      MANIFEST,
      pax({ path: long }),
      { name: 'short', content: '1' },
      gnuLongName(longer),
      { name: 'short', content: '2' },
    ]);
    expect(found.get(long)?.content.toString()).toBe('1');
    expect(found.get(longer)?.content.toString()).toBe('2');
  });

  it('when git archive put a global comment in front', async () => {
    const found = await files([pax({ comment: 'a commit' }, 'g'), MANIFEST]);
    expect([...found.keys()]).toEqual(['manifest.json']);
  });

  it('to the same digest whatever the order, times and compression', async () => {
    const a = { name: 'a', content: '1', mtime: 1 };
    const b = { name: 'b', content: '2', mode: 0o755 };
    const digest = packDigest(await files([a, b]));
    expect(packDigest(await files([b, { ...a, name: './a', mtime: 1_700_000_000 }]))).toBe(digest);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('to another digest when a byte, a name or the executable bit differs', async () => {
    const base: RawEntry = { name: 'a', content: '1' };
    const variants: RawEntry[] = [base, { ...base, content: '2' }, { ...base, name: 'b' }, { ...base, mode: 0o755 }];
    const digests = await Promise.all(variants.map(async (entry) => packDigest(await files([entry]))));
    expect(new Set(digests).size).toBe(variants.length);
  });
});

/** CASES 31. */
describe('a pack archive is refused whole, naming the entry', () => {
  const long = 'a'.repeat(600);
  const named: [string, RawEntry[], string, string][] = [
    ['a parent segment', [{ name: '../evil' }], '../evil', '".." segment'],
    ['a parent segment inside', [{ name: 'bin/../../evil' }], 'bin/../../evil', '".." segment'],
    ['a parent segment by PAX', [pax({ path: '../evil' }), { name: 'good' }], '../evil', '".." segment'],
    ['a parent segment by GNU', [gnuLongName('../evil'), { name: 'good' }], '../evil', '".." segment'],
    ['a parent segment by prefix', [{ name: 'evil', prefix: '..' }], '../evil', '".." segment'],
    ['a parent as a directory', [{ name: '../', type: '5' }], '../', '".." segment'],
    ['an absolute path', [{ name: '/etc/passwd' }], '/etc/passwd', 'absolute'],
    ['an absolute path by PAX', [pax({ path: '/etc/passwd' }), { name: 'x' }], '/etc/passwd', 'absolute'],
    ['a drive letter', [{ name: 'C:/evil' }], 'C:/evil', 'absolute'],
    ['a dot segment', [{ name: 'bin/./tool' }], 'bin/./tool', '"." segment'],
    ['a second dot segment', [{ name: '././tool' }], '././tool', '"." segment'],
    ['an empty segment', [{ name: 'bin//tool' }], 'bin//tool', 'empty or "." segment'],
    ['a backslash', [{ name: 'bin\\tool' }], 'bin\\tool', 'backslash'],
    ['a NUL by PAX', [pax({ path: 'a\0b' }), { name: 'x' }], 'a\\u{0}b', 'control characters'],
    ['a newline', [{ name: 'a\nb' }], 'a\\u{a}b', 'control characters'],
    ['a bidi override', [pax({ path: 'a\u202eb' }), { name: 'x' }], 'a\\u{202e}b', 'control characters'],
    ['invalid UTF-8', [{ name: Buffer.from([0x61, 0xff]) }], 'a\\u{fffd}', 'invalid UTF-8'],
    ['no name', [{ name: '' }], '', 'empty name'],
    ['an over-long name', [pax({ path: long }), { name: 'x' }], `${'a'.repeat(200)}…`, '512 bytes'],
    ['an over-long segment', [pax({ path: 'b'.repeat(300) }), { name: 'x' }], `${'b'.repeat(200)}…`, '255 bytes'],
    ['a symbolic link', [{ name: 'bin/tool', type: '2', link: '/bin/sh' }], 'bin/tool', 'symbolic link'],
    ['a hard link', [{ name: 'shadow', type: '1', link: '/etc/shadow' }], 'shadow', 'hard link'],
    ['a character device', [{ name: 'null', type: '3' }], 'null', 'device'],
    ['a block device', [{ name: 'sda', type: '4' }], 'sda', 'device'],
    ['a fifo', [{ name: 'pipe', type: '6' }], 'pipe', 'fifo'],
    ['an unknown type', [{ name: 'odd', type: 'Z' }], 'odd', 'neither'],
    ['a contiguous file', [{ name: 'odd', type: '7' }], 'odd', 'neither'],
    ['a sparse file', [pax({ 'GNU.sparse.name': '../evil' }), { name: 'x' }], 'x', 'sparse'],
    ['a name that is there twice', [{ name: 'a' }, { name: 'a' }], 'a', 'twice'],
    ['a name that is there twice, once with ./', [{ name: 'a' }, { name: './a' }], './a', 'twice'],
    ['names that differ in case', [{ name: 'SKILL.md' }, { name: 'skill.md' }], 'skill.md', 'case'],
    ['directories that differ in case', [{ name: 'bin/a' }, { name: 'Bin/b' }], 'Bin/b', 'case'],
    [
      'names that differ in Unicode form',
      [pax({ path: '\u00e9' }), { name: 'x' }, pax({ path: 'e\u0301' }), { name: 'x' }],
      'e\u0301',
      'Unicode form',
    ],
    ['ß beside ss', [pax({ path: 'ß' }), { name: 'x' }, { name: 'SS' }], 'SS', 'case'],
    ['a file that is a directory too', [{ name: 'bin' }, { name: 'bin/tool' }], 'bin/tool', 'at once'],
    ['a directory that is a file too', [{ name: 'bin/tool' }, { name: 'bin' }], 'bin', 'at once'],
    ['a file named like a directory', [{ name: 'bin/' }], 'bin/', 'like a directory'],
    ['a directory with content', [{ name: 'bin/', type: '5', content: 'x' }], 'bin/', 'with content'],
    ['a global PAX path', [pax({ path: 'same' }, 'g'), { name: 'a' }], 'a', 'global header'],
    ['an empty PAX header', [pax({}), { name: 'a' }, { name: 'b' }], 'a', 'does not follow'],
    ['a deep tree', [{ name: `${'d/'.repeat(25)}x` }], `${'d/'.repeat(25)}x`, 'deep'],
  ];

  it.each(named)('for %s', async (_what, entries, entry, why) => {
    const found = await refusal(tarGz([MANIFEST, ...entries]));
    expect(found.entry).toBe(entry);
    expect(found.why).toContain(why);
  });

  it('for the 501st entry', async () => {
    const many = Array.from({ length: 501 }, (_, index) => ({ name: `f${index}` }));
    expect(await refusal(tarGz(many))).toEqual({ entry: 'f500', why: 'is beyond 500 entries' });
    expect((await files(many.slice(0, 500))).size).toBe(500);
  });

  it('for more than 10 MiB, unread', async () => {
    expect((await refusal(Buffer.alloc(10 * MiB + 1))).why).toContain('10485760 bytes');
  });

  it('for 10 GB of zeros, at the header that announces them', async () => {
    const found = await refusal(zeroBomb('zeros.bin', 10 * 1024 * MiB - 1, 10 * 1024 * MiB));
    expect(found.entry).toBe('zeros.bin');
    expect(found.why).toContain('unpacked bytes');
  });

  it('for zeros that the header does not announce, before they are all unpacked', async () => {
    const before = process.memoryUsage().rss;
    const found = await refusal(zeroBomb('liar.bin', 8, 2 * 1024 * MiB));
    expect(found.entry).toBe('liar.bin');
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * MiB);
  });

  it('for a ratio that only a bomb has', async () => {
    const found = await refusal(tarGz([MANIFEST, { name: 'zeros', content: Buffer.alloc(40 * MiB) }]));
    expect(found).toEqual({ entry: 'zeros', why: 'is compressed like a decompression bomb' });
  });

  it('for files that are over 50 MiB together', async () => {
    const noise = Buffer.from(Array.from({ length: 64 }, () => Math.trunc(Math.random() * 256)));
    const content = Buffer.alloc(26 * MiB, noise);
    const read = await readArchive(
      tarGz([
        { name: 'one', content },
        { name: 'two', content },
      ]),
      { ratio: 10_000 },
    );
    expect(read).toEqual({ ok: false, entry: 'two', why: 'takes the archive over 52428800 unpacked bytes' });
  });
});

describe('a pack archive is refused for what another reader would not see', () => {
  const good = rawTar([MANIFEST]);
  const hidden = tarEntry({ name: 'hidden', content: 'x' });
  const archives: [string, Buffer, string, string][] = [
    ['an entry behind the end', gzipSync(Buffer.concat([good, hidden, END])), 'hidden', 'after the end'],
    [
      'a PAX header before the end and its entry behind',
      gzipSync(Buffer.concat([tarEntry(MANIFEST), tarEntry(pax({ path: 'evil' })), END, hidden, END])),
      'evil',
      'after the end',
    ],
    ['data behind the end', gzipSync(Buffer.concat([good, Buffer.from('x'.padEnd(512))])), 'manifest.json', 'damaged'],
    [
      'a second gzip member',
      Buffer.concat([gzipSync(good), gzipSync(rawTar([{ name: 'hidden' }]))]),
      '(archive)',
      'after the end of its gzip',
    ],
    [
      'bytes behind the gzip member',
      Buffer.concat([gzipSync(good), Buffer.from('PK')]),
      '(archive)',
      'after the end of its gzip',
    ],
    [
      'zeros behind the gzip member',
      Buffer.concat([gzipSync(good), Buffer.alloc(64)]),
      '(archive)',
      'after the end of its gzip',
    ],
  ];
  it.each(archives)('%s', async (_what, archive, entry, why) => {
    const found = await refusal(archive);
    expect(found.entry).toBe(entry);
    expect(found.why).toContain(why);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('not an archive at all, but long enough')],
    ['a bare tar', good],
    ['a gzip of text', gzipSync('hello, I am no tar')],
    ['a gzip of a block of noise', gzipSync(Buffer.alloc(512, 'noise'))],
    ['a cut gzip', gzipSync(good).subarray(0, 40)],
    ['a cut tar', gzipSync(tarEntry({ name: 'manifest.json', content: 'x'.repeat(2000) }).subarray(0, 1024))],
    ['a wrong checksum', corrupt(gzipSync(good))],
  ])('%s is no archive', async (_what, archive) => {
    expect((await refusal(archive)).why).toMatch(/gzip|damaged|early|checksum/);
  });
});

/** Flips a bit of the gzip trailer's CRC. */
function corrupt(gz: Buffer): Buffer {
  const copy = Buffer.from(gz);
  copy.writeUInt8(copy.readUInt8(copy.length - 8) ^ 1, copy.length - 8);
  return copy;
}
