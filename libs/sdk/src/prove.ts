import type { AuditProof } from '@hcp/contracts';
import {
  eventHash,
  fromBase64,
  openCheckpoint,
  readNoteKey,
  verifyInclusion,
  type AuditCrypto,
  type LoggedEvent,
  type SignedCheckpoint,
} from '@hcp/core';

export type ProvenEvent =
  | { readonly ok: true; readonly index: number; readonly checkpoint: SignedCheckpoint }
  | { readonly ok: false; readonly reason: 'key' | 'checkpoint' | 'other_event' | 'changed' | 'not_in_log' };

/**
 * Whether an event, as it was read, is in the log whose checkpoint the proof brings (SPEC U3). Nothing of the proof is
 * believed but the key, and that only where it is not given.
 * @param key_text the log's key, from where one trusts it; that of the proof by default
 */
export async function proveEvent(
  crypto: AuditCrypto,
  event: LoggedEvent & { readonly id: string },
  proof: AuditProof,
  key_text: string = proof.checkpoint.key,
): Promise<ProvenEvent> {
  if (proof.event_id !== event.id) return { ok: false, reason: 'other_event' };
  const key = await readNoteKey(crypto.sha256, key_text);
  if (!key) return { ok: false, reason: 'key' };
  const opened = await openCheckpoint(crypto, proof.checkpoint.checkpoint, key);
  if (!opened.ok) return { ok: false, reason: 'checkpoint' };
  const { checkpoint } = opened;
  const path = proof.path.map(fromBase64);
  if (!path.every((hash) => hash !== null)) return { ok: false, reason: 'not_in_log' };
  const leaf = await eventHash(crypto.sha256, event);
  const stated = fromBase64(proof.leaf);
  const shown = { index: proof.index, size: checkpoint.size, path };
  if (await verifyInclusion(crypto.sha256, leaf, shown, checkpoint.root)) {
    return { ok: true, index: proof.index, checkpoint };
  }
  const logged = stated !== null && (await verifyInclusion(crypto.sha256, stated, shown, checkpoint.root));
  return { ok: false, reason: logged ? 'changed' : 'not_in_log' };
}
