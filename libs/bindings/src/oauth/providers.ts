import type { EgressPolicy } from '@hcp/egress';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  discovery,
  None,
  type ClientAuth,
  type ServerMetadata,
} from 'openid-client';
import type { ProviderClient } from '@hcp/database';
import { providerFetch } from './provider-fetch.js';

/** What of a registered client tells where its provider is. */
export type ClientPlace = Pick<
  ProviderClient,
  | 'issuer'
  | 'discovery'
  | 'authorization_endpoint'
  | 'token_endpoint'
  | 'revocation_endpoint'
  | 'userinfo_endpoint'
  | 'client_id'
  | 'token_endpoint_auth_method'
>;

export interface ProvidersOptions {
  readonly egress: EgressPolicy;
  /** For one request. */
  readonly timeout_ms?: number;
  readonly clock?: () => number;
}

const TIMEOUT_MS = 30_000;
/** How long a discovery document is good for. */
const MAX_AGE_MS = 10 * 60_000;
const MAX_ISSUERS = 500;

/** Providers as the client library knows them; every request goes through the egress check. */
export class Providers {
  readonly egress: EgressPolicy;
  readonly #timeout_ms: number;
  readonly #clock: () => number;
  readonly #found = new Map<string, { readonly metadata: ServerMetadata; readonly at: number }>();

  constructor({ egress, timeout_ms = TIMEOUT_MS, clock = Date.now }: ProvidersOptions) {
    this.egress = egress;
    this.#timeout_ms = timeout_ms;
    this.#clock = clock;
  }

  /**
   * A client that is ready to ask.
   * @throws what `providerFailure` reads, where the issuer's discovery document cannot be had
   */
  async configuration(client: ClientPlace, secret: string | null): Promise<Configuration> {
    const metadata = client.discovery ? await this.#discovered(client.issuer ?? '') : givenMetadata(client);
    const auth = authOf(client.token_endpoint_auth_method, secret);
    return this.#ready(new Configuration(metadata, client.client_id, {}, auth));
  }

  /** The issuer's own document, read anew. */
  async discover(issuer: string): Promise<ServerMetadata> {
    this.#found.delete(issuer);
    return this.#discovered(issuer);
  }

  async #discovered(issuer: string): Promise<ServerMetadata> {
    const known = this.#found.get(issuer);
    if (known && this.#clock() - known.at < MAX_AGE_MS) return known.metadata;
    const execute = [allowInsecureRequests];
    const options = { execute, [customFetch]: providerFetch(this.egress, this.#timeout_ms) };
    const found = await discovery(new URL(issuer), 'discovery', {}, None(), options);
    // Without the helper functions that the library adds, which cannot be cloned.
    const metadata = JSON.parse(JSON.stringify(found.serverMetadata())) as ServerMetadata;
    if (this.#found.size >= MAX_ISSUERS) this.#found.clear();
    this.#found.set(issuer, { metadata, at: this.#clock() });
    return metadata;
  }

  #ready(configuration: Configuration): Configuration {
    configuration[customFetch] = providerFetch(this.egress, this.#timeout_ms);
    configuration.timeout = this.#timeout_ms / 1000;
    // Whether plain http is allowed is the checked fetch's to say, for each address.
    allowInsecureRequests(configuration);
    return configuration;
  }
}

/** Without an issuer the token endpoint's origin stands for it: an `iss` that comes back is then refused. */
function givenMetadata(client: ClientPlace): ServerMetadata {
  const optional = {
    authorization_endpoint: client.authorization_endpoint,
    revocation_endpoint: client.revocation_endpoint,
    userinfo_endpoint: client.userinfo_endpoint,
  };
  const token_endpoint = client.token_endpoint ?? '';
  return {
    issuer: client.issuer ?? new URL(token_endpoint).origin,
    token_endpoint,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
  };
}

function authOf(method: string, secret: string | null): ClientAuth {
  if (method === 'none' || secret === null) return None();
  return method === 'client_secret_post' ? ClientSecretPost(secret) : ClientSecretBasic(secret);
}
