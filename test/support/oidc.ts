import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { Provider } from 'oidc-provider';

export type Alg = 'RS256' | 'ES256' | 'EdDSA';

export interface SigningPair {
  readonly alg: Alg;
  readonly kid: string;
  readonly private_key: CryptoKey;
  readonly private_jwk: JWK;
  readonly public_jwk: JWK;
}

export async function signingPair(alg: Alg, kid: string): Promise<SigningPair> {
  const pair = await generateKeyPair(alg, { extractable: true });
  const about = { kid, alg, use: 'sig' };
  return {
    alg,
    kid,
    private_key: pair.privateKey,
    private_jwk: { ...(await exportJWK(pair.privateKey)), ...about },
    public_jwk: { ...(await exportJWK(pair.publicKey)), ...about },
  };
}

const CLIENT = { client_id: 'batch', client_secret: 'a secret of a test' };

/** A real identity provider (oidc-provider) on a free port of this machine, with the private keys at hand. */
export class IdentityProvider {
  #server: Server | null = null;
  #provider: Provider | null = null;
  #port = 0;
  /** How often its keys were asked for. */
  key_requests = 0;

  private constructor(public pairs: readonly SigningPair[]) {}

  static async start(algs: readonly Alg[] = ['RS256', 'ES256', 'EdDSA']): Promise<IdentityProvider> {
    const idp = new IdentityProvider(await Promise.all(algs.map((alg) => signingPair(alg, `${alg}-1`))));
    await idp.listen();
    return idp;
  }

  get issuer(): string {
    return `http://127.0.0.1:${String(this.#port)}`;
  }

  /** Starts again on the same port, with other keys if some are given. */
  async listen(pairs: readonly SigningPair[] = this.pairs): Promise<void> {
    this.pairs = pairs;
    let callback: ReturnType<Provider['callback']> | null = null;
    const server = createServer((request, response) => {
      if (request.url === '/jwks') this.key_requests += 1;
      void callback?.(request, response);
    });
    await new Promise<void>((done) => server.listen(this.#port, '127.0.0.1', done));
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    this.#provider = new Provider(this.issuer, {
      clients: [{ ...CLIENT, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
      cookies: { keys: ['a key of a test'] },
      jwks: { keys: pairs.map(({ private_jwk }) => private_jwk) },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, resource) => this.#resource(resource),
        },
      },
    });
    callback = this.#provider.callback();
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((done) => (this.#server ? this.#server.close(done) : done(undefined)));
    this.#server = null;
  }

  /** As a client would: over HTTP, by its token endpoint. The subject is `batch`. */
  async clientToken(audience: string): Promise<string> {
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${CLIENT.client_id}:${encodeURIComponent(CLIENT.client_secret)}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
    });
    const answer = (await response.json()) as { access_token?: string };
    if (answer.access_token === undefined) throw new Error(`no token: ${JSON.stringify(answer)}`);
    return answer.access_token;
  }

  /** A token with any claims, signed by one of the provider's own keys. */
  async sign(
    claims: Record<string, unknown>,
    header: Record<string, unknown> = {},
    pair: SigningPair | undefined = this.pairs[0],
  ): Promise<string> {
    if (!pair) throw new Error('no key');
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: this.issuer, iat: now, exp: now + 600, jti: crypto.randomUUID(), ...claims };
    const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return new SignJWT(payload).setProtectedHeader({ alg: pair.alg, kid: pair.kid, ...header }).sign(pair.private_key);
  }

  #resource(audience: string) {
    return {
      scope: 'all',
      audience,
      accessTokenFormat: 'jwt' as const,
      accessTokenTTL: 600,
      jwt: { sign: { alg: (this.pairs[0]?.alg ?? 'RS256') as 'RS256' } },
    };
  }
}
