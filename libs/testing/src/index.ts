export { startPostgresServer, freePort, type PostgresServer, type ServerOptions } from './postgres/server.js';
export { reachableByOthers } from './postgres/reach.js';
export { cloneDatabase, startSharedPostgres, type SharedPostgres, type TestDatabase } from './database.js';
export { createEmptyDatabase, createTestDatabase } from './vitest.js';
export {
  assignRole,
  makeAgent,
  makeGrant,
  makeHuman,
  makeProject,
  makeService,
  makeTenant,
  makeUser,
} from './factories.js';
