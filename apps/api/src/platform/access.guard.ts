import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { AGENT_HEADER, MODE_HEADER, SESSION_HEADER } from '@hcp/contracts';
import { allows, MODES, type Caller, type Mode } from '@hcp/core';
import { Authenticator, holdsAnywhere, parseSecret, type Authentication } from '@hcp/tenancy';
import type { FastifyRequest } from 'fastify';
import { AccessTokenStrategy, CannotCheck, type Claims } from './access-token.strategy.js';
import { bodyError } from './json-body.js';
import { ROUTE_ACCESS, type RouteAccess } from './metadata.js';
import { ProblemError } from './problem.js';
import { FailureLimits } from './rate-limits.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

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

/**
 * The only door: a route without access metadata is refused, a public one passes, every other one takes credentials
 * that are good at this moment, and then the capability it names.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  readonly #tokens: TokenGuard;

  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly limits: FailureLimits,
    private readonly strategy: AccessTokenStrategy,
  ) {
    this.#tokens = new TokenGuard(strategy);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const route = this.reflector.getAllAndOverride<RouteAccess | undefined>(ROUTE_ACCESS, targets);
    if (!route) throw new ProblemError(403, 'forbidden', 'this route says nothing about who may use it');
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (route.requires !== 'public') {
      const caller = await this.#authenticate(context, request);
      request.caller = { ...caller, process_mode: modeHeader(request) };
      authorize(route, request.caller, request);
    }
    // Only now: who is not authenticated learns nothing about what a route takes.
    const refused = bodyError(request);
    if (refused) throw refused;
    return true;
  }

  async #authenticate(context: ExecutionContext, request: FastifyRequest): Promise<Caller> {
    const bearer = /^Bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined) throw unauthenticated();
    const options = { session_id: sessionHeader(request), agent_header: agentHeader(request) };
    let result: Authentication;
    try {
      if (bearer.startsWith('hcp_')) {
        const key_id = parseSecret('hcp', bearer)?.id ?? null;
        await this.limits.checkKey(key_id, request.ip);
        result = await this.authenticator.authenticate(bearer, options);
        if (!result.ok) await this.limits.keyFailed(result.reason === 'wrong_secret' ? key_id : null, request.ip);
      } else {
        const external = this.strategy.isExternal(bearer);
        if (external) await this.limits.checkKey(null, request.ip);
        result = await this.#byToken(context, request, options);
        if (external && !result.ok) await this.limits.keyFailed(null, request.ip);
      }
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      // Nobody can be recognised without the database: refused, never waved through (fail closed).
      const problem = new ProblemError(503, 'unavailable', 'credentials cannot be checked now');
      problem.cause = error;
      throw problem;
    }
    if (!result.ok) throw unauthenticated();
    return result.caller;
  }

  async #byToken(
    context: ExecutionContext,
    request: FastifyRequest,
    options: Parameters<Authenticator['authenticate']>[1],
  ): Promise<Authentication> {
    try {
      await this.#tokens.canActivate(context);
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

function authorize(route: RouteAccess, caller: Caller, request: FastifyRequest): void {
  const kind = caller.is_agent ? 'agent' : caller.principal.kind;
  if (kind !== 'human' && route.refuses.includes(kind)) {
    throw new ProblemError(403, 'human_only', 'only a person may do this, whatever was granted');
  }
  const capability = route.requires;
  if (capability === 'public' || capability === 'authenticated') return;
  const now = new Date();
  const pack_id = (request.params as { pack_id?: unknown } | undefined)?.pack_id;
  const held = route.scoped
    ? holdsAnywhere(caller.authority, capability, now)
    : allows(caller.authority, { capability, ...(typeof pack_id === 'string' ? { pack_id } : {}) }, now);
  if (!held) throw new ProblemError(403, 'missing_capability', `denied: missing ${capability}`);
}

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

/** SPEC A1. A word that is no mode refuses the call: running it in a looser one would surprise whoever wrote it. */
function modeHeader(request: FastifyRequest): Mode | null {
  const value = request.headers[MODE_HEADER];
  if (value === undefined) return null;
  const mode = MODES.find((each) => each === value);
  if (mode !== undefined) return mode;
  throw new ProblemError(400, 'invalid_request', `the header HCP-Mode must be one of ${MODES.join(', ')}`);
}
