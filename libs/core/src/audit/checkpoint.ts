import { fromBase64, toBase64 } from './bytes.js';
import { HASH_BYTES, type TreeHead } from './merkle.js';
import { readNote, verifyNote, type AuditCrypto, type Note, type NoteKey } from './note.js';

/** What a log says about itself at one size (C2SP tlog-checkpoint). */
export interface Checkpoint extends TreeHead {
  /** Names the log: the installation and the tenant. */
  readonly origin: string;
}

export interface SignedCheckpoint extends Checkpoint {
  /** The signer's word for it; null where the checkpoint bears no time. */
  readonly signed_at: Date | null;
}

/** The lines that are signed. */
export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${String(size)}\n${toBase64(root)}\n`;

function readText(text: string): Checkpoint | null {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n');
  const hash = fromBase64(root);
  if (origin === '' || !/^(?:0|[1-9][0-9]{0,15})$/.test(size) || hash?.length !== HASH_BYTES) return null;
  // Behind the last line break nothing is left; what logs may add on further lines, this one never does.
  if (rest.length !== 1 || rest[0] !== '' || !Number.isSafeInteger(Number(size))) return null;
  return { origin, size: Number(size), root: hash };
}

/** What a checkpoint says, unchecked; null for what is none. */
export function readCheckpoint(note: string): (Checkpoint & { readonly note: Note }) | null {
  const read = readNote(note);
  const checkpoint = read && readText(read.text);
  return checkpoint && { ...checkpoint, note: read };
}

export type OpenedCheckpoint =
  | { readonly ok: true; readonly checkpoint: SignedCheckpoint }
  | { readonly ok: false; readonly problem: 'unreadable' | 'other_log' | 'bad_signature' };

/** What a checkpoint says, where this key signed it and it is of the key's own log. */
export async function openCheckpoint(crypto: AuditCrypto, note: string, key: NoteKey): Promise<OpenedCheckpoint> {
  const read = readCheckpoint(note);
  if (!read) return { ok: false, problem: 'unreadable' };
  const { origin, size, root } = read;
  if (origin !== key.name) return { ok: false, problem: 'other_log' };
  const verified = await verifyNote(crypto, read.note, key);
  if (!verified) return { ok: false, problem: 'bad_signature' };
  return { ok: true, checkpoint: { origin, size, root, signed_at: verified.signed_at } };
}
