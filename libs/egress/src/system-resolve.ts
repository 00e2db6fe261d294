import { lookup, Resolver } from 'node:dns/promises';
import type { Resolve } from './policy.js';

const TRY_MS = 2000;
const TRIES = 2;

/**
 * Asks name servers, `servers` (`address:port`) or the machine's. Not `getaddrinfo` for names of tenants: it holds one of
 * libuv's few threads for as long as a slow name server likes, and it would answer from the hosts file and the search list.
 */
export function nameServers(servers?: readonly string[]): Resolve {
  return async (name, { trusted, signal }) => {
    signal.throwIfAborted();
    if (trusted) return (await lookup(name, { all: true })).map(({ address }) => address);
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length === 0) throw new Error('no address');
      return addresses;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

export const systemResolve: Resolve = nameServers();
