import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** What happens to a request in place of, or before, the provider's answer. */
export type Fault =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body?: string;
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection is cut before the provider hears of the request. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'delay'; readonly ms: number };

export interface OauthProviderOptions {
  /** Where it may send browsers back to. */
  readonly redirect_uris: readonly string[];
  readonly token_ttl_s?: number;
  /** Its own pages ask a person to sign in and to agree; otherwise it does as `account` and `denies` say. */
  readonly pages?: boolean;
}

export const CLIENT_ID = 'this-installation';

/** A real OAuth server (oidc-provider) with rotating refresh tokens and PKCE, and a place for faults in front of it. */
export class OauthProvider {
  /** Decides for each request by its path; null lets it through. */
  fault: (path: string) => Fault | null = () => null;
  /** Who signs in there next. */
  account = 'ada';
  /** Whether that person says no. */
  denies = false;
  token_ttl_s: number;
  /** The grant types of all tokens that it gave, in order. */
  readonly granted: string[] = [];
  /** Every token that it gave. */
  readonly tokens: string[] = [];
  /** What else nobody may keep in the clear: codes and PKCE verifiers that came, signatures of identity tokens. */
  readonly secrets: string[] = [];
  /** Requests to its token endpoint that came at all. */
  token_requests = 0;
  readonly revoked: string[] = [];
  readonly #pages: boolean;

  private constructor(
    readonly client_secret: string,
    private readonly server: Server,
    readonly issuer: string,
    { token_ttl_s = 3600, pages = false }: OauthProviderOptions,
  ) {
    this.token_ttl_s = token_ttl_s;
    this.#pages = pages;
  }

  static async start(client_secret: string, options: OauthProviderOptions, port = 0): Promise<OauthProvider> {
    let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
    const server = createServer((request, response) => handle(request, response));
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
    const issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const idp = new OauthProvider(client_secret, server, issuer, options);
    const provider = idp.#provider(options);
    const callback = provider.callback();
    handle = (request, response) =>
      void idp
        .#front(provider, request, response, () => void callback(request, response))
        .catch(() => response.destroy());
    return idp;
  }

  get host(): string {
    return new URL(this.issuer).host;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  /** How many tokens it gave by this grant. */
  count(grant_type: string): number {
    return this.granted.filter((each) => each === grant_type).length;
  }

  #provider({ redirect_uris }: OauthProviderOptions): Provider {
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: this.client_secret,
          grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
          redirect_uris: [...redirect_uris],
          response_types: ['code'],
        },
      ],
      cookies: { keys: ['a key of a test'] },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, email: `${id}@provider.example`, email_verified: true }),
      }),
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      scopes: ['openid', 'offline_access', 'email', 'files'],
      pkce: { required: () => true },
      rotateRefreshToken: true,
      ttl: {
        AccessToken: () => this.token_ttl_s,
        ClientCredentials: () => this.token_ttl_s,
        AuthorizationCode: 60,
        IdToken: 600,
        RefreshToken: 86_400,
        Interaction: 600,
        Session: 600,
        Grant: 86_400,
      },
      ...(!this.#pages && { interactions: { url: (_context, { uid }) => `/interaction/${uid}` } }),
      features: {
        devInteractions: { enabled: this.#pages },
        clientCredentials: { enabled: true },
        revocation: { enabled: true },
      },
    });
    provider.on('grant.success', (context) => {
      const { grant_type, code, code_verifier } = context.oidc.params ?? {};
      this.granted.push(String(grant_type));
      const { access_token, refresh_token, id_token } = context.body as Record<string, string | undefined>;
      this.tokens.push(...[access_token, refresh_token].filter((token) => token !== undefined));
      const others = [code, code_verifier, id_token?.split('.')[2]];
      this.secrets.push(...others.filter((each) => typeof each === 'string'));
    });
    provider.on('grant.revoked', (_context, grant_id) => this.revoked.push(grant_id));
    return provider;
  }

  async #front(
    provider: Provider,
    request: IncomingMessage,
    response: ServerResponse,
    through: () => void,
  ): Promise<void> {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (path === '/token') this.token_requests += 1;
    if (path.startsWith('/interaction/') && !this.#pages) return this.#interact(provider, request, response);
    const fault = this.fault(path);
    if (fault?.kind === 'reset') {
      request.socket.destroy();
      return;
    }
    if (fault?.kind === 'answer') {
      const headers = { 'content-type': fault.type ?? 'application/json', ...fault.headers };
      response.writeHead(fault.status, headers).end(fault.body ?? '{}');
      return;
    }
    if (fault?.kind === 'delay') await new Promise((done) => setTimeout(done, fault.ms));
    through();
  }

  /** The person at the provider: signs in as `account` and agrees to everything, or denies. */
  async #interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (this.denies) {
      await provider.interactionFinished(request, response, { error: 'access_denied' });
      return;
    }
    if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId: this.account } });
      return;
    }
    const grant = new provider.Grant({
      accountId: session?.accountId ?? this.account,
      clientId: String(params['client_id']),
    });
    grant.addOIDCScope(String(params['scope']));
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
}

/** A browser: follows redirects one by one and keeps the cookies of each host. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** Every address that it went to. */
  readonly visited: string[] = [];

  async open(address: string): Promise<{ status: number; text: string; url: string; headers: Headers }> {
    let url = new URL(address);
    for (let hops = 0; hops < 15; hops += 1) {
      const { response, next } = await this.hop(url);
      if (next === null)
        return { status: response.status, text: await response.text(), url: url.href, headers: response.headers };
      url = next;
    }
    throw new Error('too many redirects');
  }

  /** Goes on until it would go to an address that begins so, and answers that one. */
  async until(address: string, stop: string): Promise<URL> {
    let url = new URL(address);
    for (let hops = 0; hops < 15; hops += 1) {
      const { response, next } = await this.hop(url);
      if (next === null)
        throw new Error(`ended at ${url.href} with ${String(response.status)}: ${await response.text()}`);
      if (next.href.startsWith(stop)) return next;
      url = next;
    }
    throw new Error('too many redirects');
  }

  /** The values of all cookies that a host gave it. */
  cookies(host: string): string[] {
    return [...(this.#cookies.get(host)?.values() ?? [])];
  }

  async hop(url: URL): Promise<{ response: Response; next: URL | null }> {
    this.visited.push(url.href);
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    const redirect = response.status >= 300 && response.status < 400 && location !== null;
    return { response, next: redirect ? new URL(location, url) : null };
  }
}
