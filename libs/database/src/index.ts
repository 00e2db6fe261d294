export { Database, enterScope, type DatabaseOptions, type TransactionOptions, type Tx } from './database.js';
export { migrate, schemaDrift, schemaSql, type MigrateOptions } from './migrate.js';
export { createRoles, APP_ROLE, OWNER_ROLE, QUEUE_ROLE, QUEUE_SCHEMA, type RoleOptions } from './roles.js';
export { principalNames, type NameOf } from './principal-names.js';
export { isForeignKeyViolation, isNotFound, isUniqueViolation } from './errors.js';
export { Prisma, sql, join, raw, empty, type Sql } from './prisma.js';
export type * from './rows.js';
