export { clear, raise, type Raised } from './raise.js';
export {
  approvalAnswered,
  approvalWaits,
  credentialEvents,
  credentialMended,
  credentialStale,
  packResumed,
  packStarts,
  packUnavailable,
  type CredentialFact,
  type PackProblem,
} from './kinds.js';
export { listSense, seenSense, type LookDeps, type SeenApprovals } from './list.js';
export type { Answer, SenseRefusal, SenseRefusalCode } from './refusal.js';
export { setSource, type SourceDeps, type StandingSession, type WouldRefuse } from './sources/enable.js';
export { listSources } from './sources/list.js';
export { mayEnable } from './sources/rights.js';
export { publishEvents, sourceFailed, type SourceLook } from './sources/publish.js';
export { SourceScheduler, type SchedulerDeps, type StartLook } from './sources/scheduler.js';
