import type { CommandInfo, ExecPreview } from '@hcp/contracts';
import type { ExecEnvelope, Pack, ResultEnvelope } from '@hcp/core';
import type { AccessOptions } from './access/options.js';

export interface CallOptions {
  /** Stops waiting for the answer; a run that was accepted goes on (SPEC E6). */
  readonly signal?: AbortSignal;
}

/** A pack as a host has it: its three files, parsed. Without a digest one is made from them. */
export type HostPack = Pick<Pack, 'manifest' | 'surface' | 'policy'> & Partial<Pick<Pack, 'skill' | 'digest'>>;

/** What runs an envelope: a hosted API, the local driver, or a driver of the host's own (SPEC I4). */
export interface Runtime {
  readonly name: string;
  /** Never throws for a refusal or a failure; only the caller's own abort rejects. */
  exec(envelope: ExecEnvelope, options?: CallOptions): Promise<ResultEnvelope>;
  /** The packs whose commands it runs. Without them nothing can be decided in front of it. */
  packs?(): readonly HostPack[] | Promise<readonly HostPack[]>;
  /** Rejects with `HcpError` for settings that do not fit the packs, by field. `Hcp.create` waits for it. */
  ready?(): Promise<void>;
  /** Of a runtime that has an access step of its own: the same runtime with other settings, instead of a second step. */
  withAccess?(options: AccessOptions): Runtime;
  /** The commands, each with what a call would get now (SPEC A9). */
  commands?(): Promise<readonly CommandInfo[]>;
  /** The card of a call; nothing runs and nobody is asked (SPEC C6). */
  preview?(envelope: ExecEnvelope): Promise<ExecPreview>;
}
