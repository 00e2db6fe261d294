import type { Piece } from './live/pending-output.js';
import type { SealedOutcome } from './outcome.js';

/** Encrypts with a tenant's data key; `aad` binds the text to its place. */
export interface Sealer {
  seal(plain: Buffer, aad: string): Buffer;
  open(sealed: Buffer, aad: string): Buffer;
}

const argsPlace = (run_id: string) => `run:${run_id}:args`;
const outputPlace = ({ run_id, attempt_id, seq }: OutputPlace) => `run:${run_id}:output:${attempt_id}:${seq}`;
const outcomePlace = (run_id: string) => `run:${run_id}:outcome`;

/** Which row of a run's output. */
export interface OutputPlace {
  readonly run_id: string;
  readonly attempt_id: string;
  readonly seq: number;
}

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

export function sealPiece(sealer: Sealer, place: OutputPlace, piece: Piece): Buffer {
  return sealer.seal(Buffer.from(JSON.stringify(piece)), outputPlace(place));
}

export function openPiece(sealer: Sealer, place: OutputPlace, sealed: Uint8Array): Piece {
  return JSON.parse(sealer.open(Buffer.from(sealed), outputPlace(place)).toString()) as Piece;
}
