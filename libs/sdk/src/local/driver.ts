import { mkdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  HCP_CLI_PACK_ID,
  namedTexts,
  parseResult,
  renderArgv,
  type Denial,
  type Pack,
  type Plan,
  type ResultEnvelope,
} from '@hcp/core';
import type { RunResult, SandboxDriver } from '@hcp/sandbox';
import type { Gated, GatedCall } from '../access/gate.js';
import { HcpError } from '../errors.js';
import type { CallOptions } from '../runtime.js';
import { PRIVATE_DIR } from './files.js';
import { runHcpCli } from './hcp-cli.js';
import { lend, type Lease } from './mint.js';
import type { LocalOptions } from './options.js';
import { PackFolder, type LocalPack } from './packs.js';

type Ended = RunResult & { readonly result?: unknown };

/**
 * Runs the commands of a folder of packs on this machine, natively: an argument list and no shell, nothing of this
 * process's environment, standard input closed, bounded in time and output, the whole process group killed at the end.
 * It isolates nothing (SPEC S1): it is for packs that one would run by hand.
 */
export class LocalDriver implements Gated {
  readonly name = 'local';
  readonly #folder: PackFolder;
  #sandbox: Promise<SandboxDriver> | null = null;
  /** By call, from the look at the credential to the run that it is for. */
  readonly #leases = new WeakMap<GatedCall, Lease>();

  constructor(
    private readonly options: Pick<LocalOptions, 'packs_dir' | 'project_dir' | 'allowed_bins' | 'mint'>,
    private readonly home: string,
  ) {
    this.#folder = new PackFolder(options.packs_dir);
  }

  /** Every pack of the folder, with what the check found. */
  async report(): Promise<readonly LocalPack[]> {
    try {
      return await this.#folder.read();
    } catch (cause) {
      throw new HcpError({ code: 'invalid_request', status: 0, message: 'packs_dir cannot be read', cause });
    }
  }

  packs = async (): Promise<readonly Pack[]> => {
    const { HCP_CLI_PACK } = await import('@hcp/pack-files');
    const packs = (await this.report()).flatMap(({ pack }) => (pack === null ? [] : [pack]));
    return [HCP_CLI_PACK, ...packs];
  };

  async refusal(call: GatedCall): Promise<Denial | null> {
    const { envelope, plan } = call;
    if (envelope.idempotency_key !== undefined) return UNREMEMBERED;
    const unsupported = this.#unsupported(plan);
    if (unsupported !== null) return unsupported;
    const lent = await lend(this.options.mint, call);
    if (!lent.ok) return lent.denial;
    this.#leases.set(call, lent.lease);
    return null;
  }

  bound = async (plan: Plan): Promise<Readonly<Record<string, unknown>>> => {
    const { wrap } = plan.pack.manifest;
    if (wrap === undefined) return {};
    const { hashFiles, onThisMachine } = await import('@hcp/sandbox');
    const dir = await this.#workspace(plan);
    const workspace = dir && (await realpath(dir).catch(() => resolve(dir)));
    const bins = this.options.allowed_bins ?? {};
    return {
      workspace,
      // One of the pack's own is in its digest.
      bin: Object.hasOwn(bins, wrap.bin) ? bins[wrap.bin] : null,
      files: await hashFiles(namedTexts(plan), onThisMachine(workspace)),
    };
  };

  async run(call: GatedCall, { signal }: CallOptions): Promise<ResultEnvelope> {
    const started = performance.now();
    const { pack_id } = call.plan.pack.manifest;
    const ended = pack_id === HCP_CLI_PACK_ID ? await this.#cli(call.plan) : await this.#wrap(call, signal);
    // Only the caller's own abort cancels here, and who aborted waits for no answer.
    if (ended.status === 'cancelled') signal?.throwIfAborted();
    return envelopeOf(call, ended, performance.now() - started);
  }

  /** Runs under way are killed. */
  async close(): Promise<void> {
    await (await this.#sandbox)?.close();
  }

  #unsupported({ pack, workspace_mode }: Plan): Denial | null {
    const { kind, pack_id } = pack.manifest;
    if (kind !== 'wrap' && pack_id !== HCP_CLI_PACK_ID) {
      return unavailable(`kind ${kind} is not executable in the local runtime`, 'Run it on a hosted control plane.');
    }
    if (workspace_mode === 'project' && this.options.project_dir === undefined) {
      return unavailable('workspace.mode project needs project_dir', 'Give local() the folder of the project.');
    }
    return null;
  }

