import type { CommandInfo, ExecPreview } from '@hcp/contracts';
import type { ExecEnvelope, ResultEnvelope } from '@hcp/core';
import type { CallOptions, Runtime } from '../runtime.js';
import { items, type RemoteApi, remoteApi } from './api.js';
import { remoteExec } from './exec.js';
import { type RemoteOptions, Transport } from './transport.js';

export interface RemoteRuntime extends Runtime {
  readonly name: 'remote';
  readonly api: RemoteApi;
}

/** The driver that speaks to a hosted API (SPEC I4). Throws `HcpError` where the address is none. */
export function remote(options: RemoteOptions): RemoteRuntime {
  const transport = new Transport(options);
  const api = remoteApi(transport);
  return {
    name: 'remote',
    api,
    exec: async (envelope: ExecEnvelope, call?: CallOptions): Promise<ResultEnvelope> =>
      remoteExec(transport, envelope, call),
    preview: async (envelope: ExecEnvelope): Promise<ExecPreview> =>
      api.preview({ ...envelope, args: { ...envelope.args } }),
    commands: async (): Promise<readonly CommandInfo[]> => {
      const all: CommandInfo[] = [];
      for await (const command of items((query) => api.commands.list(query))) all.push(command);
      return all;
    },
  };
}
