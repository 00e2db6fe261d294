export { startPostgresServer, freePort, type PostgresServer, type ServerOptions } from './postgres/server.js';
export { reachableByOthers } from './postgres/reach.js';
