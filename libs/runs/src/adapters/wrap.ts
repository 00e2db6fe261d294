import { renderArgv } from '@hcp/core';
import { declaredHosts, DEFAULT_LIMITS, redactEgress, runResult, type SandboxDriver } from '@hcp/sandbox';
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

  async run({ run, plan, lease, workspace, signal, onOutput }: AdapterCall): Promise<Outcome> {
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
      { signal, secrets: lease.secrets, ...(onOutput && { onOutput }) },
    );
    const ended = runResult(outcome, run.timeout_ms);
    if (!outcome.egress) return ended;
    const hosts = declaredHosts(outcome.egress, network ?? []);
    return { ...ended, egress: redactEgress(outcome.egress, lease.secrets), hosts };
  }
}
