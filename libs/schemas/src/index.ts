export { argsSchemaProblem, schemaCheck } from './schema-check.js';
