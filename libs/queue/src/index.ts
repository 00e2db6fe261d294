export type { Bus, BusMessage, BusTopic, ConsumerOptions, RunConsumer, RunJob, RunQueue } from './port.js';
export { postgresConsumer, postgresQueue, type PostgresQueueOptions } from './bullmq.js';
export { PostgresBus } from './bus-postgres.js';
