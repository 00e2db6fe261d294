export { Hcp, type CreateOptions, type ExecOptions } from './hcp.js';
export { HcpError, type HcpErrorCode } from './errors.js';
export type { CallOptions, HostPack, Runtime } from './runtime.js';

export { remote, type RemoteRuntime } from './remote/remote.js';
export type { RemoteOptions } from './remote/transport.js';
export { items, type RemoteApi } from './remote/api.js';
export type { FollowOptions } from './remote/events.js';

export { withAccess } from './access/with-access.js';
export { gateCommand, type GateAnswer, type GateRequest } from './access/gate-command.js';
export type { AccessOptions, AccessSource, HostAuthorize, HostPrincipal } from './access/options.js';
export type { AuditEvent, AuditSink } from './access/audit.js';

export { ApprovalBook, type ApprovalEntry, type BookOptions } from './approvals/book.js';
export {
  MemoryRecords,
  type ApprovalMark,
  type ApprovalRecord,
  type ApprovalRecords,
  type MarkName,
} from './approvals/records.js';
export type { ApprovalStore, NewApproval } from './approvals/store.js';

export { webAuditCrypto } from './audit-crypto.js';
export { cardText } from './card-text.js';
export { proveEvent, type ProvenEvent } from './prove.js';

export {
  linesOf,
  readNoteKey,
  verifyConsistency,
  verifyExport,
  verifyInclusion,
  type AuditCrypto,
  type ExportProblem,
  type VerifiedExport,
} from '@hcp/core';
export {
  argsFromArgv,
  DEFAULT_SIGNAL_RULES,
  DEFAULT_VIEW_RULES,
  defaultAuthorize,
  permissiveGrants,
  type ApprovalOption,
  type ApprovalRequest,
  type Authorization,
  type AuthorizeContext,
  type AuthorizeRequest,
  type Card,
  type ExecCode,
  type ExecEnvelope,
  type Grant,
  type Mode,
  type Pack,
  type Principal,
  type ResultEnvelope,
  type Rule,
  type Settings,
  type SignalRule,
  type View,
  type ViewRule,
} from '@hcp/core';
export type { CommandInfo, ExecPreview } from '@hcp/contracts';
