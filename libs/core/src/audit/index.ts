export { fromBase64, toBase64, utf8Bytes } from './bytes.js';
export {
  openCheckpoint,
  readCheckpoint,
  checkpointText,
  type Checkpoint,
  type OpenedCheckpoint,
  type SignedCheckpoint,
} from './checkpoint.js';
export {
  checkpointLineText,
  eventLineText,
  linesOf,
  readExportLine,
  withheldLineText,
  type ExportLine,
} from './export-lines.js';
export { GrowingTree, type HashedNode } from './growing-tree.js';
export { eventHash, leafText, type LoggedEvent } from './leaf.js';
export {
  consistencyRanges,
  coveringNodes,
  emptyRoot,
  foldNodes,
  inclusionRanges,
  leafHash,
  nodeHash,
  verifyConsistency,
  verifyInclusion,
  type InclusionProof,
  type Range as LogRange,
  type Sha256,
  type TreeHead,
  type TreeNode,
} from './merkle.js';
export {
  noteKeyId,
  readNoteKey,
  SIGNATURE,
  timedSignature,
  timedText,
  writeNote,
  writeNoteKey,
  type AuditCrypto,
  type Note,
  type NoteKey,
  type NoteSignature,
  type VerifyEd25519,
} from './note.js';
export { verifyExport, type VerifiedExport, type VerifyOptions } from './verify-export.js';
export type { ExportProblem } from './verify-problems.js';
