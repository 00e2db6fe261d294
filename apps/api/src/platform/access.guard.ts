import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { APPROVALS_HEADER, MODE_HEADER } from '@hcp/contracts';
import { allows, APPROVALS, MODES, type Caller } from '@hcp/core';
import { holdsAnywhere } from '@hcp/tenancy';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyError } from './json-body.js';
import { ROUTE_ACCESS, type RouteAccess } from './metadata.js';
import { ProblemError } from './problem.js';
import { Recognizer } from './recognizer.js';

/**
 * The only door: a route without access metadata is refused, a public one passes, every other one takes credentials
 * that are good at this moment, and then the capability it names.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly recognizer: Recognizer,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const route = this.reflector.getAllAndOverride<RouteAccess | undefined>(ROUTE_ACCESS, targets);
    if (!route) throw new ProblemError(403, 'forbidden', 'this route says nothing about who may use it');
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (route.requires !== 'public') {
      const reply = context.switchToHttp().getResponse<FastifyReply>();
      const caller = await this.recognizer.caller(request, reply);
      request.caller = {
        ...caller,
        process_mode: wordIn(request, MODE_HEADER, 'HCP-Mode', MODES),
        process_approvals: wordIn(request, APPROVALS_HEADER, 'HCP-Approvals', APPROVALS),
      };
      authorize(route, request.caller, request);
    }
    // Only now: who is not authenticated learns nothing about what a route takes.
    const refused = bodyError(request);
    if (refused) throw refused;
    return true;
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

/** SPEC A1, A5. A word that means nothing refuses the call: running it looser than was meant would surprise whoever wrote it. */
function wordIn<Word extends string>(
  request: FastifyRequest,
  header: string,
  shown: string,
  words: readonly Word[],
): Word | null {
  const value = request.headers[header];
  if (value === undefined) return null;
  const word = words.find((each) => each === value);
  if (word !== undefined) return word;
  throw new ProblemError(400, 'invalid_request', `the header ${shown} must be one of ${words.join(', ')}`);
}
