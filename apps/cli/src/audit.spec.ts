import { generateKeyPairSync, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  checkpointLineText,
  checkpointText,
  eventHash,
  eventLineText,
  GrowingTree,
  leafText,
  noteKeyId,
  SIGNATURE,
  timedSignature,
  timedText,
  utf8Bytes,
  writeNote,
  writeNoteKey,
} from '@hcp/core';
import { describe, expect, it } from 'vitest';
import { nodeAuditCrypto } from './audit/crypto.js';
import { AT, hcpx, ID, startApi, tempDir } from './testing/harness.js';

const { sha256 } = nodeAuditCrypto;
const ORIGIN = `hcp.example.com/audit/${ID}`;
const pair = generateKeyPairSync('ed25519');
const key = {
  name: ORIGIN,
  public_key: new Uint8Array(Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')),
};
const sealed = (bytes: Uint8Array): Uint8Array => new Uint8Array(sign(null, bytes, pair.privateKey));

async function checkpoint(tree: GrowingTree): Promise<string> {
  const text = checkpointText({ origin: ORIGIN, size: tree.size, root: await tree.root() });
  const seconds = Date.parse(AT) / 1000;
  const signed = async (kind: number, signature: Uint8Array) => ({
    name: ORIGIN,
    key_id: await noteKeyId(sha256, key, kind),
    signature,
  });
  const signatures = [
    await signed(SIGNATURE.note, sealed(utf8Bytes(text))),
    await signed(SIGNATURE.timed, timedSignature(seconds, sealed(timedText(text, seconds)))),
  ];
  return writeNote({ text, signatures });
}

/** A log of five events as a file, an older checkpoint of it, and `hcpx` with nothing but those. */
async function setup() {
  const home = await tempDir();
  const tree = new GrowingTree(sha256);
  let text = '';
  let older = '';
  for (let index = 0; index < 5; index += 1) {
    const event = { id: `${ID.slice(0, -1)}${String(index)}`, action: 'exec.decision' };
    const hash = await eventHash(sha256, event);
    text += eventLineText(index, hash, leafText(event));
    await tree.add(hash);
    if (index === 2) older = await checkpoint(tree);
  }
  const newest = await checkpoint(tree);
  const [file, against] = [join(home, 'log.ndjson'), join(home, 'older')];
  await writeFile(file, text + checkpointLineText(newest));
  await writeFile(against, older);
  return { home, file, against, newest, key_text: await writeNoteKey(sha256, key), lines: (text + '').split('\n') };
}

describe('hcpx audit verify', () => {
  it('needs no connection, only the key', async () => {
    const { home, file, against, key_text } = await setup();
    const done = await hcpx(['audit', 'verify', file, '--key', key_text, '--against', against], { home });
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain(`ok: 5 events of ${ORIGIN}, all as they were logged`);
    expect(done.out).toContain(AT);
    expect(done.out).toContain('begins with the 3 events');
    const from_file = join(home, 'key');
    await writeFile(from_file, `${key_text}\n`);
    const json = await hcpx(['audit', 'verify', file, '--key', from_file, '--json'], { home });
    expect(JSON.parse(json.out)).toMatchObject({
      ok: true,
      size: 5,
      shown: 5,
      withheld: 0,
      older: null,
      signed_at: AT,
    });
  });

  it('names the first bad event, and ends with 1', async () => {
    const { home, file, key_text } = await setup();
    const text = await readFile(file, 'utf8');
    await writeFile(
      file,
      text
        .replace(`${ID.slice(0, -1)}3","action"`, `${ID.slice(0, -1)}9","action"`)
        .replace('decision"', 'completion"'),
    );
    const changed = await hcpx(['audit', 'verify', file, '--key', key_text], { home });
    expect(changed).toMatchObject({ code: 1, out: '' });
    expect(changed.err).toContain('event number 1');
    expect(changed.err).toContain('was changed');
    const json = await hcpx(['audit', 'verify', file, '--key', key_text, '--json'], { home });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({
      ok: false,
      kind: 'changed',
      index: 0,
      event_id: `${ID.slice(0, -1)}0`,
    });
    await writeFile(file, text.split('\n').toSpliced(2, 1).join('\n'));
    expect((await hcpx(['audit', 'verify', file, '--key', key_text], { home })).err).toContain(
      'event number 3 is missing',
    );
  });

  it('names where a file was cut off, whether or not a key is kept', async () => {
    const { home, file } = await setup();
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.split('\n').slice(0, 3).join('\n'));
    const cut = await hcpx(['audit', 'verify', file], { home });
    expect(cut).toMatchObject({ code: 1 });
    expect(cut.err).toContain('event number 4 or the end of the log is missing');
  });

  it('refuses what it cannot judge', async () => {
    const { home, file, against, key_text } = await setup();
    const unknown = await hcpx(['audit', 'verify', file], { home });
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.err).toContain('no key is kept here for this log');
    const odd = join(home, 'odd');
    await writeFile(odd, (await readFile(file, 'utf8')).replaceAll(ORIGIN, 'constructor'));
    expect((await hcpx(['audit', 'verify', odd], { home })).err).toContain('no key is kept here for this log');
    for (const [words, code] of [
      [['audit', 'verify', file, '--key', `${key_text}x`], 2],
      [['audit', 'verify', join(home, 'nothing'), '--key', key_text], 2],
      [['audit', 'verify', file, '--key', join(home, 'nothing')], 2],
      [['audit', 'verify', file, '--key', key_text, '--against', join(home, 'nothing')], 2],
      [['audit', 'verify', against, '--key', key_text], 1],
      [['audit', 'verify', against], 1],
      [['audit', 'verify'], 2],
    ] as const) {
      expect((await hcpx([...words], { home })).code, words.join(' ')).toBe(code);
    }
  });
});

describe('the key of a log', () => {
  it('is kept from the first time on, and another one refused', async () => {
    const { home, file, newest, key_text } = await setup();
    const answer = {
      origin: ORIGIN,
      size: 5,
      root: 'A'.repeat(43) + '=',
      signed_at: AT,
      checkpoint: newest,
      key: key_text,
    };
    const api = await startApi({ 'GET /v1/audit/checkpoint': () => ({ json: answer }) });
    const vars = { HCP_URL: api.url, HCP_TOKEN: 'hcp_id_topsecret' };
    expect(await hcpx(['audit', 'checkpoint'], { home, vars })).toMatchObject({ code: 0, out: newest });
    expect(await hcpx(['audit', 'key'], { home, vars })).toMatchObject({ code: 0, out: `${key_text}\n` });
    expect((await hcpx(['audit', 'verify', file], { home })).code).toBe(0);
    const other = await startApi({ 'GET /v1/audit/checkpoint': () => ({ json: { ...answer, key: `${ORIGIN}+x` } }) });
    const refused = await hcpx(['audit', 'key'], { home, vars: { ...vars, HCP_URL: other.url } });
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('is not the one that was kept here');
  });
});
