import type { CommandInfo, ExecPreview } from '@hcp/contracts';
import {
  buildCard,
  hintAfterNo,
  renderPreview,
  type AccessLayers,
  type Denial,
  type ExecEnvelope,
  type Pack,
  type ResultEnvelope,
} from '@hcp/core';
import type { CallOptions, Runtime } from '../runtime.js';
import { answer, NO_APPROVAL, UNAUDITED } from './answers.js';
import type { AuditEvent } from './audit.js';
import { asEnvelope } from './envelope.js';
import type { Gated, GatedCall, GateSurroundings } from './gate.js';
import { planOf } from './judge.js';
import { Judging, undecided } from './judging.js';
import { commandsOf } from './list.js';
import type { AccessOptions } from './options.js';
import { AuditTrail, type Decided } from './trail.js';
import { type Word, Words } from './word.js';

/**
 * The pipeline's access step in front of any runtime (SPEC I4): who may, what asks, whose yes counts, and the audit. All of
 * it is decided by the same functions as hosted.
 */
export class GatedRuntime implements Runtime {
  readonly name: string;
  readonly #judging: Judging;
  readonly #trail: AuditTrail;
  readonly #words: Words;

  /** @throws HcpError `invalid_request` for settings that are malformed, by field */
  constructor(
    private readonly gated: Gated,
    private readonly options: AccessOptions,
    private readonly surroundings: GateSurroundings = {},
  ) {
    this.name = gated.name;
    this.#judging = new Judging(gated, options, surroundings);
    this.#trail = new AuditTrail(options.audit ?? null, this.#judging.caller);
    this.#words = new Words(options.approvals, gated.refusal?.bind(gated), (plan) => this.#judging.digest(plan));
  }

  /**
   * Looks at what can only be told with the packs at hand: whether rules name what these have.
   * @throws HcpError `invalid_request`, by field
   */
  async ready(): Promise<void> {
    const packs = await this.#judging.packs();
    if (packs !== null) await this.#judging.layers(packs);
  }

  packs = async (): Promise<readonly Pack[]> => [
    ...((await this.#judging.packs()) ?? new Map<string, Pack>()).values(),
  ];

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
    const judged = await this.#judging.judge(envelope);
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

    const call: GatedCall = { envelope, plan, caller: this.#judging.caller };
    const word = await this.#words.for(call, decision);
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
    const judged = parsed.ok ? await this.#judging.judge(parsed.envelope) : { refused: parsed.denial };
    if ('refused' in judged) return { ...NO_CARD, decision: 'deny', ...codeOf(judged.refused) };
    const { decision, layers } = judged;
    const plan = planOf(decision);
    return {
      ...NO_CARD,
      decision: decision.decision,
      ...(decision.decision !== 'allow' && codeOf(decision.denial)),
      access: decision.decision === 'allow' ? null : (decision.access ?? null),
      preview: plan && { ...renderPreview(plan.pack, plan.verb_key, plan.args), args: { ...plan.args } },
      card: plan && buildCard(plan, layers, { sessions: true, views: this.#judging.views }),
    };
  }

  commands = (): Promise<readonly CommandInfo[]> => commandsOf(this.#judging);

  async #ask(
    { envelope, plan }: GatedCall,
    layers: AccessLayers,
    denial: Denial,
    { started, say }: { started: number; say: (decided: Decided) => Promise<boolean> },
  ): Promise<ResultEnvelope> {
    const card = buildCard(plan, layers, { sessions: true, views: this.#judging.views });
    const { approvals } = this.options;
    const principal_id = this.#judging.caller.principal.id;
    const kept = approvals
      ? await approvals.ask({ digest: await this.#judging.digest(plan), principal_id, card })
      : null;
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

const NO_CARD = { code: null, error: null, hint: null, access: null, preview: null, card: null } as const;
const codeOf = ({ code, error, hint }: Denial): Denial => ({ code, error, hint });
