import { closeAnswered } from '@hcp/approvals';
import { appendAudit } from '@hcp/audit';
import type { ExecPreview } from '@hcp/contracts';
import {
  decide,
  KeysUnavailable,
  loadNested,
  renderPreview,
  type AccessLayers,
  type Caller,
  type Decision,
  type Denial,
  type ExecEnvelope,
  type KnownFacts,
  type ResultEnvelope,
  type SchemaCheck,
} from '@hcp/core';
import type { Approval, Database, Tx } from '@hcp/database';
import type { RunQueue } from '@hcp/queue';
import { v7 as uuidv7 } from 'uuid';
import { ask, ATTESTED_BEFORE, summaryOf, takeAttested, takeYes, type AskingCall, type Yes } from './asking.js';
import { callerFacts, planFacts } from './audit-facts.js';
import { awaitRun } from './await-run.js';
import { bind } from './bound.js';
import type { RunsConfig } from './config.js';
import { envelopeDigest } from './digest.js';
import { pendingEnvelope } from './envelope.js';
import { forget, rememberOrReplay } from './idempotency.js';
import type { LoadAccess, LoadFacts, LoadedFacts, ReloadCaller, TenantKeys } from './ports.js';
import {
  ACCEPTANCE_UNKNOWN,
  auditDenial,
  AUDIT_UNAVAILABLE,
  denialEnvelope,
  IDEMPOTENCY_CONFLICT,
  KEYS_UNAVAILABLE,
  knownOf,
  previewAnswer,
  refusalOf,
  type Refused,
} from './refusals.js';
import { insertRun } from './store.js';
import type { RunWaiter } from './waiter.js';
import { RIGHTS_ENDED } from './worker/rights-ended.js';
import type { Workspaces } from './workspaces.js';

export interface ExecDeps {
  readonly db: Database;
  readonly keys: TenantKeys;
  readonly facts: LoadFacts;
  readonly access: LoadAccess;
  readonly check: SchemaCheck;
  readonly queue: RunQueue;
  readonly waiter: RunWaiter;
  /** Null where this process has no way to them. */
  readonly workspaces: Workspaces | null;
  /** Who asked for a request, as of now. */
  readonly reload: ReloadCaller;
  /** A request for approval that somebody may wait to hear of has committed. */
  readonly asked: (tenant_id: string) => void;
  readonly config: RunsConfig;
  readonly onError: (error: Error) => void;
}

type FullSealer = Awaited<ReturnType<TenantKeys>>;

type Word =
  | { readonly kind: 'go'; readonly approval_id: string | null; readonly attested_id: string | null }
  | { readonly kind: 'ask'; readonly denial: Denial }
  | Extract<Yes, { kind: 'stale' }>;

type Accepted =
  | Refused
  | { readonly kind: 'run'; readonly run_id: string; readonly fresh: boolean; readonly approval_id?: string | null };

type Started = { readonly ok: true; readonly run_id: string } | { readonly ok: false; readonly denial: Denial };

const startedOr = (accepted: Accepted): Started =>
  accepted.kind === 'run' ? { ok: true, run_id: accepted.run_id } : { ok: false, denial: accepted.denial };

/** The one way a command is run: every face, schedule and job ends here (SPEC T2). */
export class Exec {
  constructor(private readonly deps: ExecDeps) {}

  /**
   * Decides, and where it may run, runs it. Never throws for what the caller or the pipeline did (SPEC E2).
   * @param wait_ms how long to wait where the envelope says nothing of it
   */
  async exec(
    caller: Caller,
    envelope: ExecEnvelope,
    { wait_ms }: { readonly wait_ms?: number } = {},
  ): Promise<ResultEnvelope> {
    const started = Date.now();
    const accepted = await this.acceptOrRefuse(caller, envelope);
    if (accepted.kind === 'denied') {
      if (accepted.approval) this.deps.asked(caller.tenant_id);
      return denialEnvelope(envelope, accepted, Date.now() - started);
    }
    const { run_id, fresh, approval_id = null } = accepted;
    const { pack_id, verb_key } = envelope;
    const queued = { id: run_id, pack_id, verb_key, status: 'queued', approval_id };
    const asked_ms = envelope.wait_ms ?? wait_ms;
    const watch = this.deps.waiter.watch(run_id);
    try {
      if (fresh) await this.enqueue(caller.tenant_id, run_id);
      // A replayed run may have ended long ago.
      else watch.changed();
      // Who does not wait is told what was done, whatever a worker has done meanwhile.
      if (fresh && asked_ms === 0) return pendingEnvelope(queued, Date.now() - started, false);
      return await awaitRun(this.deps, { caller, run_id, watch, wait_ms: asked_ms, started });
    } catch (error) {
      // The run is there and goes on: whoever called must learn its id, or would call again.
      this.deps.onError(error as Error);
      return pendingEnvelope(queued, Date.now() - started, true);
    } finally {
      watch.end();
    }
  }

