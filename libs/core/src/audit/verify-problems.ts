import { escapeInvisible } from '../text/unicode.js';

type CheckpointFault = 'unreadable' | 'other_log' | 'bad_signature';

/** What is wrong with an export; `index` counts from 0. */
export type ExportFinding =
  | { readonly kind: 'unreadable'; readonly line: number; readonly index: number }
  | { readonly kind: 'changed'; readonly index: number; readonly id: string | null }
  | { readonly kind: 'missing'; readonly index: number; readonly instead: number }
  | { readonly kind: 'fewer'; readonly index: number; readonly sure: number; readonly signed: number }
  | { readonly kind: 'out_of_place'; readonly index: number; readonly id: string | null; readonly expected: number }
  | { readonly kind: 'added'; readonly index: number; readonly to: number }
  | { readonly kind: 'not_signed'; readonly from: number; readonly to: number }
  | { readonly kind: 'hashes'; readonly from: number; readonly to: number }
  | { readonly kind: 'withheld'; readonly from: number; readonly to: number }
  | { readonly kind: 'cut_off'; readonly index: number }
  | { readonly kind: 'checkpoint'; readonly why: CheckpointFault; readonly index: number }
  | { readonly kind: 'older_checkpoint'; readonly why: CheckpointFault }
  | { readonly kind: 'rolled_back'; readonly index: number; readonly was: number }
  | { readonly kind: 'rewritten'; readonly was: number }
  | { readonly kind: 'not_comparable'; readonly was: number };

/** The first thing that is wrong, with words for people. */
export interface ExportProblem {
  readonly kind: ExportFinding['kind'];
  /** Place of the first bad event, counted from 0; null where no event can be named. */
  readonly index: number | null;
  /** Place of the last one it may be; the same as `index` where it is that very one. */
  readonly last: number | null;
  readonly event_id: string | null;
  readonly message: string;
}

const FAULTS: Readonly<Record<CheckpointFault, string>> = {
  unreadable: 'cannot be read',
  other_log: 'is of another log: another tenant, or another installation',
  bad_signature: "does not bear the signature of this log's key",
};

/** What the people who read it count from 1. */
const nth = (index: number): string => `event number ${String(index + 1)}`;
const those = (from: number, to: number): string =>
  to - from <= 1 ? nth(from) : `events number ${String(from + 1)} to ${String(to)}`;
const named = (index: number, id: string | null): string =>
  id === null ? nth(index) : `${nth(index)} (${escapeInvisible(id).slice(0, 100)})`;

export function foundBad(finding: ExportFinding): ExportProblem {
  const { kind } = finding;
  const from = 'index' in finding ? finding.index : 'from' in finding ? finding.from : null;
  const last = finding.kind === 'not_signed' || finding.kind === 'hashes' ? finding.to - 1 : from;
  const event_id = 'id' in finding ? finding.id : null;
  return { kind, index: from, last, event_id, message: words(finding) };
}

function words(finding: ExportFinding): string {
  switch (finding.kind) {
    case 'unreadable':
      return `line ${String(finding.line)} is no line of an export: ${nth(finding.index)} should be there`;
    case 'changed':
      return `${named(finding.index, finding.id)} was changed: it is not what its hash was made of`;
    case 'missing':
      return `${nth(finding.index)} is missing: number ${String(finding.instead + 1)} comes in its place`;
    case 'fewer':
      return (
        `${nth(finding.index)} is missing: the checkpoint in its place is of ${String(finding.signed)} events` +
        (finding.index > finding.sure
          ? `; or one from number ${String(finding.sure + 1)} on is, and those behind it were numbered anew`
          : '')
      );
    case 'out_of_place':
      return `${named(finding.index, finding.id)} is out of place: ${nth(finding.expected)} should be there`;
    case 'added':
      return `${nth(finding.index)} was added: the signed log ends before it`;
    case 'not_signed':
      return finding.to - finding.from <= 1
        ? `${nth(finding.from)} is not what was signed: it was changed together with its hash`
        : `${those(finding.from, finding.to)} are not what was signed: one was changed together with its hash, added, or removed`;
    case 'hashes':
      return `the hashes that stand for ${those(finding.from, finding.to)} are not as many as they have to be`;
    case 'withheld':
      return `${those(finding.from, finding.to)} ${finding.to - finding.from <= 1 ? 'is' : 'are'} not in the file, only hashes`;
    case 'cut_off':
      return `${nth(finding.index)} or the end of the log is missing: the file ends without a checkpoint that says when it was made`;
    case 'checkpoint':
      return `the checkpoint after ${String(finding.index)} events ${FAULTS[finding.why]}`;
    case 'older_checkpoint':
      return `the older checkpoint ${FAULTS[finding.why]}`;
    case 'rolled_back':
      return `${nth(finding.index)} is missing: the log was rolled back, it had ${String(finding.was)} events before`;
    case 'rewritten':
      return `the first ${String(finding.was)} events are not what they were: the log was written anew`;
    case 'not_comparable':
      return `the file withholds what stands around event number ${String(finding.was)}, where the older checkpoint ends`;
  }
}
