import {
  checkpointText,
  noteKeyId,
  SIGNATURE,
  timedSignature,
  timedText,
  utf8Bytes,
  writeNote,
  writeNoteKey,
  type NoteSignature,
  type TreeHead,
} from '@hcp/core';
import { sha256 } from './digest.js';

/** The key that signs what the logs of this installation say of themselves. */
export interface LogKey {
  /** The installation, in the origin of each of its logs; never changed, or older checkpoints would be another log's. */
  readonly log_name: string;
  /** 32 bytes, RFC 8032. */
  readonly public_key: Uint8Array;
  sign(bytes: Uint8Array): Uint8Array;
}

/** Names one log: the installation and the tenant. */
export const logOrigin = (log_name: string, tenant_id: string): string => `${log_name}/audit/${tenant_id}`;

/** The key as a verifier of this tenant's log takes it. */
export const logKeyText = ({ log_name, public_key }: LogKey, tenant_id: string): Promise<string> =>
  writeNoteKey(sha256, { name: logOrigin(log_name, tenant_id), public_key });

/**
 * Signs a state of the log (C2SP tlog-checkpoint).
 * @param at says when, in a second signature; without it the checkpoint is one from amid an export, which ends none
 */
export async function signCheckpoint(key: LogKey, tenant_id: string, head: TreeHead, at: Date | null): Promise<string> {
  const origin = logOrigin(key.log_name, tenant_id);
  const text = checkpointText({ origin, ...head });
  const note_key = { name: origin, public_key: key.public_key };
  const signed = async (kind: number, signature: Uint8Array): Promise<NoteSignature> => ({
    name: origin,
    key_id: await noteKeyId(sha256, note_key, kind),
    signature,
  });
  const signatures = [await signed(SIGNATURE.note, key.sign(utf8Bytes(text)))];
  if (at !== null) {
    const seconds = Math.floor(at.getTime() / 1000);
    const signature = timedSignature(seconds, key.sign(timedText(text, seconds)));
    signatures.push(await signed(SIGNATURE.timed, signature));
  }
  return writeNote({ text, signatures });
}
