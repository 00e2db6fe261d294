import type { SealedOutcome } from './outcome.js';

/** Encrypts with a tenant's data key; `aad` binds the text to its place. */
export interface Sealer {
  seal(plain: Buffer, aad: string): Buffer;
  open(sealed: Buffer, aad: string): Buffer;
}

const argsPlace = (run_id: string) => `run:${run_id}:args`;
const outcomePlace = (run_id: string) => `run:${run_id}:outcome`;

export function sealArgs(sealer: Sealer, run_id: string, args: object): Buffer<ArrayBuffer> {
  return Buffer.from(sealer.seal(Buffer.from(JSON.stringify(args)), argsPlace(run_id)));
}

export function openArgs(sealer: Sealer, run_id: string, sealed: Uint8Array): Record<string, unknown> {
  return JSON.parse(sealer.open(Buffer.from(sealed), argsPlace(run_id)).toString()) as Record<string, unknown>;
}

export function sealOutcome(sealer: Sealer, run_id: string, outcome: SealedOutcome): Buffer<ArrayBuffer> {
  return Buffer.from(sealer.seal(Buffer.from(JSON.stringify(outcome)), outcomePlace(run_id)));
}

export function openOutcome(sealer: Sealer, run_id: string, sealed: Uint8Array): SealedOutcome {
  return JSON.parse(sealer.open(Buffer.from(sealed), outcomePlace(run_id)).toString()) as SealedOutcome;
}
