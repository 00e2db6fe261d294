import {
  AGENT_HEADER,
  APPROVALS_HEADER,
  ARCHIVE_TYPE,
  BROWSER_HEADER,
  FILE_TYPE,
  MODE_HEADER,
  type OperationId,
  problemSchema,
  type Route,
  ROUTES,
  SESSION_HEADER,
} from '@hcp/contracts';
import type { Approvals, Mode } from '@hcp/core';
import type { z } from 'zod';
import { HcpError } from '../errors.js';
import type { CallOptions } from '../runtime.js';
import { BrowserRenewal } from './browser-renewal.js';

export interface RemoteOptions {
  /** Base address of the API, e.g. `https://hcp.example.com`; without `/v1`. */
  readonly url: string;
  /** An API key or an access token that does not change. */
  readonly token?: string;
  /**
   * Asked for the token of each call. After a 401 it is asked once more, with the token that was refused; answering
   * another one repeats the call.
   */
  readonly getToken?: (refused?: string) => Promise<string | undefined>;
  /**
   * For pages that the API itself serves, after `api.auth.browser.signIn`: the browser's cookies are the credentials, and
   * are renewed where they ran out. Not along with `token` or `getToken`.
   */
  readonly browser_session?: boolean;
  /** Id of an explicit session (SPEC T4). */
  readonly session?: string;
  /** Marks every call as an agent's (SPEC T2). */
  readonly agent?: boolean;
  /** The mode that this process asks for: it tightens freely and loosens as far as a person let it (SPEC A1). */
  readonly mode?: Mode;
  /** `human`: an agent's own yes does not count in this process, whatever the tenant lets (SPEC A5). */
  readonly approvals?: Approvals;
  /** For tests and proxies; the global one by default. */
  readonly fetch?: typeof fetch;
}

type Routes = typeof ROUTES;
type Schema<K extends OperationId, Part extends keyof Route> = Routes[K] extends Record<Part, infer S> ? S : undefined;
type Given<S, Name extends string> = S extends z.ZodType
  ? Record<Name, z.output<S>>
  : S extends 'archive' | 'file'
    ? Record<Name, Uint8Array>
    : object;
type Query<S> = S extends z.ZodType ? { query?: z.output<S> } : object;

/** What a call of one route takes, from the contract's schemas. */
export type CallInput<K extends OperationId> = Given<Schema<K, 'params'>, 'params'> &
  Given<Schema<K, 'body'>, 'body'> &
  Query<Schema<K, 'query'>>;

/** What it answers: nothing for 204. */
export type CallOutput<K extends OperationId> =
  Schema<K, 'response'> extends infer S extends z.ZodType ? z.output<S> : undefined;

interface Input {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, unknown>;
  readonly body?: unknown;
}

/** Requests to one API: addresses, credentials and the contract on both sides. Fetch only, so it runs in a browser too. */
export class Transport {
  readonly #options: RemoteOptions;
  readonly #base: string;
  readonly #fetch: typeof fetch;
  readonly #renewal: BrowserRenewal | null;

  constructor(options: RemoteOptions) {
    const url = URL.canParse(options.url) ? new URL(options.url) : null;
    if (
      url === null ||
      !/^https?:$/.test(url.protocol) ||
      url.username !== '' ||
      url.search !== '' ||
      url.hash !== ''
    ) {
      throw new HcpError({ code: 'invalid_request', status: 0, message: 'url must be a plain http or https address' });
    }
    this.#options = options;
    this.#base = url.href.replace(/\/+$/, '');
    // Called unbound it would throw "Illegal invocation" in browsers.
    this.#fetch = options.fetch ?? ((...args) => globalThis.fetch(...args));
    const status = async (operation: OperationId): Promise<number> => {
      const response = await this.#attempt(operation, {}, {}, undefined);
      await response.body?.cancel();
      return response.status;
    };
    this.#renewal =
      options.browser_session === true
        ? new BrowserRenewal({ probe: () => status('me'), renew: () => status('auth_browser_renew') })
        : null;
  }

  /** Calls a route, and validates the answer as strictly as the API validates requests. */
  async call<K extends OperationId>(
    operation: K,
    input: CallInput<K>,
    options: CallOptions = {},
  ): Promise<CallOutput<K>> {
    const response = await this.send(operation, input as Input, options);
    if (!response.ok) throw await problemOf(response);
    const schema = (ROUTES[operation] as Route).response;
    if (schema === undefined || typeof schema === 'string') return undefined as CallOutput<K>;
    return readAs(response, schema) as Promise<CallOutput<K>>;
  }

