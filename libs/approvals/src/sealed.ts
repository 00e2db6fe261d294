import { createHmac } from 'node:crypto';
import { canonicalJson, type Card } from '@hcp/core';
import type { Sealer } from './ports.js';

/** What of a request holds values: stored encrypted. */
export interface SealedCall {
  readonly card: Card;
  /** As the requester sent them, control words included. */
  readonly args: Readonly<Record<string, unknown>>;
}

const callPlace = (id: string): string => `approval:${id}:call`;
const reasonPlace = (id: string): string => `approval_decision:${id}:reason`;

export function sealCall(sealer: Sealer, id: string, call: SealedCall): Buffer<ArrayBuffer> {
  return Buffer.from(sealer.seal(Buffer.from(JSON.stringify(call)), callPlace(id)));
}

export function openCall(sealer: Sealer, id: string, sealed: Uint8Array): SealedCall {
  return JSON.parse(sealer.open(Buffer.from(sealed), callPlace(id)).toString()) as SealedCall;
}

export function sealReason(sealer: Sealer, id: string, reason: string): Buffer<ArrayBuffer> {
  return Buffer.from(sealer.seal(Buffer.from(reason), reasonPlace(id)));
}

export function openReason(sealer: Sealer, id: string, sealed: Uint8Array): string {
  return sealer.open(Buffer.from(sealed), reasonPlace(id)).toString();
}

/** Names one card, so that a yes can say which one was seen (SPEC V4). Keyed: the stored one tells nothing of its values. */
export function cardDigest({ digest_key }: Sealer, approval_id: string, card: Card): string {
  const text = canonicalJson({ approval_id, card });
  return `hmac-sha256:${createHmac('sha256', digest_key).update(text).digest('hex')}`;
}
