import { call, type Answer } from './http.js';

export interface Cookie {
  readonly value: string;
  /** As they were set, in lower case; `''` for a flag. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** What a page of the site itself sends along, besides cookies. */
export const ownPage = (base: string): Record<string, string> => ({
  origin: new URL(base).origin,
  'hcp-csrf': '1',
  'sec-fetch-site': 'same-origin',
});

/** The cookies that an answer sets, by name. */
export function cookiesSet(headers: Headers): Map<string, Cookie> {
  return new Map(
    headers.getSetCookie().map((line) => {
      const [pair = '', ...rest] = line.split(';').map((part) => part.trim());
      const at = pair.indexOf('=');
      const attributes = Object.fromEntries(
        rest.map((each) => {
          const [name = '', value = ''] = each.split('=', 2);
          return [name.toLowerCase(), value];
        }),
      );
      return [pair.slice(0, at), { value: pair.slice(at + 1), attributes }];
    }),
  );
}

/** Cookies as a browser keeps them for one site, and requests as a page of it makes them. */
export class Browser {
  readonly cookies = new Map<string, string>();

  constructor(readonly base: string) {}

  header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** @param headers instead of those of the site's own page; the cookies go along all the same */
  async send<T = Record<string, unknown>>(
    method: string,
    path: string,
    {
      body,
      headers = ownPage(this.base),
      base = this.base,
    }: { body?: unknown; headers?: Record<string, string>; base?: string } = {},
  ): Promise<Answer<T>> {
    const cookie: Record<string, string> = this.cookies.size > 0 ? { cookie: this.header() } : {};
    const answer = await call<T>(base, method, path, { body, headers: { ...headers, ...cookie } });
    for (const [name, { value, attributes }] of cookiesSet(answer.headers)) {
      if (attributes['max-age'] === '0') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }

  signIn(person: { readonly email: string; readonly password: string }, tenant_id?: string) {
    const { email, password } = person;
    return this.send('POST', '/v1/auth/browser/sign-in', { body: { email, password, tenant_id } });
  }
}
