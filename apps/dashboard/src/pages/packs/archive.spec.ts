import { unpackTar } from 'modern-tar';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MAX_ARCHIVE_BYTES, MAX_ARCHIVE_ENTRIES, MAX_UNPACKED_BYTES } from '@hcp/contracts';
import {
  CannotPack,
  filesOfPack,
  isArchive,
  packFolder,
  packsWithin,
  type PickedFile,
  readArchive,
  SeveralPacks,
} from './archive.js';

const file = (path: string, content = ''): PickedFile => ({ path, file: new Blob([content]) });
const paths = (...names: string[]): string[] => filesOfPack(names.map((name) => file(name))).map(({ path }) => path);
/** Says a size that it has not, so that a test needs no memory for it. */
const sized = (size: number): Blob => Object.defineProperty(new Blob([]), 'size', { value: size });

describe('filesOfPack', () => {
  it('takes the folder of the manifest for the pack, wherever it lies', () => {
    expect(paths('ledger/manifest.json', 'ledger/bin/ledger')).toEqual(['bin/ledger', 'manifest.json']);
    expect(paths('manifest.json', 'bin/x')).toEqual(['bin/x', 'manifest.json']);
    expect(paths('a/README.md', 'a/pack/manifest.json', 'a/pack/vendor/manifest.json')).toEqual([
      'manifest.json',
      'vendor/manifest.json',
    ]);
  });

  it('leaves out names that begin with a dot, and strips the folder where there is no manifest', () => {
    expect(paths('p/.git/config', 'p/.env', 'p/manifest.json')).toEqual(['manifest.json']);
    expect(paths('p/surface.json', 'p/bin/x')).toEqual(['bin/x', 'surface.json']);
  });
});

describe('packsWithin', () => {
  const names = (...all: string[]): string[] => packsWithin(all.map((path) => file(path))).map(({ name }) => name);

  it('names the packs that lie beside one another, by their folders', () => {
    expect(names('packs/stock/manifest.json', 'packs/curl/manifest.json', 'packs/README.md')).toEqual([
      'curl',
      'stock',
    ]);
    expect(names('a/manifest.json', 'b/manifest.json')).toEqual(['a', 'b']);
    expect(names('all/a/x/manifest.json', 'all/b/manifest.json')).toEqual(['a/x', 'b']);
    expect(names('all/ab/manifest.json', 'all/a/manifest.json')).toEqual(['a', 'ab']);
  });

  it('counts neither what lies within a pack nor what begins with a dot', () => {
    expect(names('p/manifest.json', 'p/vendor/manifest.json')).toHaveLength(1);
    expect(names('p/a/manifest.json', 'p/.old/manifest.json')).toHaveLength(1);
    expect(names('p/surface.json')).toEqual([]);
  });
});

describe('packFolder', () => {
  const unpacked = async (files: PickedFile[]) => {
    const told: number[] = [];
    const entries = await unpackTar(gunzipSync(await packFolder(files, (done) => told.push(done))));
    expect(told).toEqual(entries.map((_, index) => index + 1));
    return Object.fromEntries(entries.map(({ header, data }) => [header.name, [header.mode, String(data?.length)]]));
  };

  it('keeps what is a program executable: the one of the manifest, scripts, and ELF files', async () => {
    const manifest = JSON.stringify({ wrap: { bin: './bin/tool' } });
    const found = await unpacked([
      file('p/manifest.json', manifest),
      file('p/bin/tool', 'plain'),
      file('p/bin/script', '#!/bin/sh\n'),
      file('p/bin/elf', '\u007fELF'),
      file('p/SKILL.md', '# p'),
    ]);
    expect(found).toMatchObject({
      'manifest.json': [0o644, String(manifest.length)],
      'bin/tool': [0o755, '5'],
      'bin/script': [0o755, '10'],
      'bin/elf': [0o755, '4'],
      'SKILL.md': [0o644, '3'],
    });
  });

  it('packs a manifest that is no JSON too: the check says what is wrong with it', async () => {
    expect(Object.keys(await unpacked([file('manifest.json', '{')]))).toEqual(['manifest.json']);
  });

  it('makes none of several packs by itself: each is there to be chosen', async () => {
    const picked = ['curl', 'git', 'stock'].flatMap((name) => [
      file(`packs/${name}/manifest.json`),
      file(`packs/${name}/SKILL.md`),
    ]);
    const refused = await packFolder(picked, () => undefined).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SeveralPacks);
    expect(refused).toMatchObject({
      title: 'This folder holds 3 packs',
      next: 'curl, git, stock; choose one of them.',
    });
    const { packs } = refused as SeveralPacks;
    expect(Object.keys(await unpacked([...(packs[1]?.files ?? [])]))).toEqual(['SKILL.md', 'manifest.json']);
  });

  it.each([
    ['nothing', [], 'There is no file in it'],
    [
      'too many files',
      Array.from({ length: MAX_ARCHIVE_ENTRIES + 1 }, (_, index) =>
        file(index === 0 ? 'manifest.json' : String(index)),
      ),
      'more than',
    ],
    ['what is no pack', [file('p/surface.json'), file('p/bin/x')], 'no manifest.json at its top'],
    ['too much', [{ path: 'p/manifest.json', file: sized(MAX_UNPACKED_BYTES + 1) }], 'MiB together'],
  ])('refuses %s before it is read', async (_, files, words) => {
    const refused = packFolder(files, () => undefined);
    await expect(refused).rejects.toBeInstanceOf(CannotPack);
    await expect(refused).rejects.toThrow(words);
  });
});

describe('an archive', () => {
  it('is known by its name', () => {
    expect(['a.tgz', 'b.TAR.GZ'].every(isArchive)).toBe(true);
    expect(['a.tar', 'b.gz', 'c.zip'].some(isArchive)).toBe(false);
  });

  it('goes as it is, and not where it is over the limit', async () => {
    expect(await readArchive(new Blob(['x']))).toEqual(new Uint8Array([120]));
    await expect(readArchive(sized(MAX_ARCHIVE_BYTES + 1))).rejects.toThrow('over 10 MiB');
  });
});
