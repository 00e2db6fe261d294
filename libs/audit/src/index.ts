export { appendAudit, type AuditDetails, type AuditInput } from './append.js';
export { listAudit, type AuditFilters, type AuditItem, type AuditPage } from './list.js';
