export { appendEvent, type Happened } from './append.js';
export {
  EVENT_RETENTION_MS,
  openPosition,
  present,
  readEvents,
  sealPosition,
  type Opened,
  type Position,
  type PositionSealer,
} from './read.js';
