import { appendAudit } from '@hcp/audit';
import {
  decide,
  type Caller,
  type Decision,
  type Denial,
  type ExecEnvelope,
  type ResultEnvelope,
  type SchemaCheck,
} from '@hcp/core';
import type { Database, Tx } from '@hcp/database';
import type { RunQueue } from '@hcp/queue';
import { v7 as uuidv7 } from 'uuid';
import { callerFacts, envelopeFacts, planFacts } from './audit-facts.js';
import type { RunsConfig } from './config.js';
import { callDigest, envelopeDigest } from './digest.js';
import { isTerminal, pendingEnvelope, resultEnvelope } from './envelope.js';
import { rememberOrReplay } from './idempotency.js';
import type { LoadAccess, LoadFacts, LoadedFacts, TenantKeys } from './ports.js';
import { identify } from './mint.js';
import { insertRun } from './store.js';
import type { RunWaiter, Watch } from './waiter.js';

export interface ExecDeps {
  readonly db: Database;
  readonly keys: TenantKeys;
  readonly facts: LoadFacts;
  readonly access: LoadAccess;
  readonly check: SchemaCheck;
  readonly queue: RunQueue;
  readonly waiter: RunWaiter;
  readonly config: RunsConfig;
  readonly onError: (error: Error) => void;
}

type Accepted =
  | {
      readonly kind: 'denied';
      readonly denial: Denial;
      readonly decision: Exclude<Decision, { decision: 'allow' }> | null;
    }
  | { readonly kind: 'run'; readonly run_id: string; readonly fresh: boolean };

/** The one way a command is run: every face, schedule and job ends here (SPEC T2). */
export class Exec {
  constructor(private readonly deps: ExecDeps) {}

  /** Decides, and where it may run, runs it. Never throws for what the caller or the pipeline did (SPEC E2). */
  async exec(caller: Caller, envelope: ExecEnvelope): Promise<ResultEnvelope> {
    const started = Date.now();
    let accepted: Accepted;
    try {
      accepted = await this.accept(caller, envelope);
    } catch (error) {
      // Nothing was committed, so nothing runs: without its audit event a command is refused (SPEC E3, step 7).
      this.deps.onError(error as Error);
      accepted = { kind: 'denied', denial: AUDIT_UNAVAILABLE, decision: null };
    }
    if (accepted.kind === 'denied') return denialEnvelope(envelope, accepted, Date.now() - started);
    const { run_id, fresh } = accepted;
    const watch = this.deps.waiter.watch(run_id);
    try {
      if (fresh) await this.enqueue(caller.tenant_id, run_id);
      // A replayed run may have ended long ago.
      else watch.changed();
      return await this.wait(caller, run_id, watch, envelope.wait_ms, started);
    } finally {
      watch.end();
    }
  }

  /** A run that could not be put in line is found by the reaper: its row is committed. */
  private async enqueue(tenant_id: string, run_id: string): Promise<void> {
    const { queue, onError } = this.deps;
    await queue.enqueue({ tenant_id, run_id }).catch((error: unknown) => onError(error as Error));
  }

