import {
  afterAct,
  approvalStateAt,
  APPROVAL_USE_S,
  DEFAULT_PENDING_TTL_S,
  type ApprovalAct,
  type ApprovalFacts,
  type ApprovalState,
  type Card,
} from '@hcp/core';
import { sha256 } from '../access/digest.js';
import { HcpError } from '../errors.js';
import type { ApprovalMark, ApprovalRecord, ApprovalRecords } from './records.js';
import type { ApprovalStore, NewApproval } from './store.js';

/** A request as a host's UI shows it. */
export interface ApprovalEntry {
  readonly approval_id: string;
  readonly state: ApprovalState;
  readonly principal_id: string;
  readonly card: Card;
  readonly created_at: string;
  readonly pending_expires_at: string;
  /** Of an approved one: the yes covers one run until then. */
  readonly use_expires_at: string | null;
}

export interface BookOptions {
  readonly now?: () => Date;
  /** An agent runs here: nobody may say yes or no from this process (SPEC A8). */
  readonly human_only?: boolean;
}

/** How long what has ended is still told about, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Requests for a person's yes: each to one exact call, once, for 15 minutes. What may become of one is the same as
 * hosted (SPEC V2, V3); one person is enough here.
 */
export class ApprovalBook implements ApprovalStore {
  readonly #records: ApprovalRecords;
  readonly #now: () => Date;
  readonly #human_only: boolean;

  constructor(records: ApprovalRecords, { now = () => new Date(), human_only = false }: BookOptions = {}) {
    this.#records = records;
    this.#now = now;
    this.#human_only = human_only;
  }

  async ask({ digest, principal_id, card }: NewApproval): ReturnType<ApprovalStore['ask']> {
    const now = this.#now();
    let waits: ApprovalRecord | undefined;
    let last: { readonly state: ApprovalState; readonly at: number } | undefined;
    for (const record of await this.#records.list()) {
      const { state, over_since } = await this.#stateOf(record, now);
      if (over_since !== null && now.getTime() - over_since > KEPT_MS) await this.#records.remove(record.id);
      else if (record.digest !== digest || record.principal_id !== principal_id) continue;
      else if (state === 'pending') waits ??= record;
      else if (over_since !== null && state !== 'expired' && over_since >= (last?.at ?? 0)) {
        last = { state, at: over_since };
      }
    }
    const recent = last?.state === 'rejected' && now.getTime() - last.at < DEFAULT_PENDING_TTL_S * 1000 ? last : null;
    const { id: approval_id, pending_expires_at: expires_at } =
      waits ?? (await this.#add({ digest, principal_id, card }, now));
    return { approval_id, expires_at, ...(recent && { rejected_at: new Date(recent.at).toISOString() }) };
  }

  async #add({ digest, principal_id, card }: NewApproval, now: Date): Promise<ApprovalRecord> {
    const record: ApprovalRecord = {
      id: crypto.randomUUID(),
      digest,
      principal_id,
      created_at: now.toISOString(),
      pending_expires_at: new Date(now.getTime() + DEFAULT_PENDING_TTL_S * 1000).toISOString(),
      card,
    };
    await this.#records.add(record);
    return record;
  }

