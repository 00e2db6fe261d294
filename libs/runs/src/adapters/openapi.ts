import { authorizeRequest, findCommand, parseResult, renderRequest, type HttpRequest } from '@hcp/core';
import { allowsPrivate, safeFetch, type EgressCode, type EgressPolicy, type EgressRefusal } from '@hcp/egress';
import { OutputDecoder, redactText } from '@hcp/sandbox';
import { refused, type Outcome } from '../outcome.js';
import type { Adapter, AdapterCall } from './adapter.js';

export interface OpenapiDeps {
  /** Which private hosts a pack's server may have; none by default (SPEC S4). */
  readonly egress: EgressPolicy;
  /** Certificates to trust instead of the system's, as PEM. */
  readonly ca?: string;
}

/** Bytes of an answer, as of a command's output (SPEC S5). */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Sends the request of a command to the server that its pack's document declares, and to no other (SPEC W7, S4). */
export class OpenapiAdapter implements Adapter {
  constructor(private readonly deps: OpenapiDeps) {}

  async run({ run, plan, lease, signal }: AdapterCall): Promise<Outcome> {
    const command = findCommand(plan.pack, plan.verb_key);
    if (command?.request === undefined)
      return refused('internal', 'the command has no request', 'install the pack again');
    const rendered = renderRequest(command, plan.args);
    if (!rendered.ok) return { status: 'failed', ...rendered.denial, ran: false };
    const { request } = rendered;
    if (plan.family === 'mock') return mocked(request);
    const signed = authorizeRequest(command.request, lease.fields, basic);
    // What needs no connection has no credential to give: the API itself then says whether it wants one.
    if (!signed.ok && plan.family !== 'public' && plan.family !== 'local') {
      const names = signed.fields.join(' and ');
      return refused(
        'mint_failed',
        `the connection has no ${names}`,
        'connect again with the fields that the pack asks for',
      );
    }
    const { headers, query, cookies } = signed.ok ? signed.authorization : NONE;
    const sent = {
      ...request,
      url: withQuery(request.url, query),
      headers: withCookies([...request.headers, ...headers], cookies),
    };
    const answer = await this.send(sent, signal, run.timeout_ms);
    return outcomeOf(answer, {
      plan_reads: plan.operation === 'read',
      timeout_ms: run.timeout_ms,
      secrets: lease.secrets,
    });
  }

  /** Follows a redirect of a read within the declared server; each address is checked anew. */
  private async send(request: HttpRequest, signal: AbortSignal, timeout_ms: number): Promise<Answer> {
    const { egress, ca } = this.deps;
    const deadline = AbortSignal.timeout(timeout_ms);
    const stop = AbortSignal.any([signal, deadline]);
    let url = request.url;
    for (let left = MAX_REDIRECTS; ; left -= 1) {
      const answer = await safeFetch(url, {
        ...egress,
        ...(ca !== undefined && { ca }),
        method: request.method,
        headers: Object.fromEntries([['accept', 'application/json, */*;q=0.5'], ...request.headers]),
        body: request.body,
        timeout_ms,
        max_bytes: MAX_ANSWER_BYTES,
        // Plain HTTP is for hosts that the operator named, which are this side of the border.
        allow_http: isAllowed(egress, url),
        signal: stop,
      });
      if (!answer.ok) return answer.code === 'cancelled' && !signal.aborted ? { ...answer, code: 'timeout' } : answer;
      const location = REDIRECTS.has(answer.status) ? answer.headers.get('location') : null;
      if (location === null || !['GET', 'HEAD'].includes(request.method)) return answer;
      const next = URL.canParse(location, url) ? new URL(location, url) : null;
      if (left === 0 || next?.origin !== new URL(url).origin) return { ...answer, elsewhere: true };
      url = next.href;
    }
  }
}

type Answer = EgressRefusal | { ok: true; status: number; headers: Headers; body: Buffer; elsewhere?: boolean };

const NONE = { headers: [], query: [], cookies: [] } as const;

