import { createHash, randomBytes } from 'node:crypto';

/** Where a client is sent back to; nobody listens there. */
export const CALLBACK = 'http://127.0.0.1:41999/callback';

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** Hidden fields, and the values of radio buttons. */
  readonly fields: Readonly<Record<string, string>>;
}

/** As much of a browser as the pages need: one cookie jar, forms sent with the page's origin, redirects not followed. */
export class Browser {
  readonly cookies = new Map<string, string>();

  /** @param headers sent with every request, over the browser's own */
  async get(url: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.#read(await fetch(url, { headers: { ...this.#own(), ...headers }, redirect: 'manual' }));
  }

  async post(url: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> {
    const own = { ...this.#own(), origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' };
    const init = { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' as const };
    return this.#read(await fetch(url, { ...init, headers: { ...own, ...headers } }));
  }

  #own(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return cookie === '' ? {} : { cookie };
  }

  async #read(response: Response): Promise<Page> {
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=', 2);
      this.cookies.set(name, value);
    }
    const text = await response.text();
    const inputs = [...text.matchAll(/<input\b[^>]*>/g)].map(([tag]) => [
      attribute(tag, 'name'),
      attribute(tag, 'value'),
    ]);
    const fields = Object.fromEntries(inputs.filter(([, value]) => value !== '')) as Record<string, string>;
    return { status: response.status, text, headers: response.headers, fields };
  }
}

const attribute = (tag: string, name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';

export interface Person {
  readonly email: string;
  readonly password: string;
}

/** A client that registered at one of the replicas; each step may go to another. */
export class Client {
  private constructor(
    readonly id: string,
    readonly redirect_uri: string,
  ) {}

  static async register(base: string, fields: Record<string, unknown> = {}): Promise<Client> {
    const body = { client_name: 'A test', redirect_uris: [CALLBACK], ...fields };
    const answer = await fetch(`${base}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { client_id } = (await answer.json()) as { client_id?: string };
    if (client_id === undefined) throw new Error(`register: ${String(answer.status)}`);
    return new Client(client_id, body.redirect_uris[0] ?? CALLBACK);
  }

  /** @param changes parameters to set, or (undefined) to leave out */
  url(base: string, challenge: string, changes: Record<string, string | undefined> = {}): string {
    const query = new URLSearchParams();
    const parameters: Record<string, string | undefined> = {
      response_type: 'code',
      client_id: this.id,
      redirect_uri: this.redirect_uri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'a state',
      ...changes,
    };
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
    return `${base}/oauth/authorize?${query.toString()}`;
  }

  /** A person signs in and says yes: where the browser is sent. */
  async consent(
    base: string,
    person: Person,
    challenge: string,
    {
      tenant_id,
      browser = new Browser(),
      answer = 'yes',
    }: { tenant_id?: string; browser?: Browser; answer?: string } = {},
  ): Promise<URL> {
    const login = await browser.get(this.url(base, challenge));
    const asked = await browser.post(`${base}/oauth/login`, {
      ...login.fields,
      email: person.email,
      password: person.password,
    });
    const fields = { ...asked.fields, ...(tenant_id === undefined ? {} : { tenant_id }), answer };
    const answered = await browser.post(`${base}/oauth/consent`, fields);
    const location = answered.headers.get('location');
    if (location === null) throw new Error(`consent: ${String(answered.status)} ${answered.text}`);
    return new URL(location);
  }

  async token(base: string, form: Record<string, string>): Promise<TokenAnswer> {
    return postForm(`${base}/oauth/token`, { client_id: this.id, ...form });
  }

  async exchange(base: string, code: string, verifier: string, changes: Record<string, string> = {}) {
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: this.redirect_uri };
    return this.token(base, { ...form, ...changes });
  }

  async refresh(base: string, refresh_token: string, changes: Record<string, string> = {}): Promise<TokenAnswer> {
    return this.token(base, { grant_type: 'refresh_token', refresh_token, ...changes });
  }

  /** The whole way to tokens. */
  async signIn(base: string, person: Person, tenant_id?: string): Promise<Tokens> {
    const { verifier, challenge } = pkce();
    const place = await this.consent(base, person, challenge, { ...(tenant_id === undefined ? {} : { tenant_id }) });
    const { status, body } = await this.exchange(base, place.searchParams.get('code') ?? '', verifier);
    if (status !== 200) throw new Error(`token: ${JSON.stringify(body)}`);
    return body as unknown as Tokens;
  }
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
}

export interface TokenAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

export async function postForm(url: string, form: Record<string, string>): Promise<TokenAnswer> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
}
