import { renderArgv } from '@hcp/core';
import { declaredHosts, DEFAULT_LIMITS, redactEgress, type SandboxDriver, type SandboxOutcome } from '@hcp/sandbox';
import { refused, type Outcome } from '../outcome.js';
import type { Workspaces } from '../workspaces.js';
import type { Adapter, AdapterCall } from './adapter.js';

export interface WrapDeps {
  /** Null where this host has no way to isolate a command: then wraps are refused (SPEC S1). */
  readonly driver: SandboxDriver | null;
  readonly no_driver: string;
  readonly packDir: (tenant_id: string, version_id: string, digest: string) => Promise<string>;
  readonly workspaces: Workspaces;
}

/** Runs a wrapped CLI in the sandbox (SPEC W1-W5, S1-S6). */
export class WrapAdapter implements Adapter {
  constructor(private readonly deps: WrapDeps) {}

  async run({ run, plan, lease, workspace, signal }: AdapterCall): Promise<Outcome> {
    const { driver, no_driver, packDir, workspaces } = this.deps;
    if (!driver) return refused('sandbox_unavailable', 'sandbox: no driver on this worker', no_driver);
    const wrap = plan.pack.manifest.wrap;
    if (!wrap || run.pack_version_id === null) return refused('internal', 'pack has no wrap', 'install the pack again');
    // A mock run acts on nothing outside, whatever the pack declares (SPEC B1).
    const network = plan.family === 'mock' || wrap.network === 'none' ? undefined : wrap.network;
    if (network !== undefined && !driver.egress) {
      return refused('sandbox_unavailable', 'sandbox: this worker has no network for packs', 'ask an operator');
    }
    if (wrap.image !== undefined && !driver.images.includes(wrap.image)) {
      return refused(
        'sandbox_unavailable',
        "sandbox: the pack's image is not on the operator's list",
        'ask an operator',
      );
    }
    const rendered = renderArgv(plan.pack, plan.verb_key, plan.args);
    if (!rendered.ok) return { status: 'failed', ...rendered.denial, ran: false };
    const pack_dir = await packDir(run.tenant_id, run.pack_version_id, run.pack_digest);
    if (workspace) await workspaces.create(workspace);
    const outcome = await driver.run(
      {
        run_id: run.id,
        bin: rendered.bin,
        argv: rendered.argv,
        pack_dir,
        uploaded: !run.pack_platform,
        workspace: { mode: plan.workspace_mode, dir: workspace?.dir ?? null },
        ...(wrap.image !== undefined && { image: wrap.image }),
        env: { ...wrap.agent_env, ...lease.env },
        limits: { ...DEFAULT_LIMITS, timeout_ms: run.timeout_ms },
        ...(network && { network }),
      },
      { signal, secrets: lease.secrets },
    );
    const ended = toOutcome(outcome, run.timeout_ms);
    if (!outcome.egress) return ended;
    const hosts = declaredHosts(outcome.egress, network ?? []);
    return { ...ended, egress: redactEgress(outcome.egress, lease.secrets), hosts };
  }
}

function toOutcome(outcome: SandboxOutcome, timeout_ms: number): Outcome {
  const { stdout, stderr, truncated } = outcome;
  const streams = { stdout, stderr, truncated, ...(outcome.exit_code !== null && { exit_code: outcome.exit_code }) };
  switch (outcome.kind) {
    case 'exited': {
      if (outcome.exit_code === 0 && !outcome.oom) return { status: 'succeeded', ...streams, ran: true };
      const error = stderr.trim() || (outcome.oom ? 'out of memory' : `exit ${outcome.exit_code ?? 'by signal'}`);
      const hint = outcome.oom
        ? 'the command ran out of memory; ask for less at once'
        : outcome.egress?.refused.length
          ? 'the command asked for hosts that it may not or cannot reach; see the hosts that its pack declares'
          : 'the command itself failed; its standard error says why';
      return { status: 'failed', code: 'exit_nonzero', error, hint, ...streams, ran: true };
    }
    case 'timeout':
      return {
        status: 'timed_out',
        code: 'timeout',
        error: `timed out after ${timeout_ms} ms`,
        hint: 'the command was stopped; ask for less at once, or raise timeout_ms in the pack',
        ...streams,
        ran: true,
      };
    case 'output_limit':
      return {
        status: 'failed',
        code: 'output_limit',
        error: 'output limit exceeded: the command was stopped',
        hint: 'ask for less output',
        ...streams,
        ran: true,
      };
    case 'cancelled':
      return {
        status: 'cancelled',
        code: 'cancelled',
        error: 'cancelled',
        hint: CANCELLED_HINT,
        ...streams,
        ran: true,
      };
    case 'bin_not_allowlisted':
      return {
        status: 'failed',
        code: 'bin_not_allowlisted',
        error: outcome.error ?? 'sandbox: bin not allowlisted',
        hint: 'put the program into the pack, or ask an operator to allow it by name',
        exit_code: 127,
        ran: false,
      };
    case 'lost':
      return {
        status: 'unknown',
        code: 'outcome_unknown',
        error: outcome.error ?? 'sandbox: the run was lost',
        hint: 'look at what the command changes before you send it again',
        ...streams,
        ran: true,
      };
    case 'failed_to_start':
      return refused('sandbox_unavailable', outcome.error ?? 'sandbox: the command could not be started', START_HINT);
    default:
      return refused('internal', 'sandbox: unknown outcome', START_HINT);
  }
}

const CANCELLED_HINT = 'someone cancelled the run; what it had done by then stays done';
const START_HINT = 'nothing was run; see hcp.doctor for the state of the sandbox';
