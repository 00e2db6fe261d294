import type { Tokens } from '@hcp/contracts';
import { Hcp, HcpError, remote } from '@hcp/sdk';
import type { Credential, HostStore } from './hosts.js';

/** A token that ends sooner than this is renewed before it is used. */
const MARGIN_MS = 30_000;

export const fromTokens = (tokens: Tokens, email: string, now: Date): Credential => ({
  kind: 'tokens',
  access_token: tokens.access_token,
  refresh_token: tokens.refresh_token,
  expires_at: new Date(now.getTime() + tokens.expires_in * 1000).toISOString(),
  email,
});

/**
 * The token for each call of one API: the stored one while it is good, else a renewed one. Under the lock it looks again
 * first, because another process may just have renewed it. Undefined where there is nothing (any more) to sign in with.
 */
export function storedToken(store: HostStore, url: string, now: () => Date) {
  const good = (credential: Credential, refused?: string): string | undefined => {
    if (credential.kind === 'api_key') return credential.key;
    const left = Date.parse(credential.expires_at) - now().getTime();
    return left > MARGIN_MS && credential.access_token !== refused ? credential.access_token : undefined;
  };
  return async (refused?: string): Promise<string | undefined> => {
    const known = (await store.read()).hosts[url];
    if (known === undefined) return undefined;
    const usable = good(known, refused);
    if (usable !== undefined) return usable;
    return store.locked(async (hosts, save) => {
      const latest = hosts.hosts[url];
      if (latest === undefined) return undefined;
      const renewed = good(latest, refused);
      if (renewed !== undefined || latest.kind !== 'tokens') return renewed;
      try {
        const hcp = await Hcp.create({ runtime: remote({ url }) });
        const tokens = await hcp.api.auth.refresh(latest.refresh_token);
        const next = fromTokens(tokens, latest.email, now());
        await save({ ...hosts, hosts: { ...hosts.hosts, [url]: next } });
        return tokens.access_token;
      } catch (error) {
        // The session ended: the call goes out without a token, and its 401 says to sign in.
        if (error instanceof HcpError && error.status >= 400 && error.status < 500 && error.status !== 429)
          return undefined;
        throw error;
      }
    });
  };
}
