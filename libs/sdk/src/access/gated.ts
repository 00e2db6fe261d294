import type { CommandInfo, ExecPreview } from '@hcp/contracts';
import {
  accessOf,
  buildCard,
  hintAfterNo,
  renderPreview,
  type AccessLayers,
  type Caller,
  type Decision,
  type Denial,
  type ExecEnvelope,
  type Pack,
  type PackFacts,
  type Plan,
  type ResultEnvelope,
  type Settings,
  type ViewRules,
} from '@hcp/core';
import { schemaCheck } from '@hcp/schemas';
import { HcpError } from '../errors.js';
import type { CallOptions, HostPack, Runtime } from '../runtime.js';
import { answer, NO_APPROVAL, SPENT, UNAUDITED } from './answers.js';
import type { AuditEvent } from './audit.js';
import { callDigest, completePack } from './digest.js';
import { asEnvelope } from './envelope.js';
import { callerOf, decideFor, planOf } from './judge.js';
import { AuditTrail, type Decided } from './trail.js';
import type { AccessOptions, AccessSource } from './options.js';
import { checkRules, layersFor, readSettings, viewRules, type Surroundings } from './settings.js';

/** What is behind the access step. */
export interface Gated {
  readonly name: string;
  /** Null: it does not tell. */
  readonly packs: (() => readonly HostPack[] | Promise<readonly HostPack[]>) | null;
  /** Why it could not run now: its credential (step 5), or what the runtime cannot do. Asked before a yes is spent (SPEC V2). */
  readonly refusal?: (call: GatedCall) => Promise<Denial | null>;
  /** What else a yes to the call is bound to: where it runs, and the files that it names (SPEC V1). */
  readonly bound?: (plan: Plan) => Promise<Readonly<Record<string, unknown>>>;
  run(call: GatedCall, options: CallOptions): Promise<ResultEnvelope>;
}

/** A call that may run now. */
export interface GatedCall {
  readonly envelope: ExecEnvelope;
  readonly plan: Plan;
  readonly caller: Caller;
}

/** What the step keeps to beyond the host's options. */
export interface GateSurroundings {
  readonly around?: () => Surroundings | Promise<Surroundings>;
}

interface Judged {
  readonly packs: ReadonlyMap<string, Pack>;
  readonly layers: AccessLayers;
  readonly decision: Decision;
}

/** By whose word a call runs, what the audit calls it, and how to give that word back. */
interface Word {
  readonly approved_by: string | null;
  readonly approval_id: string | null;
  readonly release: () => Promise<void>;
}

const NOTHING = async (): Promise<void> => undefined;

/**
 * The pipeline's access step in front of any runtime (SPEC I4): who may, what asks, whose yes counts, and the audit. All of
 * it is decided by the same functions as hosted.
 */
export class GatedRuntime implements Runtime {
  readonly name: string;
  readonly #caller: Caller;
  readonly #views: ViewRules;
  readonly #trail: AuditTrail;
  /** Ids of the host's own records of a yes that were used, where no store keeps them. */
  readonly #attested = new Set<string>();
  readonly #access: AccessSource;

  /** @throws HcpError `invalid_request` for settings that are malformed, by field */
  constructor(
    private readonly gated: Gated,
    private readonly options: AccessOptions,
    private readonly surroundings: GateSurroundings = {},
  ) {
    const { access = {} } = options;
    // A copy: what the host changes in its document later counts only where it gives a new one.
    this.#access = typeof access === 'function' ? access : readSettings(structuredClone(access));
    this.name = gated.name;
    this.#caller = callerOf(options);
    this.#views = viewRules(options.views);
    this.#trail = new AuditTrail(options.audit ?? null, this.#caller);
  }

  /**
   * Looks at what can only be told with the packs at hand: whether rules name what these have.
   * @throws HcpError `invalid_request`, by field
   */
  async ready(): Promise<void> {
    const packs = await this.#packs();
    if (packs !== null) await this.#layers(packs);
  }

