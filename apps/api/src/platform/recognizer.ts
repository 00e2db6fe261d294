import { Inject, Injectable } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AuthGuard } from '@nestjs/passport';
import { AGENT_HEADER, ROUTES, SESSION_HEADER, type Route } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Authenticator, parseSecret, type Authentication } from '@hcp/tenancy';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessTokenStrategy, bearers, CannotCheck, type Claims } from './access-token.strategy.js';
import { BrowserSessions } from './browser-session.js';
import { notOwnPage, ProblemError } from './problem.js';
import { FailureLimits } from './rate-limits.js';
import { recognised, recognition } from './recognition.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const BEARER = /^Bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i;

/** A body may take its time; who was recognised longer ago is looked at again once it is there. */
const FRESH_MS = 2000;

/** Runs passport-jwt and leaves the claims on the request. */
class TokenGuard extends AuthGuard() {
  constructor(strategy: AccessTokenStrategy) {
    super({ defaultStrategy: strategy.name, session: false, property: 'claims' });
  }

  override handleRequest<T>(error: unknown, claims: T | false | undefined, info: unknown): T {
    if (error) throw error as Error;
    // passport-jwt tells every failure of the verifier as one of the token's.
    if (info instanceof CannotCheck) throw info;
    if (!claims) throw unauthenticated();
    return claims;
  }
}

/** Finds out from the headers alone who calls: before a body is read, so that nobody unknown fills memory. */
@Injectable()
export class Recognizer {
  readonly #tokens: TokenGuard;

  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(FailureLimits) private readonly limits: FailureLimits,
    @Inject(AccessTokenStrategy) private readonly strategy: AccessTokenStrategy,
    @Inject(BrowserSessions) private readonly browsers: BrowserSessions,
  ) {
    this.#tokens = new TokenGuard(strategy);
  }

  /** Looks, and keeps what it found for `caller`; never throws. */
  async look(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      recognised.set(request, { ok: true, caller: await this.#authenticate(request, reply), at: performance.now() });
    } catch (error) {
      recognised.set(request, { ok: false, error });
    }
  }

  /** @throws ProblemError 401, 429 or 503 */
  async caller(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const seen = recognition(request);
    if (seen?.ok === false) throw seen.error;
    if (seen && performance.now() - seen.at < FRESH_MS) return seen.caller;
    return this.#authenticate(request, reply);
  }

  async #authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const cookie = this.#cookie(request);
    if (cookie !== null && !this.browsers.fromOwnPage(request)) throw notOwnPage();
    const bearer = cookie ?? BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined) throw unauthenticated();
    bearers.set(request, bearer);
    const options = {
      session_id: sessionHeader(request),
      agent_header: agentHeader(request) || countsAsAgent(request),
    };
    let result: Authentication;
    try {
      if (bearer.startsWith('hcp_')) {
        const key_id = parseSecret('hcp', bearer)?.id ?? null;
        if (key_id !== null) await this.limits.checkKey(key_id, request.ip);
        result = await this.authenticator.authenticate(bearer, options);
        if (!result.ok) await this.limits.keyFailed(result.reason === 'wrong_secret' ? key_id : null, request.ip);
      } else {
        const external = this.strategy.isExternal(bearer);
        result = await this.#byToken(request, reply, options);
        if (external && !result.ok) await this.limits.keyFailed(null, request.ip);
      }
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      // Nobody can be recognised without the database: refused, never waved through (fail closed).
      const problem = new ProblemError(503, 'unavailable', 'credentials cannot be checked now');
      problem.cause = error;
      throw problem;
    }
    // A token that only ran out is renewed; what it stood for is gone for good otherwise.
    if (!result.ok && cookie !== null && result.reason !== 'malformed') this.browsers.clear(reply);
    if (!result.ok) throw result.reason === 'too_many_sessions' ? tooManySessions() : unauthenticated();
    return result.caller;
  }

  /**
   * The dashboard's token, where nothing else was sent. It never counts at `/mcp` or `/oauth`, which no page of ours calls,
   * and it is one of our own: keys and tokens of identity providers come in the header (SPEC T5).
   */
  #cookie(request: FastifyRequest): string | null {
    if (request.headers.authorization !== undefined || request.routeOptions.url?.startsWith('/v1/') !== true)
      return null;
    const token = this.browsers.read(request, 'access');
    return token === null || token.startsWith('hcp_') || this.strategy.isExternal(token) ? null : token;
  }

  async #byToken(
    request: FastifyRequest,
    reply: FastifyReply,
    options: Parameters<Authenticator['authenticate']>[1],
  ): Promise<Authentication> {
    try {
      await this.#tokens.canActivate(new ExecutionContextHost([request, reply]));
    } catch (error) {
      if (error instanceof ProblemError) return { ok: false, reason: 'malformed' };
      throw error;
    }
    const { claims } = request as { claims?: Claims };
    return claims && 'issuer_id' in claims
      ? this.authenticator.authenticateExternal(claims, options)
      : this.authenticator.authenticateClaims(claims, options);
  }
}

const tooManySessions = (): ProblemError =>
  new ProblemError(429, 'rate_limited', 'this identity provider has too many open sessions here', undefined, {
    retry_after_ms: 60_000,
  });

const unauthenticated = (): ProblemError => new ProblemError(401, 'unauthenticated', 'no valid credentials');

/** A header that is there but names no session refuses the call: falling back to the wider session would widen it. */
function sessionHeader(request: FastifyRequest): string | undefined {
  const value = request.headers[SESSION_HEADER];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !UUID.test(value)) throw unauthenticated();
  return value.toLowerCase();
}

/** Anything but an explicit `0` counts as an agent's: the header only ever narrows. */
function agentHeader(request: FastifyRequest): boolean {
  const value = request.headers[AGENT_HEADER];
  return value !== undefined && value !== '0';
}

const AGENT_ROUTES = new Set(
  Object.values(ROUTES).flatMap(({ method, path, counts_as_agent }: Route) =>
    counts_as_agent === true ? [`${method} ${path}`] : [],
  ),
);

/** SPEC T2: over MCP everybody counts as an agent, whatever the header says. */
const countsAsAgent = ({ method, routeOptions }: FastifyRequest): boolean =>
  AGENT_ROUTES.has(`${method} ${routeOptions.url ?? ''}`);
