import type { ExecEnvelope, ResultEnvelope } from '@hcp/core';
import type { RemoteApi } from './remote/api.js';
import type { CallOptions, Runtime } from './runtime.js';

export interface ExecOptions extends CallOptions, Omit<ExecEnvelope, 'pack_id' | 'verb_key' | 'args'> {}

/** The one way to run commands, whatever runtime is behind it (SPEC I4). */
export class Hcp<R extends Runtime = Runtime> {
  readonly runtime: R;

  private constructor(runtime: R) {
    this.runtime = runtime;
  }

  /** Asynchronous because a local runtime reads its packs first. */
  static async create<R extends Runtime>(options: { runtime: R }): Promise<Hcp<R>> {
    return Promise.resolve(new Hcp(options.runtime));
  }

  /**
   * Runs one command and answers its result envelope, refusals and failures included.
   * Values of `args` go as they are; `confirm`, `apply` and `mode` are control words (SPEC E1).
   */
  async exec(
    pack_id: string,
    verb_key: string,
    args: Readonly<Record<string, unknown>> = {},
    options: ExecOptions = {},
  ): Promise<ResultEnvelope> {
    const { signal, ...rest } = options;
    return this.runtime.exec({ pack_id, verb_key, args, ...rest }, signal === undefined ? {} : { signal });
  }

  /** Every other route, where the runtime is a hosted API. */
  get api(): R extends { api: RemoteApi } ? RemoteApi : undefined {
    return ('api' in this.runtime ? this.runtime.api : undefined) as R extends { api: RemoteApi }
      ? RemoteApi
      : undefined;
  }
}