  packs = async (): Promise<readonly Pack[]> => [...((await this.#packs()) ?? new Map<string, Pack>()).values()];

  withAccess(options: AccessOptions): Runtime {
    return new GatedRuntime(this.gated, joined(this.options, options), this.surroundings);
  }

  async exec(request: ExecEnvelope, options: CallOptions = {}): Promise<ResultEnvelope> {
    const started = performance.now();
    try {
      return await this.#exec(request, options, started);
    } catch (error) {
      if (options.signal?.aborted === true) throw error;
      return answer(request, started, undecided(error));
    }
  }

  async #exec(request: ExecEnvelope, options: CallOptions, started: number): Promise<ResultEnvelope> {
    const parsed = asEnvelope(request);
    if (!parsed.ok) return answer(request, started, parsed.denial);
    const { envelope } = parsed;
    const judged = await this.#judge(envelope);
    if ('refused' in judged) return answer(envelope, started, judged.refused);
    const { decision, layers } = judged;
    const plan = planOf(decision);
    const say = (decided: Decided) => this.#trail.decision(envelope, decision, decided);
    const deny = async (denial: Denial): Promise<ResultEnvelope> =>
      (await say({ decision: 'deny', denial }))
        ? answer(envelope, started, denial)
        : answer(envelope, started, UNAUDITED);
    if (decision.decision === 'deny') return deny(decision.denial);
    if (plan === null) return deny(NO_APPROVAL);

    const call: GatedCall = { envelope, plan, caller: this.#caller };
    const word = await this.#wordFor(call, decision);
    if ('denial' in word) {
      if (word.denial.code !== 'confirm_required') return deny(word.denial);
      return this.#ask(call, layers, word.denial, { started, say });
    }
    if (options.signal?.aborted === true) {
      await word.release();
      options.signal.throwIfAborted();
    }
    const run_id = crypto.randomUUID();
    if (!(await say({ decision: 'allow', word, run_id }))) {
      await word.release();
      return answer(envelope, started, UNAUDITED);
    }
    return this.#run(call, options, { started, run_id, word });
  }

  async preview(request: ExecEnvelope): Promise<ExecPreview> {
    const parsed = asEnvelope(request);
    const judged = parsed.ok ? await this.#judge(parsed.envelope) : { refused: parsed.denial };
    if ('refused' in judged) return { ...NO_CARD, decision: 'deny', ...codeOf(judged.refused) };
    const { decision, layers } = judged;
    const plan = planOf(decision);
    return {
      ...NO_CARD,
      decision: decision.decision,
      ...(decision.decision !== 'allow' && codeOf(decision.denial)),
      access: decision.decision === 'allow' ? null : (decision.access ?? null),
      preview: plan && { ...renderPreview(plan.pack, plan.verb_key, plan.args), args: { ...plan.args } },
      card: plan && buildCard(plan, layers, { sessions: true, views: this.#views }),
    };
  }

  /** @throws HcpError `invalid_request` for settings that are malformed, and where the runtime does not tell its packs */
  async commands(): Promise<readonly CommandInfo[]> {
    const packs = await this.#packs();
    if (packs === null) throw new HcpError({ code: 'invalid_request', status: 0, message: NO_PACKS.error });
    const access = await this.#layers(packs);
    const listed: CommandInfo[] = [];
    for (const [pack_id, pack] of [...packs].sort(([a], [b]) => (a < b ? -1 : 1))) {
      for (const [verb_key, command] of Object.entries(pack.surface.commands).sort(([a], [b]) => (a < b ? -1 : 1))) {
        const row = pack.policy.commands[verb_key];
        if (row === undefined) continue;
        const envelope = { pack_id, verb_key, args: {} };
        const decision = await this.#decide(envelope, {
          packs,
          layers: access,
          check: schemaCheck,
          without_args: true,
        });
        listed.push({
          pack_id,
          verb_key,
          description: command.description,
          operation: row.operation,
          confirm: row.confirm,
          land: row.privacy.land,
          ...(command.args && { args: command.args }),
          ...(command.cli && { cli: command.cli }),
          ...accessOf(decision),
        });
      }
    }
    return listed;
  }

  async #packs(): Promise<ReadonlyMap<string, Pack> | null> {
    if (this.gated.packs === null) return null;
    const packs = await Promise.all((await this.gated.packs()).map(completePack));
    return new Map(packs.map((pack) => [pack.manifest.pack_id, pack]));
  }

  async #layers(packs: ReadonlyMap<string, Pack>): Promise<AccessLayers> {
    const source = this.#access;
    const settings: Settings = typeof source === 'function' ? readSettings(await source()) : source;
    checkRules(settings, (pack_id) => packs.get(pack_id) ?? null);
    return layersFor(settings, await this.surroundings.around?.());
  }

  async #judge(envelope: ExecEnvelope): Promise<Judged | { readonly refused: Denial }> {
    try {
      const packs = await this.#packs();
      if (packs === null) return { refused: NO_PACKS };
      const layers = await this.#layers(packs);
      return { packs, layers, decision: await this.#decide(envelope, { packs, layers, check: schemaCheck }) };
    } catch (error) {
      return { refused: undecided(error) };
    }
  }

  async #decide(
    envelope: ExecEnvelope,
    known: Pick<Judged, 'packs' | 'layers'> & { readonly check: typeof schemaCheck; readonly without_args?: boolean },
  ): Promise<Decision> {
    const factsOf = (pack_id: string): PackFacts => {
      const pack = known.packs.get(pack_id) ?? null;
      return { known: pack !== null, active: pack !== null, pack };
    };
    const request = {
      envelope,
      caller: this.#caller,
      facts: factsOf(envelope.pack_id),
      nested: factsOf,
      without_args: known.without_args ?? false,
      project_id: this.options.project_id ?? null,
      check: known.check,
      access: known.layers,
      now: new Date(),
      views: this.#views,
      host_attests: true,
    };
    return decideFor(request, this.options.authorize);
  }