  /**
   * Without its audit event a command is refused (SPEC E3, step 7). Where the transaction failed its commit may have
   * come through all the same, only its answer lost: the row tells.
   */
  private async acceptOrRefuse(caller: Caller, envelope: ExecEnvelope): Promise<Accepted> {
    const { db, keys, onError } = this.deps;
    const { tenant_id } = caller;
    const run_id = uuidv7();
    try {
      const sealer = await keys(tenant_id);
      return await db.tenant(tenant_id, (tx) => this.accept(tx, sealer, caller, envelope, { run_id }));
    } catch (error) {
      onError(error as Error);
      if (error instanceof KeysUnavailable) return { kind: 'denied', denial: KEYS_UNAVAILABLE };
    }
    try {
      const found = await db.tenant(tenant_id, (tx) =>
        tx.run.findUnique({ where: { tenant_id_id: { tenant_id, id: run_id } }, select: { id: true } }),
      );
      return found ? { kind: 'run', run_id, fresh: true } : { kind: 'denied', denial: AUDIT_UNAVAILABLE };
    } catch (error) {
      onError(error as Error);
      return { kind: 'denied', denial: ACCEPTANCE_UNKNOWN, run_id };
    }
  }

  /** The card of a call: everything is decided as for a run, nothing runs and nobody is asked (SPEC C6). */
  async preview(caller: Caller, envelope: ExecEnvelope): Promise<ExecPreview> {
    return this.deps.db.tenant(caller.tenant_id, async (tx) => {
      const { loaded, layers, decision } = await this.decide(tx, caller, envelope);
      const refused = decision.decision === 'allow' ? null : decision;
      await auditDenial(tx, caller, envelope, loaded, {
        action: 'exec.preview',
        decision: decision.decision,
        code: refused?.denial.code ?? null,
        known: refused?.known ?? { ...decision.plan, mode: decision.plan?.mode },
      });
      return previewAnswer(caller, decision, layers);
    });
  }

  /**
   * Starts the run of a request in the transaction that approves it, on the requester's rights of this moment
   * (SPEC V5). Whoever calls puts it in line once that has committed; else the reaper does.
   */
  async startApproved(tx: Tx, approval: Approval, args: Readonly<Record<string, unknown>>): Promise<Started> {
    const { pack_id, verb_key, id: approval_id } = approval;
    const reloaded = await this.deps.reload(tx, approval);
    if (!reloaded.ok) return { ok: false, denial: RIGHTS_ENDED };
    const sealer = await this.deps.keys(approval.tenant_id);
    const envelope: ExecEnvelope = { pack_id, verb_key, args, approval_id };
    const accepted = await this.accept(tx, sealer, reloaded.caller, envelope, { may_ask: false });
    return startedOr(accepted);
  }

  /** Starts a look of a Sense source in the transaction of its tick (SPEC W8); whoever calls puts it in line afterwards. */
  async startLook(
    tx: Tx,
    looker: Caller,
    {
      pack_id,
      verb_key,
      source_id,
    }: { readonly pack_id: string; readonly verb_key: string; readonly source_id: string },
  ): Promise<Started> {
    const sealer = await this.deps.keys(looker.tenant_id);
    const envelope: ExecEnvelope = { pack_id, verb_key, args: {} };
    return startedOr(await this.accept(tx, sealer, looker, envelope, { may_ask: false, sense_source_id: source_id }));
  }

  /** Why a call would not run at once now, or null; nothing runs, nobody is asked and nothing is written. */
  async wouldRefuse(tx: Tx, caller: Caller, envelope: ExecEnvelope): Promise<Denial | null> {
    const { decision } = await this.decide(tx, caller, envelope);
    return decision.decision === 'allow' ? null : refusalOf(decision);
  }

  /** A run that could not be put in line is found by the reaper: its row is committed. */
  async enqueue(tenant_id: string, run_id: string): Promise<void> {
    const { queue, onError } = this.deps;
    await queue.enqueue({ tenant_id, run_id }).catch((error: unknown) => onError(error as Error));
  }

  private async decide(
    tx: Tx,
    caller: Caller,
    envelope: ExecEnvelope,
  ): Promise<{ loaded: LoadedFacts; layers: AccessLayers; decision: Decision }> {
    const { facts, access, check } = this.deps;
    const project_id = caller.session.project_id;
    const loaded = await facts(tx, { pack_id: envelope.pack_id, project_id, caller });
    const layers = await access(tx, { caller, project_id });
    const nested = await loadNested(loaded.pack, envelope.verb_key, (pack_id) =>
      facts(tx, { pack_id, project_id, caller }),
    );
    const now = new Date();
    const request = { envelope, caller, facts: loaded, project_id, check, access: layers, nested, now };
    return { loaded, layers, decision: decide(request) };
  }

