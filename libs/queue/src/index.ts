export type {
  Bus,
  BusMessage,
  BusMessages,
  BusTopic,
  ConsumerOptions,
  EnqueueOptions,
  RunConsumer,
  RunJob,
  RunQueue,
} from './port.js';
export { openBus, openConsumer, openQueue, type Backend } from './open.js';
