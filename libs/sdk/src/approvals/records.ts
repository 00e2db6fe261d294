import type { Card } from '@hcp/core';

export interface ApprovalRecord {
  readonly id: string;
  readonly digest: string;
  readonly principal_id: string;
  /** RFC 3339, like the others. */
  readonly created_at: string;
  readonly pending_expires_at: string;
  readonly card: Card;
}

/** What became of a request: a `yes`, and an `end` that is either a no or the run that used it. */
export interface ApprovalMark {
  readonly kind: 'approved' | 'rejected' | 'consumed';
  readonly at: string;
  readonly by: string | null;
}

export type MarkName = 'yes' | 'end';

/** Where an `ApprovalBook` writes. */
export interface ApprovalRecords {
  add(record: ApprovalRecord): Promise<void>;
  get(id: string): Promise<ApprovalRecord | null>;
  list(): Promise<readonly ApprovalRecord[]>;
  remove(id: string): Promise<void>;
  marks(id: string): Promise<{ readonly yes: ApprovalMark | null; readonly end: ApprovalMark | null }>;
  /** At once and whole: of all who try, in any process, one succeeds. False where there is one already. */
  mark(id: string, name: MarkName, mark: ApprovalMark): Promise<boolean>;
  /** By who set it alone. */
  unmark(id: string, name: MarkName): Promise<void>;
}

/** For one process; gone with it. */
export class MemoryRecords implements ApprovalRecords {
  readonly #records = new Map<string, ApprovalRecord>();
  readonly #marks = new Map<string, ApprovalMark>();

  async add(record: ApprovalRecord): Promise<void> {
    this.#records.set(record.id, record);
  }

  async get(id: string): Promise<ApprovalRecord | null> {
    return this.#records.get(id) ?? null;
  }

  async list(): Promise<readonly ApprovalRecord[]> {
    return [...this.#records.values()];
  }

  async remove(id: string): Promise<void> {
    this.#records.delete(id);
    for (const name of ['yes', 'end']) this.#marks.delete(`${name} ${id}`);
  }

  async marks(id: string): ReturnType<ApprovalRecords['marks']> {
    return { yes: this.#marks.get(`yes ${id}`) ?? null, end: this.#marks.get(`end ${id}`) ?? null };
  }

  async mark(id: string, name: MarkName, mark: ApprovalMark): Promise<boolean> {
    const key = `${name} ${id}`;
    if (this.#marks.has(key)) return false;
    this.#marks.set(key, mark);
    return true;
  }

  async unmark(id: string, name: MarkName): Promise<void> {
    this.#marks.delete(`${name} ${id}`);
  }
}
