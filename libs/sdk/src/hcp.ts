import type { CommandInfo, ExecPreview } from '@hcp/contracts';
import type { ExecEnvelope, ResultEnvelope } from '@hcp/core';
import { ACCESS_OPTIONS, type AccessOptions } from './access/options.js';
import { HcpError } from './errors.js';
import type { RemoteApi } from './remote/api.js';
import type { CallOptions, Runtime } from './runtime.js';

export interface ExecOptions extends CallOptions, Omit<ExecEnvelope, 'pack_id' | 'verb_key' | 'args'> {
  /**
   * The host's statement that its own UI collected a person's yes for exactly this call; each id covers one run. Agents
   * never set it (SPEC E1).
   */
  readonly approval?: { readonly by: 'human'; readonly id: string };
}

export interface CreateOptions<R extends Runtime> extends AccessOptions {
  readonly runtime: R;
}

/** The one way to run commands, whatever runtime is behind it (SPEC I4). */
export class Hcp<R extends Runtime = Runtime> {
  private constructor(
    /** What runs them, behind the access step where there is one. */
    readonly runtime: Runtime,
    private readonly given: R,
  ) {}

  /**
   * Asynchronous because settings are judged with the packs at hand.
   * @throws HcpError `invalid_request` without a runtime, and for settings that are malformed, by field; then nothing of them applies
   */
  static async create<R extends Runtime>({ runtime, ...options }: CreateOptions<R>): Promise<Hcp<R>> {
    // Asked of callers without types as well.
    if (typeof (runtime as Partial<Runtime> | undefined)?.exec !== 'function') throw noRuntime();
    if (!ACCESS_OPTIONS.some((name) => options[name] !== undefined)) {
      await runtime.ready?.();
      return new Hcp<R>(runtime, runtime);
    }
    // Loaded for those who use it: it brings a schema validator.
    const { withAccess } = await import('./access/with-access.js');
    const gated = withAccess(runtime, options);
    await gated.ready?.();
    return new Hcp<R>(gated, runtime);
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

  /** The card of a call; nothing runs and nobody is asked (SPEC C6). */
  async preview(pack_id: string, verb_key: string, args: Readonly<Record<string, unknown>> = {}): Promise<ExecPreview> {
    if (this.runtime.preview === undefined) throw cannot(this.runtime, 'previews');
    return this.runtime.preview({ pack_id, verb_key, args });
  }

  /** Every command, with what a call would get now: `allow`, `ask` or `deny` (SPEC A9). */
  async commands(): Promise<readonly CommandInfo[]> {
    if (this.runtime.commands === undefined) throw cannot(this.runtime, 'a list of commands');
    return this.runtime.commands();
  }

  /** Every other route, where the runtime is a hosted API. */
  get api(): R extends { api: RemoteApi } ? RemoteApi : undefined {
    return ('api' in this.given ? this.given.api : undefined) as R extends { api: RemoteApi } ? RemoteApi : undefined;
  }
}

const noRuntime = (): HcpError =>
  new HcpError({
    code: 'invalid_request',
    status: 0,
    message: 'runtime is missing: give remote({ url, token }) or what local({ … }) answers',
  });

const cannot = ({ name }: Runtime, what: string): HcpError =>
  new HcpError({ code: 'invalid_request', status: 0, message: `runtime ${name} has no ${what}` });