  /** The bare response, whatever its status; rejects with `network` where there is none. */
  async send(
    operation: OperationId,
    input: Input,
    options: CallOptions & { headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const route: Route = ROUTES[operation];
    const attempt = (token: string | undefined): Promise<Response> => this.#attempt(operation, input, options, token);

    if (route.requires === 'public') return attempt(undefined);
    if (this.#renewal) {
      const response = await attempt(undefined);
      if (response.status !== 401 || !(await this.#renewal.good())) return response;
      await response.body?.cancel();
      return attempt(undefined);
    }
    const token = this.#options.getToken ? await this.#options.getToken() : this.#options.token;
    const response = await attempt(token);
    if (response.status !== 401 || !this.#options.getToken || token === undefined) return response;
    const renewed = await this.#options.getToken(token);
    if (renewed === undefined || renewed === token) return response;
    await response.body?.cancel();
    return attempt(renewed);
  }

  async #attempt(
    operation: OperationId,
    input: Input,
    options: CallOptions & { headers?: Record<string, string> },
    token: string | undefined,
  ): Promise<Response> {
    const route: Route = ROUTES[operation];
    const url = this.#base + pathOf(route, input.params) + queryOf(input.query);
    return this.#request(url, route, input.body, token, options.signal, options.headers);
  }

  async #request(
    url: string,
    route: Route,
    body: unknown,
    token: string | undefined,
    signal: AbortSignal | undefined,
    extra: Record<string, string> | undefined,
  ): Promise<Response> {
    const headers = new Headers(extra);
    if (!headers.has('accept')) headers.set('accept', 'application/json, application/problem+json');
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (this.#renewal) headers.set(BROWSER_HEADER, '1');
    if (route.requires !== 'public') {
      if (this.#options.session !== undefined) headers.set(SESSION_HEADER, this.#options.session);
      if (this.#options.agent === true) headers.set(AGENT_HEADER, '1');
      if (this.#options.mode !== undefined) headers.set(MODE_HEADER, this.#options.mode);
      if (this.#options.approvals !== undefined) headers.set(APPROVALS_HEADER, this.#options.approvals);
    }
    const init: RequestInit = {
      method: route.method,
      headers,
      redirect: 'error',
      credentials: this.#renewal ? 'same-origin' : 'omit',
      cache: 'no-store',
    };
    if (signal !== undefined) init.signal = signal;
    if (route.body === 'archive' || route.body === 'file') {
      headers.set('content-type', route.body === 'archive' ? ARCHIVE_TYPE : FILE_TYPE);
      init.body = body as Uint8Array<ArrayBuffer>;
    } else if (route.body !== undefined) {
      headers.set('content-type', 'application/json');
      init.body = JSON.stringify(body);
    }
    try {
      return await this.#fetch(url, init);
    } catch (cause) {
      signal?.throwIfAborted();
      throw new HcpError({ code: 'network', status: 0, message: `no answer from ${this.#base}`, cause });
    }
  }
}

/** Parameters are checked by the contract first: an id such as `..` must not walk to another route. */
function pathOf(route: Route, params: Record<string, string> = {}): string {
  const checked = route.params?.safeParse(params);
  if (checked?.success === false) {
    const path = checked.error.issues[0]?.path.join('.') ?? '';
    throw new HcpError({ code: 'invalid_request', status: 0, message: `${path} is not a valid identifier` });
  }
  const path = route.path.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return path.replace(/\*$/, () => restOf(params['*'] ?? ''));
}

/** A path at the end of an address. `fetch` would resolve dots, escaped ones too, so those never leave. */
function restOf(path: string): string {
  const parts = path.split('/');
  if (parts.some((part) => part === '.' || part === '..')) {
    throw new HcpError({ code: 'invalid_request', status: 0, message: 'the path has a "." or ".." part' });
  }
  return parts.map((part) => encodeURIComponent(part)).join('/');
}

function queryOf(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** The answer as a contract says it is, or `invalid_response`. */
export async function readAs<S extends z.ZodType>(response: Response, schema: S): Promise<z.output<S>> {
  const parsed = schema.safeParse(await jsonOf(response));
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new HcpError({
    code: 'invalid_response',
    status: response.status,
    message: `the answer is not what this client expects${where === '' ? '' : ` (at ${where})`}`,
  });
}

/** The error that a failed response tells of. */
export async function problemOf(response: Response): Promise<HcpError> {
  const parsed = problemSchema.safeParse(await jsonOf(response));
  if (!parsed.success) {
    return new HcpError({
      code: response.status === 401 ? 'unauthenticated' : 'invalid_response',
      status: response.status,
      message: `HTTP ${response.status} without problem details`,
    });
  }
  const problem = parsed.data;
  return new HcpError({
    code: problem.code,
    status: response.status,
    message: problem.detail ?? problem.title,
    problem,
  });
}

/** Undefined where the body is no JSON. Rejects with `network` where it breaks off, or with the caller's own abort. */
async function jsonOf(response: Response): Promise<unknown> {
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    if (cause instanceof DOMException) throw cause;
    throw new HcpError({ code: 'network', status: response.status, message: 'the answer broke off', cause });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
