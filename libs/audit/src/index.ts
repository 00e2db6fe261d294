export { appendAudit, type AuditDetails, type AuditInput } from './append.js';
export type { AuditItem } from './item.js';
export { listAudit, type AuditFilters, type AuditPage } from './list.js';
export { currentCheckpoint, proveConsistency, proveEvent, readEvent, type LogDeps } from './log/answers.js';
export { type LogKey } from './log/checkpoint.js';
export { exportLog, type ExportRequest } from './log/export.js';
export { placeEvents, placeWaiting } from './log/place.js';