  async #cli(plan: Plan): Promise<Ended> {
    const { HCP_CLI_PACK, hcpCliHint } = await import('@hcp/pack-files');
    const built_in: LocalPack = { dir: '', pack: HCP_CLI_PACK, findings: [] };
    const facts = {
      packs_dir: this.options.packs_dir,
      home: this.home,
      packs: [built_in, ...(await this.report())],
      mints: this.options.mint !== undefined,
    };
    return { status: 'succeeded', result: runHcpCli(plan, hcpCliHint(plan.verb_key), facts), ran: true };
  }

  async #wrap(call: GatedCall, signal: AbortSignal | undefined): Promise<Ended> {
    const { plan } = call;
    const { DEFAULT_LIMITS, runResult } = await import('@hcp/sandbox');
    const rendered = renderArgv(plan.pack, plan.verb_key, plan.args);
    if (!rendered.ok) return { status: 'failed', ...rendered.denial, ran: false };
    const found = (await this.report()).find(({ pack }) => pack?.digest === plan.pack.digest);
    if (found === undefined) {
      return {
        status: 'failed',
        ...unavailable('the pack changed while its command was decided', 'Send it again.'),
        ran: false,
      };
    }
    const lease = this.#leases.get(call) ?? { env: {}, secrets: [] };
    const { wrap } = plan.pack.manifest;
    const network = plan.family === 'mock' || wrap?.network === 'none' ? undefined : wrap?.network;
    const timeout_ms = plan.timeout_ms ?? DEFAULT_LIMITS.timeout_ms;
    const sandbox = await this.#native();
    const outcome = await sandbox.run(
      {
        run_id: crypto.randomUUID(),
        bin: rendered.bin,
        argv: rendered.argv,
        pack_dir: found.dir,
        uploaded: false,
        workspace: { mode: plan.workspace_mode, dir: await this.#workspace(plan) },
        env: { ...wrap?.agent_env, ...lease.env },
        limits: { ...DEFAULT_LIMITS, timeout_ms },
        ...(wrap?.image !== undefined && { image: wrap.image }),
        ...(network && { network }),
      },
      { signal: signal ?? new AbortController().signal, secrets: lease.secrets },
    );
    return runResult(outcome, timeout_ms);
  }

  /** A folder that outlives the run, where the pack wants one. */
  async #workspace({ workspace_mode, pack }: Plan): Promise<string | null> {
    if (workspace_mode === 'project') return this.options.project_dir ?? null;
    if (workspace_mode !== 'workspace') return null;
    const dir = join(this.home, 'workspaces', pack.manifest.pack_id);
    await mkdir(dir, { recursive: true, mode: PRIVATE_DIR });
    return dir;
  }

  #native(): Promise<SandboxDriver> {
    this.#sandbox ??= (async () => {
      const { selectDriver } = await import('@hcp/sandbox');
      const selected = await selectDriver({
        requested: 'native-local',
        production: false,
        allow_uploaded: [],
        allowed_bins: this.options.allowed_bins ?? {},
        data_dir: this.home,
        node_bin: process.execPath,
      });
      if (!selected.ok) throw new Error(selected.reason);
      return selected.driver;
    })();
    return this.#sandbox;
  }
}

function envelopeOf({ plan }: GatedCall, ended: Ended, duration_ms: number): ResultEnvelope {
  const { stdout, stderr, exit_code, truncated, code, error, hint } = ended;
  const parsed = stdout === undefined || stdout === '' ? null : parseResult(stdout);
  return {
    ok: ended.status === 'succeeded',
    pack_id: plan.pack.manifest.pack_id,
    verb_key: plan.verb_key,
    result: ended.result ?? parsed,
    ...(error !== undefined && { error }),
    ...(code !== undefined && { code }),
    ...(hint !== undefined && { hint }),
    ...(stdout !== undefined && { stdout }),
    ...(stderr !== undefined && { stderr }),
    ...(exit_code !== undefined && { exit_code }),
    run_id: null,
    duration_ms: Math.round(duration_ms),
    ...(truncated === true && { truncated }),
  };
}

const unavailable = (error: string, hint: string): Denial => ({ code: 'sandbox_unavailable', error, hint });

/** Whoever sends a key counts on a second call to run nothing. */
const UNREMEMBERED: Denial = {
  code: 'invalid_envelope',
  error: 'invalid envelope: idempotency_key is not kept by the local runtime',
  hint: 'Leave it out, or run the command on a hosted control plane.',
};
