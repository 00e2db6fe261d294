import { expect } from 'vitest';
import type { Answer } from './http.js';
import { Browser, CLIENT_ID, type OauthProvider } from './oauth-provider.js';
import type { Stack } from './stack.js';

export interface Started {
  readonly connection_id: string;
  readonly authorize_url: string;
  readonly code: string;
}

/** The provider that leaky packs name. */
export const PROVIDER = 'leaky.example';

/** Registers this installation as a client of the provider. */
export async function registerClient(
  stack: Stack,
  token: string,
  idp: OauthProvider,
  more: object = {},
): Promise<Answer<{ id: string }>> {
  return stack.call<{ id: string }>('POST', '/v1/providers', {
    token,
    body: {
      provider: PROVIDER,
      issuer: idp.issuer,
      client_id: CLIENT_ID,
      client_secret: idp.client_secret,
      scopes: ['openid', 'email', 'offline_access'],
      grant_types: ['authorization_code', 'client_credentials'],
      ...more,
    },
  });
}

export async function begin(stack: Stack, token: string, body: object): Promise<Started> {
  const answer = await stack.call<Started>('POST', '/v1/bindings/connect', { token, body });
  expect(answer.body).toMatchObject({ connection_id: expect.any(String) as string });
  return answer.body;
}

/** Where the start page's link leads. */
export function onwards(page: { readonly url: string; readonly text: string }): string {
  const href = /<a href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
  if (href === undefined) throw new Error(`no link in ${page.text}`);
  return new URL(href, page.url).href;
}

/** All of it, as a person with a browser does it. */
export async function connect(
  stack: Stack,
  token: string,
  body: object,
  browser = new Browser(),
): Promise<{ status: number; text: string; connection_id: string }> {
  const { authorize_url, connection_id } = await begin(stack, token, body);
  const page = await browser.open(authorize_url);
  const ended = await browser.open(onwards(page));
  return { status: ended.status, text: ended.text, connection_id };
}
