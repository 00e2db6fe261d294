import { canonicalJson } from '../digest/canonical-json.js';
import { utf8Bytes } from './bytes.js';
import { leafHash, type Sha256 } from './merkle.js';

/** An event as the API answers it; what it says nothing about is null there. */
export type LoggedEvent = Readonly<Record<string, unknown>>;

/**
 * The event as the log has it: its members that say something, so that a field that events get later changes none of the
 * older ones.
 */
export function logged(event: LoggedEvent): LoggedEvent {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null && value !== undefined));
}

/** The text whose hash is the event's leaf (RFC 8785). */
export const leafText = (event: LoggedEvent): string => canonicalJson(logged(event));

export const eventHash = (sha256: Sha256, event: LoggedEvent): Uint8Array | Promise<Uint8Array> =>
  leafHash(sha256, utf8Bytes(leafText(event)));