function outcomeOf(
  answer: Answer,
  { plan_reads, timeout_ms, secrets }: { plan_reads: boolean; timeout_ms: number; secrets: readonly string[] },
): Outcome {
  if (!answer.ok) return failure(answer, plan_reads, timeout_ms);
  const decoder = new OutputDecoder();
  const text = redactText(decoder.write(answer.body) + decoder.end(), secrets);
  const result = text === '' ? null : parseResult(text);
  if (answer.elsewhere === true) {
    const error = `HTTP ${answer.status}: the API leads to another server`;
    return {
      status: 'failed',
      code: 'http_error',
      error,
      hint: 'a pack calls only the server that it declares',
      result,
      ran: true,
    };
  }
  if (answer.status >= 200 && answer.status < 300) return { status: 'succeeded', result, ran: true };
  return {
    status: 'failed',
    code: 'http_error',
    error: `HTTP ${answer.status}`,
    hint: hintOf(answer.status),
    result,
    ran: true,
  };
}

function hintOf(status: number): string {
  if (status === 401 || status === 403)
    return 'the API refuses the credential: look at the connection with `hcpx bindings`';
  if (status === 429) return 'the API asks for fewer calls: wait and try again';
  if (status >= 500) return 'the API failed; a write may have taken effect: look before you send it again';
  return 'the API refused the call; its answer says why';
}

/** Where nothing was sent the run failed; where something was, a write may have happened all the same (SPEC R2). */
function failure({ code, error }: EgressRefusal, plan_reads: boolean, timeout_ms: number): Outcome {
  if (code === 'timeout') {
    const hint = plan_reads ? 'ask for less at once, or try again' : LOOK;
    return { status: 'timed_out', code: 'timeout', error: `timed out after ${timeout_ms} ms`, hint, ran: true };
  }
  if (code === 'cancelled') {
    return {
      status: 'cancelled',
      code: 'cancelled',
      error: 'cancelled',
      hint: plan_reads ? 'it was only a read' : LOOK,
      ran: true,
    };
  }
  if (code === 'too_large') {
    return { status: 'failed', code: 'output_limit', error, hint: 'ask for less at once', truncated: true, ran: true };
  }
  if (NOT_SENT.has(code)) return { status: 'failed', code: 'http_error', error, hint: NOT_SENT_HINT, ran: false };
  if (plan_reads) return { status: 'failed', code: 'http_error', error, hint: 'try again', ran: true };
  return { status: 'unknown', code: 'outcome_unknown', error, hint: LOOK, ran: true };
}

const NOT_SENT: ReadonlySet<EgressCode> = new Set([
  'bad_host',
  'bad_request',
  'private_address',
  'unresolvable',
  'tls_failed',
]);
const NOT_SENT_HINT = 'nothing was sent: see the server that the pack declares, and what the operator allows';
const LOOK = 'look at what the command changes before you send it again';

/** Nothing is sent for a mock (SPEC B1); the answer is the request that would have been. */
function mocked({ method, url, headers, body }: HttpRequest): Outcome {
  return {
    status: 'succeeded',
    result: { mock: true, request: { method, url, headers: Object.fromEntries(headers), body } },
    ran: false,
  };
}

function withQuery(url: string, pairs: readonly (readonly [string, string])[]): string {
  if (pairs.length === 0) return url;
  const more = pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
  return `${url}${url.includes('?') ? '&' : '?'}${more}`;
}

function withCookies(
  headers: readonly (readonly [string, string])[],
  cookies: readonly (readonly [string, string])[],
): [string, string][] {
  const given = headers.filter(([name]) => name === 'cookie').map(([, value]) => value);
  const all = [...given, ...cookies.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)];
  const rest = headers.filter(([name]) => name !== 'cookie').map(([name, value]): [string, string] => [name, value]);
  return all.length === 0 ? rest : [...rest, ['cookie', all.join('; ')]];
}

const basic = (username: string, password: string): string => Buffer.from(`${username}:${password}`).toString('base64');

function isAllowed({ allow_private }: EgressPolicy, text: string): boolean {
  const { hostname, port } = new URL(text);
  return allowsPrivate(allow_private, { text: hostname, port: Number(port || '80') });
}
