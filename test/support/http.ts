export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

export interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  /** Sent as they are, in place of `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Record<string, string>;
}

/** One HTTP call, with nothing of the SDK in between. */
export async function call<T = Record<string, unknown>>(
  base: string,
  method: string,
  path: string,
  { token, body, raw, headers = {} }: CallOptions = {},
): Promise<Answer<T>> {
  const has_body = raw !== undefined || body !== undefined;
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(has_body && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(has_body && { body: (raw as BodyInit | undefined) ?? JSON.stringify(body) }),
  });
  const text = await response.text();
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not JSON: the text itself.
  }
  return { status: response.status, body: parsed as T, headers: response.headers };
}
