import { fromBase64, joinBytes, sameBytes, toBase64, utf8Bytes } from './bytes.js';
import type { Sha256 } from './merkle.js';

/** Whether an Ed25519 signature over these bytes is of this key (32 bytes, RFC 8032). */
export type VerifyEd25519 = (
  public_key: Uint8Array,
  signed: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/** What the platform does for a verifier. */
export interface AuditCrypto {
  readonly sha256: Sha256;
  readonly ed25519: VerifyEd25519;
}

/** Who signs a note: a name and a key, written together as `name+id+key` (C2SP signed-note). */
export interface NoteKey {
  readonly name: string;
  readonly public_key: Uint8Array;
}

export interface NoteSignature {
  readonly name: string;
  readonly key_id: Uint8Array;
  readonly signature: Uint8Array;
}

export interface Note {
  /** What is signed, with its last line break. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** C2SP's numbers for kinds of signatures: over the note itself, and over the note and a time. */
export const SIGNATURE = { note: 0x01, timed: 0x04 } as const;

const KEY_BYTES = 32;
const ID_BYTES = 4;
const MAX_NOTE = 16_384;
/** No space of any kind, and no plus. */
const NAME = /^[^\s+\p{Z}\p{Cc}]+$/u;

/** First bytes of the hash that names a key for one kind of signature. */
export async function noteKeyId(sha256: Sha256, { name, public_key }: NoteKey, kind: number): Promise<Uint8Array> {
  return (await sha256(joinBytes(utf8Bytes(`${name}\n`), [kind], public_key))).slice(0, ID_BYTES);
}

/** `name+1a2b3c4d+base64`, as other tools for such logs take a key. */
export async function writeNoteKey(sha256: Sha256, key: NoteKey): Promise<string> {
  const id = await noteKeyId(sha256, key, SIGNATURE.note);
  const hex = [...id].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${key.name}+${hex}+${toBase64(joinBytes([SIGNATURE.note], key.public_key))}`;
}

/** Null for what `writeNoteKey` does not write. */
export async function readNoteKey(sha256: Sha256, text: string): Promise<NoteKey | null> {
  const [, name = '', , encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text.trim()) ?? [];
  const bytes = fromBase64(encoded);
  if (!NAME.test(name) || bytes?.length !== KEY_BYTES + 1 || bytes[0] !== SIGNATURE.note) return null;
  const key = { name, public_key: bytes.slice(1) };
  return (await writeNoteKey(sha256, key)) === text.trim() ? key : null;
}

export function writeNote({ text, signatures }: Note): string {
  const lines = signatures.map(
    ({ name, key_id, signature }) => `— ${name} ${toBase64(joinBytes(key_id, signature))}\n`,
  );
  return `${text}\n${lines.join('')}`;
}

/** Null for what is no signed note. */
export function readNote(note: string): Note | null {
  // Controls other than line breaks have no place in a note.
  if (note.length > MAX_NOTE || /[^\P{Cc}\n]/u.test(note)) return null;
  const end = note.lastIndexOf('\n\n');
  if (end <= 0 || !note.endsWith('\n')) return null;
  const signatures: NoteSignature[] = [];
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const [, name = '', encoded = ''] = /^— ([^ ]+) ([^ ]+)$/.exec(line) ?? [];
    const bytes = fromBase64(encoded);
    if (!NAME.test(name) || bytes === null || bytes.length <= ID_BYTES) return null;
    signatures.push({ name, key_id: bytes.slice(0, ID_BYTES), signature: bytes.slice(ID_BYTES) });
  }
  return signatures.length > 0 ? { text: note.slice(0, end + 1), signatures } : null;
}

/** What a signature with a time signs (C2SP tlog-cosignature). */
export const timedText = (text: string, seconds: number): Uint8Array =>
  utf8Bytes(`cosignature/v1\ntime ${String(seconds)}\n${text}`);

const TIME_BYTES = 8;

/** The signature's bytes as a note carries them: the time, then the signature. */
export function timedSignature(seconds: number, signature: Uint8Array): Uint8Array {
  const time = new Uint8Array(TIME_BYTES);
  new DataView(time.buffer).setBigUint64(0, BigInt(seconds));
  return joinBytes(time, signature);
}

/**
 * Whether the key signed the note, and when it says it did. A signature of the key that does not hold refuses the note,
 * whatever else holds; what other keys signed is no matter of this one.
 * @returns null where it did not
 */
export async function verifyNote(
  { sha256, ed25519 }: AuditCrypto,
  { text, signatures }: Note,
  key: NoteKey,
): Promise<{ readonly signed_at: Date | null } | null> {
  const [plain_id, timed_id] = [
    await noteKeyId(sha256, key, SIGNATURE.note),
    await noteKeyId(sha256, key, SIGNATURE.timed),
  ];
  let signed = false;
  let signed_at: Date | null = null;
  for (const { name, key_id, signature } of signatures) {
    if (name !== key.name) continue;
    if (sameBytes(key_id, plain_id)) {
      if (!(await ed25519(key.public_key, utf8Bytes(text), signature))) return null;
      signed = true;
    } else if (sameBytes(key_id, timed_id)) {
      if (signature.length <= TIME_BYTES) return null;
      const view = new DataView(signature.buffer, signature.byteOffset, TIME_BYTES);
      const seconds = Number(view.getBigUint64(0));
      const time = new Date(seconds * 1000);
      if (Number.isNaN(time.getTime())) return null;
      if (!(await ed25519(key.public_key, timedText(text, seconds), signature.slice(TIME_BYTES)))) return null;
      signed_at = time;
    }
  }
  return signed ? { signed_at } : null;
}
