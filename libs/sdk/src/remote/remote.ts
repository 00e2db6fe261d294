import type { ExecEnvelope, ResultEnvelope } from '@hcp/core';
import type { CallOptions, Runtime } from '../runtime.js';
import { type RemoteApi, remoteApi } from './api.js';
import { remoteExec } from './exec.js';
import { type RemoteOptions, Transport } from './transport.js';

export interface RemoteRuntime extends Runtime {
  readonly name: 'remote';
  readonly api: RemoteApi;
}

/** The driver that speaks to a hosted API (SPEC I4). Throws `HcpError` where the address is none. */
export function remote(options: RemoteOptions): RemoteRuntime {
  const transport = new Transport(options);
  return {
    name: 'remote',
    api: remoteApi(transport),
    exec: async (envelope: ExecEnvelope, call?: CallOptions): Promise<ResultEnvelope> =>
      remoteExec(transport, envelope, call),
  };
}
