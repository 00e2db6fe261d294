export { askApproval, type Ask } from './ask.js';
export { approvedFor, consumeApproval, keepFor, releaseApproval, type Wanted } from './use.js';
export { approve, reject, type Decided } from './decide.js';
export { getApproval, listApprovals, seenApprovals } from './look.js';
export { closeAnswered, sweepApprovals } from './expire.js';
export { approvalNumbers } from './numbers.js';
export type { ApprovalDeps, Sealer, StartApproved, Started, TenantKeys } from './ports.js';
export type { Answer, ApprovalRefusal, ApprovalRefusalCode } from './refusal.js';
