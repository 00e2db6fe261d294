import { canonicalJson } from '../digest/canonical-json.js';
import { sameBytes, utf8Bytes } from './bytes.js';
import { openCheckpoint, type SignedCheckpoint } from './checkpoint.js';
import { type ExportLine, readExportLine } from './export-lines.js';
import { GrowingTree } from './growing-tree.js';
import { coveringNodes, leafHash } from './merkle.js';
import type { AuditCrypto, NoteKey } from './note.js';
import { foundBad, type ExportProblem } from './verify-problems.js';

export interface VerifyOptions {
  readonly crypto: AuditCrypto;
  /** The log's key, from where one trusts it; its name is the log's origin. */
  readonly key: NoteKey;
  /** A checkpoint kept from before: the log has to begin with what it had then. */
  readonly against?: string;
  /** Takes a file that shows a part of the log and has hashes for the rest; else the whole log has to be there. */
  readonly partial?: boolean;
}

export type VerifiedExport =
  | {
      readonly ok: true;
      readonly checkpoint: SignedCheckpoint;
      /** Events that the file shows. */
      readonly shown: number;
      /** Events of which it has but hashes. */
      readonly withheld: number;
      /** The checkpoint it was compared to; null for none. */
      readonly older: SignedCheckpoint | null;
    }
  | { readonly ok: false; readonly problem: ExportProblem };

/**
 * Goes through an export once, in the order of the log, and finds the first thing that is not as the log's key signed it
 * (SPEC U3). It needs nothing but the file and the key, and keeps a few hashes in memory however long the log is.
 */
export async function verifyExport(lines: AsyncIterable<string>, options: VerifyOptions): Promise<VerifiedExport> {
  const check = new Check(options);
  const refused = await check.begin();
  if (refused) return { ok: false, problem: refused };
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text.trim() === '') continue;
    const line = readExportLine(text);
    const problem = line ? await check.line(line) : check.unreadable(number);
    if (problem) return { ok: false, problem };
  }
  return check.end();
}

class Check {
  readonly #tree: GrowingTree;
  /** Events that the last checkpoint covered: a root that does not hold is the fault of one after them. */
  #sure = 0;
  #last: SignedCheckpoint | null = null;
  #older: SignedCheckpoint | null = null;
  #older_root: Uint8Array | null = null;
  #shown = 0;

  constructor(private readonly options: VerifyOptions) {
    this.#tree = new GrowingTree(options.crypto.sha256);
  }

  /** Reads the older checkpoint. */
  async begin(): Promise<ExportProblem | null> {
    const { crypto, key, against } = this.options;
    if (against === undefined) return null;
    const opened = await openCheckpoint(crypto, against, key);
    if (!opened.ok) return foundBad({ kind: 'older_checkpoint', why: opened.problem });
    this.#older = opened.checkpoint;
    await this.#remember();
    return null;
  }

  unreadable(line: number): ExportProblem {
    return foundBad({ kind: 'unreadable', line, index: this.#tree.size });
  }

  line(line: ExportLine): Promise<ExportProblem | null> {
    if ('event' in line) return this.#event(line);
    return 'withheld' in line ? this.#withheld(line.withheld) : this.#checkpoint(line.checkpoint);
  }

  async end(): Promise<VerifiedExport> {
    const { size } = this.#tree;
    const last = this.#last;
    // Only the last one bears a time: one from amid the log is no end of it.
    if (last?.size !== size || last.signed_at === null) {
      return { ok: false, problem: foundBad({ kind: 'cut_off', index: size }) };
    }
    const problem = this.#compare(size);
    if (problem) return { ok: false, problem };
    return { ok: true, checkpoint: last, shown: this.#shown, withheld: size - this.#shown, older: this.#older };
  }

  async #event({ index, leaf, event }: Extract<ExportLine, { event: unknown }>): Promise<ExportProblem | null> {
    const at = this.#tree.size;
    const id = typeof event['id'] === 'string' ? event['id'] : null;
    if (index > at) return foundBad({ kind: 'missing', index: at, instead: index });
    if (index < at) return foundBad({ kind: 'out_of_place', index, id, expected: at });
    const { sha256 } = this.options.crypto;
    let hash: Uint8Array | null = null;
    try {
      hash = await leafHash(sha256, utf8Bytes(canonicalJson(event)));
    } catch {
      // What canonical JSON does not know is no event of a log.
    }
    if (hash === null || !sameBytes(hash, leaf)) return foundBad({ kind: 'changed', index, id });
    await this.#tree.add(leaf);
    await this.#remember();
    this.#shown += 1;
    return null;
  }

  async #withheld({
    from,
    to,
    hashes,
  }: Extract<ExportLine, { withheld: unknown }>['withheld']): Promise<ExportProblem | null> {
    const at = this.#tree.size;
    if (from > at) return foundBad({ kind: 'missing', index: at, instead: from });
    if (from < at) return foundBad({ kind: 'out_of_place', index: from, id: null, expected: at });
    if (this.options.partial !== true) return foundBad({ kind: 'withheld', from, to });
    const nodes = to > from ? coveringNodes({ from, to }) : [];
    if (nodes.length === 0 || nodes.length !== hashes.length) return foundBad({ kind: 'hashes', from, to });
    for (const [place, hash] of hashes.entries()) {
      await this.#tree.add(hash, nodes[place]?.level);
      await this.#remember();
    }
    return null;
  }

  async #checkpoint(note: string): Promise<ExportProblem | null> {
    const { crypto, key } = this.options;
    const { size } = this.#tree;
    const opened = await openCheckpoint(crypto, note, key);
    if (!opened.ok) return foundBad({ kind: 'checkpoint', why: opened.problem, index: size });
    const { checkpoint } = opened;
    if (checkpoint.size > size) {
      return foundBad({ kind: 'fewer', index: size, sure: this.#sure, signed: checkpoint.size });
    }
    if (checkpoint.size < size) return foundBad({ kind: 'added', index: checkpoint.size, to: size });
    if (!sameBytes(checkpoint.root, await this.#tree.root())) {
      return foundBad({ kind: 'not_signed', from: this.#sure, to: size });
    }
    this.#sure = size;
    this.#last = checkpoint;
    return null;
  }

  /** The root at the size of the older checkpoint, once the tree has come to it. */
  async #remember(): Promise<void> {
    if (this.#older?.size === this.#tree.size) this.#older_root = await this.#tree.root();
  }

  #compare(size: number): ExportProblem | null {
    const older = this.#older;
    if (older === null) return null;
    if (older.size > size) return foundBad({ kind: 'rolled_back', index: size, was: older.size });
    if (this.#older_root === null) return foundBad({ kind: 'not_comparable', was: older.size });
    return sameBytes(this.#older_root, older.root) ? null : foundBad({ kind: 'rewritten', was: older.size });
  }
}
