export { argsSchemaProblem, schemaCheck } from './schema-check.js';
export { SCHEMA_LIMITS } from './schema-limits.js';