  async #digest(plan: Plan): Promise<string> {
    return callDigest(this.#caller, plan, await this.gated.bound?.(plan));
  }

  /** An approval of exactly this call comes before a word that the call brings (SPEC A5). */
  async #wordFor(call: GatedCall, decision: Decision): Promise<Word | { readonly denial: Denial }> {
    const { approvals } = this.options;
    const { envelope, plan } = call;
    const own = { approved_by: plan.approved_by, approval_id: null, release: NOTHING };
    const asks = plan.judged.decision === 'ask';
    const digest = asks && approvals ? await this.#digest(plan) : null;
    const found = digest !== null && approvals ? await approvals.find(digest, envelope.approval_id) : null;
    if (found === null && decision.decision !== 'allow') return { denial: asked(decision) };
    const stale = (await this.gated.refusal?.(call)) ?? null;
    if (stale !== null) return { denial: stale };
    if (found !== null && digest !== null && approvals) {
      const release = await approvals.take(found, digest);
      if (release !== null) return { approved_by: 'human', approval_id: found, release };
      if (decision.decision !== 'allow') return { denial: asked(decision) };
    }
    if (!asks || envelope.approval === undefined) return own;
    const { id } = envelope.approval;
    const release = await (approvals ? approvals.attest(id) : this.#attest(id));
    return release === null ? { denial: SPENT } : { approved_by: 'human', approval_id: id, release };
  }

  async #attest(id: string): Promise<(() => Promise<void>) | null> {
    if (this.#attested.has(id)) return null;
    this.#attested.add(id);
    return async () => void this.#attested.delete(id);
  }

  async #ask(
    { envelope, plan }: GatedCall,
    layers: AccessLayers,
    denial: Denial,
    { started, say }: { started: number; say: (decided: Decided) => Promise<boolean> },
  ): Promise<ResultEnvelope> {
    const card = buildCard(plan, layers, { sessions: true, views: this.#views });
    const { approvals } = this.options;
    const principal_id = this.#caller.principal.id;
    const kept = approvals ? await approvals.ask({ digest: await this.#digest(plan), principal_id, card }) : null;
    if (!(await say({ decision: 'ask', denial, approval_id: kept?.approval_id }))) {
      return answer(envelope, started, UNAUDITED);
    }
    const { mode, reason, reason_code, approvals: whose } = card;
    const hint = hintAfterNo(denial.hint, kept?.rejected_at);
    return answer(
      envelope,
      started,
      { ...denial, hint },
      {
        access: { mode, reason, reason_code: reason_code ?? 'confirm', approvals: whose },
        preview: renderPreview(plan.pack, plan.verb_key, envelope.args),
        approval: { ...card, ...kept },
        ...(kept && { approval_id: kept.approval_id }),
      },
    );
  }

  async #run(
    call: GatedCall,
    options: CallOptions,
    { started, run_id, word }: { started: number; run_id: string; word: Word },
  ): Promise<ResultEnvelope> {
    const end = (result: Partial<ResultEnvelope>) =>
      this.#trail.completion(call, { run_id, word, result, duration_ms: performance.now() - started });
    let result: ResultEnvelope;
    try {
      result = await this.gated.run(call, options);
    } catch (error) {
      await end({ ok: false, code: 'outcome_unknown' });
      if (options.signal?.aborted === true) throw error;
      return answer(call.envelope, started, {
        code: 'outcome_unknown',
        error: `runtime ${this.name} failed`,
        hint: 'The command may have run: look at what it changes before you send it again.',
      });
    }
    const told = { ...result, ...(word.approval_id !== null && { approval_id: word.approval_id }) };
    return (await end(result)) ? told : { ...told, hint: 'The end of this run could not be written to the audit.' };
  }
}

/** What is given anew counts, but for the audit: an event goes to both sinks. */
function joined(own: AccessOptions, given: AccessOptions): AccessOptions {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as AccessOptions;
  const [one, other] = [own.audit, set.audit];
  const both = async (event: AuditEvent): Promise<void> => {
    await one?.(event);
    await other?.(event);
  };
  return { ...own, ...set, ...(one && other && { audit: both }) };
}

const asked = (decision: Decision): Denial => (decision.decision === 'allow' ? NO_APPROVAL : decision.denial);

const NO_CARD = { code: null, error: null, hint: null, access: null, preview: null, card: null } as const;
const codeOf = ({ code, error, hint }: Denial): Denial => ({ code, error, hint });

const NO_PACKS: Denial = {
  code: 'no_policy',
  error: 'no policy: the runtime does not tell its packs',
  hint: 'Give the runtime a method packs() that answers the packs whose commands it runs.',
};

/** Names the field of settings that are wrong; of anything else nothing, for it may hold a value. */
function undecided(error: unknown): Denial {
  const settings = error instanceof HcpError && error.code === 'invalid_request';
  return {
    code: 'internal',
    error: settings ? error.message : 'the call could not be decided',
    hint: settings ? 'Nothing ran. Correct the access settings.' : 'Nothing ran. Look at the runtime and its settings.',
  };
}