  async find(digest: string, approval_id?: string): Promise<string | null> {
    for (const record of await this.#records.list()) {
      if (record.digest !== digest || (approval_id !== undefined && record.id !== approval_id)) continue;
      if ((await this.#stateOf(record, this.#now())).state === 'approved') return record.id;
    }
    return null;
  }

  async take(approval_id: string, digest: string): Promise<(() => Promise<void>) | null> {
    const record = await this.#records.get(approval_id);
    if (record?.digest !== digest) return null;
    if ((await this.#stateOf(record, this.#now())).state !== 'approved') return null;
    return this.#spend(approval_id, 'run');
  }

  async attest(id: string): Promise<(() => Promise<void>) | null> {
    return this.#spend((await sha256(`attested ${id}`)).replace(':', '-'), 'host');
  }

  /** All that are kept, the newest first. */
  async list(): Promise<readonly ApprovalEntry[]> {
    const entries = await Promise.all((await this.#records.list()).map((record) => this.#entryOf(record)));
    return entries.sort((one, other) => (one.created_at < other.created_at ? 1 : -1));
  }

  /** @throws HcpError `not_found` */
  async get(approval_id: string): Promise<ApprovalEntry> {
    return this.#entryOf(await this.#known(approval_id));
  }

  /**
   * A person's yes, to be called by the host's UI and by nothing that an agent reaches.
   * @param by who said it, for the record
   * @throws HcpError `not_found`, `human_only`, or `conflict` where it waits no more
   */
  async approve(approval_id: string, by = 'human'): Promise<ApprovalEntry> {
    return this.#act(approval_id, { kind: 'approve', by });
  }

  /** A person's no, also to what was approved and not used yet. @throws HcpError as `approve` does */
  async reject(approval_id: string, by = 'human'): Promise<ApprovalEntry> {
    return this.#act(approval_id, { kind: 'reject', by });
  }

  async #act(approval_id: string, act: Exclude<ApprovalAct, { kind: 'consume' }>): Promise<ApprovalEntry> {
    if (this.#human_only) throw refuse('human_only', 'human_only: a person decides, not the agent that asks');
    const record = await this.#known(approval_id);
    const now = this.#now();
    const { facts } = await this.#stateOf(record, now);
    const mark: ApprovalMark = {
      kind: act.kind === 'approve' ? 'approved' : 'rejected',
      at: now.toISOString(),
      by: act.by,
    };
    const next = afterAct(facts, act, now);
    if (next === null || !(await this.#records.mark(approval_id, act.kind === 'approve' ? 'yes' : 'end', mark))) {
      throw refuse('conflict', 'the request waits for nobody any more');
    }
    return this.#entryOf(record);
  }

  async #spend(id: string, by: string): Promise<(() => Promise<void>) | null> {
    const mark: ApprovalMark = { kind: 'consumed', at: this.#now().toISOString(), by };
    if (!(await this.#records.mark(id, 'end', mark))) return null;
    return () => this.#records.unmark(id, 'end');
  }

  async #known(approval_id: string): Promise<ApprovalRecord> {
    const record = await this.#records.get(approval_id);
    if (record === null) throw refuse('not_found', 'there is no such request');
    return record;
  }

  async #entryOf(record: ApprovalRecord): Promise<ApprovalEntry> {
    const { state, facts } = await this.#stateOf(record, this.#now());
    const { id, principal_id, card, created_at, pending_expires_at } = record;
    const use_expires_at = facts.use_expires_at?.toISOString() ?? null;
    return { approval_id: id, state, principal_id, card, created_at, pending_expires_at, use_expires_at };
  }

  async #stateOf(
    record: ApprovalRecord,
    now: Date,
  ): Promise<{ state: ApprovalState; facts: ApprovalFacts; over_since: number | null }> {
    const { yes, end } = await this.#records.marks(record.id);
    const facts: ApprovalFacts = {
      state: end !== null ? (end.kind === 'rejected' ? 'rejected' : 'consumed') : yes === null ? 'pending' : 'approved',
      pending_expires_at: new Date(record.pending_expires_at),
      use_expires_at: yes === null ? null : new Date(Date.parse(yes.at) + APPROVAL_USE_S * 1000),
      approvers: 1,
      approved_by: yes === null ? [] : [yes.by ?? 'human'],
    };
    const state = approvalStateAt(facts, now);
    const over = end?.at ?? (state === 'expired' ? (yes?.at ?? record.pending_expires_at) : null);
    return { state, facts, over_since: over === null ? null : Date.parse(over) };
  }
}

const refuse = (code: 'not_found' | 'human_only' | 'conflict', message: string): HcpError =>
  new HcpError({ code, status: 0, message });