  private async accept(
    tx: Tx,
    sealer: FullSealer,
    caller: Caller,
    envelope: ExecEnvelope,
    {
      may_ask = true,
      run_id = uuidv7(),
      sense_source_id = null,
    }: { may_ask?: boolean; run_id?: string; sense_source_id?: string | null } = {},
  ): Promise<Accepted> {
    const { loaded, layers, decision } = await this.decide(tx, caller, envelope);
    const deny = async (denial: Denial, known: KnownFacts): Promise<Refused> => {
      await auditDenial(tx, caller, envelope, loaded, { decision: 'deny', code: denial.code, known });
      return { kind: 'denied', denial };
    };
    const { plan } = decision;
    if (decision.decision === 'deny' || !plan) return deny(refusalOf(decision), knownOf(decision));
    const key = envelope.idempotency_key;
    if (key !== undefined) {
      const seen = await this.remember(tx, sealer, caller, envelope, { key, run_id });
      if (seen.kind === 'conflict') return deny(IDEMPOTENCY_CONFLICT, plan);
      if (seen.kind === 'replay') {
        const more = { run_id: seen.run_id, ran: null };
        await auditDenial(tx, caller, envelope, loaded, {
          decision: 'allow',
          code: null,
          reason: 'replay',
          known: plan,
          more,
        });
        return { kind: 'run', run_id: seen.run_id, fresh: false };
      }
    }
    const { workspaces } = this.deps;
    const { binding, digest } = await bind({ tx, workspaces, digest_key: sealer.digest_key, caller }, plan);
    const call: AskingCall = { caller, envelope, plan, layers, digest, binding, run_id };
    const word = await this.wordFor(tx, call, decision);
    if (word.kind !== 'go') {
      // Only calls that became runs are remembered (SPEC E7).
      if (key !== undefined) await forget(tx, { caller, key });
      if (word.kind === 'stale') return deny(word.denial, plan);
      return this.askFor(tx, sealer, call, { loaded, denial: word.denial, may_ask });
    }
    const { approval_id, attested_id } = word;
    if (approval_id === null && plan.judged.decision === 'ask') {
      await closeAnswered(tx, { tenant_id: caller.tenant_id, principal_id: caller.principal.id, digest });
    }
    const approved_by = approval_id === null ? plan.approved_by : 'human';
    await insertRun(tx, {
      ...{ run_id, caller, envelope, plan, binding, sealer, approval_id, attested_id, sense_source_id },
      version: loaded,
      args_digest: digest,
      config: this.deps.config,
    });
    await appendAudit(tx, {
      ...callerFacts(caller),
      ...planFacts({ ...plan, approved_by }, digest, binding),
      action: 'exec.decision',
      decision: 'allow',
      run_id,
      ...(approval_id !== null && { details: { approval_id } }),
      ...(attested_id !== null && { details: { attested: true, approval_id: attested_id } }),
    });
    return { kind: 'run', run_id, fresh: true, approval_id };
  }

  /** Takes the idempotency key, or says what it was used for. */
  private remember(
    tx: Tx,
    sealer: FullSealer,
    caller: Caller,
    envelope: ExecEnvelope,
    { key, run_id }: { key: string; run_id: string },
  ): ReturnType<typeof rememberOrReplay> {
    return rememberOrReplay(tx, {
      caller,
      key,
      run_id,
      envelope_hash: envelopeDigest(sealer.digest_key, envelope, caller.session.project_id),
      expires_at: new Date(Date.now() + this.deps.config.idempotency_ttl_ms),
    });
  }

  /** By whose word the call runs: an approval of exactly this call comes before a word that the call brings (SPEC A5). */
  private async wordFor(tx: Tx, call: AskingCall, decision: Decision): Promise<Word> {
    const { plan, envelope, caller } = call;
    const none = { kind: 'go', approval_id: null, attested_id: null } as const;
    if (plan.judged.decision !== 'ask') return none;
    const yes = await takeYes(tx, call);
    if (yes.kind === 'stale') return yes;
    if (yes.kind === 'approved') return { ...none, approval_id: yes.approval_id };
    if (decision.decision !== 'allow') return { kind: 'ask', denial: refusalOf(decision) };
    if (envelope.approval === undefined) return none;
    const attested_id = envelope.approval.id;
    if (await takeAttested(tx, caller, attested_id)) return { ...none, attested_id };
    return { kind: 'ask', denial: ATTESTED_BEFORE };
  }

  private async askFor(
    tx: Tx,
    sealer: FullSealer,
    call: AskingCall,
    { loaded, denial, may_ask }: { loaded: LoadedFacts; denial: Denial; may_ask: boolean },
  ): Promise<Refused> {
    const { caller, envelope, plan, layers, digest, binding } = call;
    const approval = may_ask ? await ask(tx, sealer, call) : null;
    await auditDenial(tx, caller, envelope, loaded, {
      decision: 'ask',
      code: denial.code,
      reason: plan.judged.reason_code,
      known: plan,
      more: {
        binding,
        args_digest: digest,
        ...(approval?.approval_id !== undefined && { details: { approval_id: approval.approval_id } }),
      },
    });
    return {
      kind: 'denied',
      denial,
      access: summaryOf(plan, layers),
      preview: renderPreview(plan.pack, plan.verb_key, envelope.args),
      ...(approval && { approval }),
    };
  }
}
