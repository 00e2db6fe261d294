import { isIPv6, type LookupFunction, connect, type Socket } from 'node:net';
import { type CheckedHost, type EgressRefusal, refusal } from './resolve.js';

const CONNECT_MS = 10_000;

/** A `lookup` for `net`, `tls` and `http` that answers with the checked addresses and asks nobody. */
export function pinnedLookup(checked: CheckedHost): LookupFunction {
  const all = checked.addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, options, answer) => {
    const fitting = all.filter(({ family }) => !options.family || family === familyNumber(options.family));
    const [first] = fitting;
    if (first === undefined) answer(new Error('no checked address of this family'), '', 4);
    else if (options.all) answer(null, fitting);
    else answer(null, first.address, first.family);
  };
}

/** Opens a TCP connection to a checked host, trying its addresses in turn. Never throws. */
export async function connectChecked(
  checked: CheckedHost,
  port: number,
  { timeout_ms = CONNECT_MS, signal }: { timeout_ms?: number; signal?: AbortSignal } = {},
): Promise<{ ok: true; socket: Socket } | EgressRefusal> {
  return new Promise((resolve) => {
    const socket = connect({
      host: checked.host,
      port,
      lookup: pinnedLookup(checked),
      autoSelectFamily: true,
      allowHalfOpen: true,
    });
    const fail = (refused: EgressRefusal): void => {
      clean();
      socket.on('error', () => undefined).destroy();
      resolve(refused);
    };
    const onError = (): void => fail(refusal('connect_failed', `${checked.host} cannot be reached`));
    const onAbort = (): void => fail(refusal('cancelled', `the connection to ${checked.host} was given up`));
    const timer = setTimeout(() => fail(refusal('timeout', `${checked.host} did not answer in time`)), timeout_ms);
    const onConnect = (): void => {
      clean();
      resolve({ ok: true, socket });
    };
    const clean = (): void => {
      clearTimeout(timer);
      socket.off('error', onError).off('connect', onConnect);
      signal?.removeEventListener('abort', onAbort);
    };
    socket.once('error', onError).once('connect', onConnect);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}

function familyNumber(family: number | 'IPv4' | 'IPv6'): number {
  return family === 'IPv6' ? 6 : family === 'IPv4' ? 4 : family;
}