  private async accept(caller: Caller, envelope: ExecEnvelope): Promise<Accepted> {
    const { db, keys, facts, access, check, config } = this.deps;
    const sealer = await keys(caller.tenant_id);
    const project_id = caller.session.project_id;
    return db.tenant(caller.tenant_id, async (tx): Promise<Accepted> => {
      const loaded = await facts(tx, { pack_id: envelope.pack_id, project_id, caller });
      const layers = await access(tx, { caller, project_id });
      const request = { envelope, caller, facts: loaded, project_id, check, access: layers, now: new Date() };
      const decision = decide(request);
      if (decision.decision !== 'allow') {
        await auditDenial(tx, caller, envelope, loaded, decision);
        return { kind: 'denied', denial: decision.denial, decision };
      }
      const { plan } = decision;
      const run_id = uuidv7();
      const key = envelope.idempotency_key;
      if (key !== undefined) {
        const seen = await rememberOrReplay(tx, {
          caller,
          key,
          run_id,
          envelope_hash: envelopeDigest(sealer.digest_key, envelope, project_id),
          expires_at: new Date(Date.now() + config.idempotency_ttl_ms),
        });
        if (seen.kind === 'conflict') {
          const denial = IDEMPOTENCY_CONFLICT;
          await auditDenial(tx, caller, envelope, loaded, { decision: 'deny', denial, known: plan });
          return { kind: 'denied', denial, decision: null };
        }
        if (seen.kind === 'replay') return { kind: 'run', run_id: seen.run_id, fresh: false };
      }
      const binding = await identify(tx, caller, plan);
      const args_digest = callDigest(sealer.digest_key, caller, plan, binding);
      await insertRun(tx, {
        run_id,
        caller,
        envelope,
        plan,
        version: loaded,
        binding,
        args_digest,
        sealer,
        config,
      });
      await appendAudit(tx, {
        ...callerFacts(caller),
        ...planFacts(plan, args_digest, binding),
        action: 'exec.decision',
        decision: 'allow',
        run_id,
      });
      return { kind: 'run', run_id, fresh: true };
    });
  }

  private async wait(
    caller: Caller,
    run_id: string,
    watch: Watch,
    asked: number | undefined,
    started: number,
  ): Promise<ResultEnvelope> {
    const { db, keys, config } = this.deps;
    const wait_ms = Math.min(asked ?? config.wait_ms, config.max_wait_ms);
    const load = () =>
      db.tenant(caller.tenant_id, (tx) =>
        tx.run.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id: caller.tenant_id, id: run_id } } }),
      );
    const sealer = await keys(caller.tenant_id);
    const ended = await watch.until(wait_ms, async () => {
      const run = await load();
      return isTerminal(run.status) ? resultEnvelope(sealer, run) : null;
    });
    if (ended) return ended;
    const run = await load();
    if (isTerminal(run.status)) return resultEnvelope(sealer, run);
    return pendingEnvelope(run, Date.now() - started, wait_ms > 0);
  }
}

async function auditDenial(
  tx: Tx,
  caller: Caller,
  envelope: ExecEnvelope,
  facts: LoadedFacts,
  { decision, denial, access, known }: Exclude<Decision, { decision: 'allow' }>,
): Promise<void> {
  await appendAudit(tx, {
    ...callerFacts(caller),
    ...envelopeFacts(envelope),
    action: 'exec.decision',
    project_id: caller.session.project_id,
    operation: known.operation ?? null,
    land: known.land ?? null,
    pack_version: facts.pack?.manifest.version ?? null,
    arg_names: declaredNames(envelope, facts),
    decision,
    code: denial.code,
    reason: access?.reason_code ?? denial.code,
    mode: known.mode ?? null,
    ran: false,
  });
}

/** Only names that the pack declares: an undeclared one is the caller's text, which may hold anything (SPEC U1). */
function declaredNames(envelope: ExecEnvelope, { pack }: LoadedFacts): string[] {
  const declared = pack?.surface.commands[envelope.verb_key]?.args?.properties ?? {};
  return Object.keys(envelope.args).filter((name) => Object.hasOwn(declared, name));
}

function denialEnvelope(
  envelope: ExecEnvelope,
  { denial, decision }: Extract<Accepted, { kind: 'denied' }>,
  duration_ms: number,
): ResultEnvelope {
  return {
    ok: false,
    pack_id: envelope.pack_id,
    verb_key: envelope.verb_key,
    result: null,
    error: denial.error,
    code: denial.code,
    hint: denial.hint,
    ...(decision?.access && { access: decision.access }),
    ...(decision?.preview && { preview: decision.preview }),
    run_id: null,
    duration_ms,
  };
}

const AUDIT_UNAVAILABLE: Denial = {
  code: 'audit_unavailable',
  error: 'audit unavailable: nothing was run',
  hint: 'the audit log could not be written; try again, and tell an operator if it stays so',
};

const IDEMPOTENCY_CONFLICT: Denial = {
  code: 'idempotency_conflict',
  error: 'idempotency_key was used for another call',
  hint: 'use a new idempotency_key for a new call, or send the first call again unchanged',
};
